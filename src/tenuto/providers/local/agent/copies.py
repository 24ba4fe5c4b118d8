"""The copies of blobs that a host is to keep, by the order for each: kept in a file, for the agent that begins next.

An agent that knew of no copy until it is told again would show none, and each of its restarts would look like the loss
of all of them. A file that cannot be written or read costs no more than that.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from tenuto.kit.private_file import private_draft
from tenuto.model.ids import ObjectId
from tenuto.providers.local.driver import Spec
from tenuto.providers.local.objects import BLOB

FILE = "copies.json"


class Copies:
    """The orders by the names of copies. Without a file they are in memory alone."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._orders: dict[ObjectId, Spec] = dict(_read(file)) if file is not None else {}

    def __iter__(self) -> Iterator[Spec]:
        return iter(list(self._orders.values()))

    def keep(self, spec: Spec) -> None:
        """Keep the order for a copy."""
        if self._orders.get(spec.object_id) != spec:
            self._orders[spec.object_id] = spec
            self._write()

    def drop(self, object_id: ObjectId) -> None:
        """Forget a copy; another thing is none."""
        if self._orders.pop(object_id, None) is not None:
            self._write()

    def _write(self) -> None:
        if self._file is None:
            return
        text = json.dumps([_document(one) for one in self._orders.values()])
        with suppress(OSError), private_draft(self._file, text.encode()) as draft:
            draft.replace(self._file)


def _document(spec: Spec) -> Mapping[str, object]:
    return {
        "id": spec.object_id,
        "account": spec.account,
        "host": spec.host,
        "properties": spec.properties,
        "attributes": spec.attributes,
    }


def _read(file: Path) -> Iterator[tuple[ObjectId, Spec]]:
    with suppress(OSError, ValueError, KeyError, TypeError):
        for one in json.loads(file.read_text("utf-8")):
            object_id = ObjectId(str(one["id"]))
            yield (
                object_id,
                Spec(
                    type=BLOB,
                    object_id=object_id,
                    account=str(one["account"]),
                    owner=None,
                    host=str(one["host"]),
                    properties=dict(one["properties"]),
                    attributes=dict(one["attributes"]),
                ),
            )
