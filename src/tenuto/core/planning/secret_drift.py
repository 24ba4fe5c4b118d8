"""Drift of properties that hold a secret: seen without the secret.

Planning never has the clear value, so it cannot compare. Whoever configures the resource has it for one call, and
leaves a fingerprint of what the provider will show: a text with the secret in it, as user data has. Another text that
is shown later is drift. The fingerprint is of one property of one incarnation, and tells nothing about a value
anywhere else.
"""

import hashlib

from tenuto.core.language import resolve
from tenuto.model.ids import Json, JsonMap, ObjectId, PhaseName
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
        and path not in resource_type.write_only
        and path not in resource_type.compare_as
    }


def has_drifted(found: ManagedObject, path: str, shown: Json) -> bool:
    """Whether what is shown is surely not what was last configured. What is not shown tells nothing."""
    entry = found.phases.get(CONFIGURE)
    known = entry.act.fingerprints.get(path) if entry is not None else None
    return known is not None and isinstance(shown, str) and known != _fingerprint(found.object_id, path, shown)


def _fingerprint(object_id: ObjectId, path: str, text: str) -> str:
    return hashlib.sha256(f"{object_id}\0{path}\0{text}".encode()).hexdigest()
