"""The simulated cloud for `tenuto simulated`: a person changes it behind the Conductor's back, as others change real
clouds.

Each function works on the file of the cloud, with or without a Conductor at work. A Conductor sees the change at its
next refresh.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from tenuto.bootstrap.clock import SystemClock
from tenuto.errors import ProviderError, UserError
from tenuto.kit.nearest import meant
from tenuto.model.ids import Json, JsonMap
from tenuto.providers.simulated.kept import KeptCloud, cloud_file
from tenuto.providers.simulated.things import Thing
from tenuto.storage.open import file_of


def list_things(database: str) -> JsonMap:
    """List everything that exists now in a simulated cloud. Raises UserError."""
    with _opened(database) as cloud:
        return {"things": [_document(one) for one in cloud.things()]}


def find_thing(database: str, physical_id: str) -> JsonMap:
    """Show one thing. Raises UserError when there is none."""
    with _opened(database) as cloud:
        return _document(_thing(cloud, physical_id))


def change_thing(database: str, physical_id: str, path: str, text: str | None) -> JsonMap:
    """Set one property to a JSON value, or to the text itself; None takes it away. Raises UserError."""
    with _opened(database) as cloud:
        thing = _thing(cloud, physical_id)
        known = thing.type.properties
        if path not in known:
            raise UserError(
                f"{thing.type.facts.name} has no property {path}.{meant(path, known)} It has: "
                f"{', '.join(sorted(known))}."
            )
        before = thing.properties.get(path)
        cloud.tamper(physical_id, path, None if text is None else _value(text))
        is_secret = path in thing.type.facts.write_only
        return {
            "id": physical_id,
            "property": path,
            "before": None if is_secret else before,
            "after": None if is_secret else thing.properties.get(path),
        }


def delete_thing(database: str, physical_id: str) -> JsonMap:
    """Delete a thing at once, even if it is in use. Raises UserError."""
    with _opened(database) as cloud:
        thing = _thing(cloud, physical_id)
        cloud.vanish(physical_id)
        return {"id": physical_id, "type": thing.type.facts.name}


@contextmanager
def _opened(database: str) -> Iterator[KeptCloud]:
    """The cloud of a database, for one change. Raises UserError."""
    file = file_of(database)
    if file is None or not cloud_file(file).exists():
        raise UserError(
            f"There is no simulated cloud beside {database}. 'tenuto conductor --provider simulated' makes one; "
            "--database names the database of that Conductor."
        )
    try:
        cloud = KeptCloud(cloud_file(file), SystemClock())
        with cloud.session():
            yield cloud
    except ProviderError as error:
        raise UserError(str(error)) from error


def _thing(cloud: KeptCloud, physical_id: str) -> Thing:
    known = {str(one.physical_id): one for one in cloud.things()}
    if physical_id not in known:
        raise UserError(
            f"There is no {physical_id} in the simulated cloud.{meant(physical_id, known)} 'tenuto simulated list' "
            "shows what there is."
        )
    return known[physical_id]


def _document(thing: Thing) -> JsonMap:
    hidden = thing.type.facts.write_only
    return {
        "id": thing.physical_id,
        "type": thing.type.facts.name,
        "account": thing.partition.account,
        "region": thing.partition.region,
        "properties": {path: value for path, value in sorted(thing.properties.items()) if path not in hidden},
        "process": None if thing.owner is None else thing.owner.fid,
        "resource": None if thing.owner is None else thing.owner.logical_id,
    }


def _value(text: str) -> Json:
    try:
        return json.loads(text)
    except ValueError:
        return text
