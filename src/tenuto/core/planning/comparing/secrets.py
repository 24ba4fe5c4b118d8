"""Secrets in compared properties: whether a secret is another one, without its value.

Theory of operation. Planning never has the clear value and cannot compare. The digest of the whole wish holds its
fingerprint, so that another secret is a change. The phase that configures the resource has the clear value for one
call, and leaves a fingerprint of the value that the provider will show: a text with the secret in it, as user data has.
Another text that is shown later is drift. That fingerprint is of one property of one incarnation, and tells nothing
about a value anywhere else.
"""

import hashlib
import json
from dataclasses import dataclass, replace

from tenuto.core.language import resolve
from tenuto.model.composition import Composition
from tenuto.model.delta import Change, Unknown
from tenuto.model.ids import Json, JsonMap, ObjectId, PhaseName
from tenuto.model.naming import NOTHING_KNOWN, Names
from tenuto.model.resource import ManagedObject, ResourceType

CONFIGURE = PhaseName("resource.configure")
"""The phase whose attempt holds the fingerprints."""


def fingerprints(found: ManagedObject, clear: JsonMap, resource_type: ResourceType) -> dict[str, str]:
    """The fingerprint of each property that holds a secret and is a plain text which the provider shows as it is."""
    return {
        path: _fingerprint(found.object_id, path, str(clear[path]))
        for path, value in sorted(found.desired.items())
        if not resolve.is_resolved(value)
        and isinstance(clear.get(path), str)
        and not resource_type.is_unseen(path)
        and path not in resource_type.compare_as
    }


def has_drifted(found: ManagedObject, path: str, shown: Json) -> bool:
    """Whether the shown value is surely not the last configured one. A value that is not shown tells nothing."""
    entry = found.phases.get(CONFIGURE)
    known = entry.act.fingerprints.get(path) if entry is not None else None
    return known is not None and isinstance(shown, str) and known != _fingerprint(found.object_id, path, shown)


def drifted_secrets(found: ManagedObject, shown: JsonMap) -> frozenset[str]:
    """The properties with a secret of which something else is shown than was last configured."""
    return frozenset(path for path in secret_properties(found) if has_drifted(found, path, shown.get(path)))


def secret_properties(found: ManagedObject) -> frozenset[str]:
    """The properties that were last desired with a secret in them, which stands open in the record."""
    return frozenset(path for path, value in found.desired.items() if not resolve.is_resolved(value))


def _fingerprint(object_id: ObjectId, path: str, text: str) -> str:
    return hashlib.sha256(f"{object_id}\0{path}\0{text}".encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Desired:
    """A declaration with everything resolved that can be now, the digest of that, and the known facts about its
    names."""

    properties: JsonMap
    digest: str
    names: Names = NOTHING_KNOWN


def digest_of(properties: JsonMap, composition: Composition | None) -> str:
    """A digest of properties and of the fingerprints of the secrets they refer to, followed by a mark of each secret.

    The marks tell later which of the secrets is another one: a new password must not replace the thing that its user
    names.
    """
    secrets = secrets_in(properties, composition)
    text = json.dumps([properties, secrets], sort_keys=True, separators=(",", ":"), default=str)
    marks = (f"{name}={_mark(known)}" for name, known in sorted(secrets.items()))
    return " ".join((hashlib.sha256(text.encode()).hexdigest(), *marks))


def _mark(fingerprint: str) -> str:
    return hashlib.sha256(fingerprint.encode()).hexdigest()[:16]


def marks_in(digest: str) -> dict[str, str]:
    """The marks of the secrets that a digest tells of."""
    return {name: mark for name, _, mark in (told.partition("=") for told in digest.split()[1:])}


def secrets_in(value: Json, composition: Composition | None) -> dict[str, str]:
    """The secret parameters that a value refers to, with their fingerprints."""
    parameters = composition.parameters if composition else {}
    if not parameters:
        return {}
    names = {expression.name for expression in resolve.open_expressions(value) if expression.name in parameters}
    return {name: parameters[name].fingerprint for name in sorted(names) if parameters[name].fingerprint}


def without_value(properties: Json, composition: Composition | None) -> list[resolve.Open]:
    """The references of resolved properties that have no value, without those to parameters and to secrets that the
    provider keeps: these have theirs when the provider is called."""
    later = {*(composition.parameters if composition else ()), *resolve.kept_secrets(properties)}
    return [one for one in resolve.open_expressions(properties) if one.name not in later]


def is_kept_secret(value: Json) -> bool:
    """Whether nothing is open in a value but secrets that the provider keeps."""
    opened = resolve.open_expressions(value)
    return bool(opened) and len({one.name for one in opened} - {*resolve.kept_secrets(value)}) == 0


def is_another_secret(path: str, value: Json, desired: Desired, current: ManagedObject) -> bool:
    """Whether a property is declared with another secret than the one that was sent last, or differently."""
    if current.desired.get(path) != value:
        return True
    now, before = marks_in(desired.digest), marks_in(current.desired_digest)
    names = {one.name for one in resolve.open_expressions(value)} & now.keys()
    return any(now[name] != before.get(name) for name in sorted(names))


def veiled(change: Change, current: ManagedObject) -> Change:
    """The change without the present value, where that was made of a secret: the provider may show it."""
    was = current.desired.get(change.path.partition(".")[0])
    named = {one.name for one in resolve.open_expressions(was)}
    was_secret = resolve.has_kept_secret(was) or not named.isdisjoint(marks_in(current.desired_digest))
    return replace(change, before=Unknown.SECRET) if was_secret and change.has_before else change
