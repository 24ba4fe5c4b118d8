"""The versions of an artifact: its attributes after a version comes or goes.

The newest version is repeated in attributes of its own, which compositions read. The index of the last version stays
when that version goes, so no index is used twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tenuto.model.ids import Json, JsonMap
from tenuto.model.image import Version, versions_of, whole_gib

_NEWEST = ("Version", "BlobId", "Sha512", "SizeBytes", "VirtualSizeGiB", "Format")


@dataclass(frozen=True, slots=True, kw_only=True)
class Versioned:
    """The attributes of an artifact after a change, and the versions that it does not have any more."""

    attributes: dict[str, Json]
    dropped: tuple[Version, ...] = ()


def next_index(attributes: JsonMap) -> int:
    """The index of the next version."""
    return int(attributes.get("LastIndex", 0)) + 1


def newest(attributes: JsonMap) -> Version | None:
    """The version that the artifact stands for; None before the first one."""
    found = versions_of(attributes)
    return found[-1] if found else None


def with_version(attributes: JsonMap, version: Version, most: int) -> Versioned:
    """The attributes with one more version; the oldest go beyond `most` of them."""
    kept = [*versions_of(attributes), version]
    gone, kept = kept[:-most], kept[-most:]
    return Versioned(attributes=_attributes(attributes, kept, version.index), dropped=tuple(gone))


def trimmed(attributes: JsonMap, most: int) -> Versioned:
    """The attributes with at most so many versions, the newest ones."""
    found = versions_of(attributes)
    if len(found) <= most:
        return Versioned(attributes=dict(attributes))
    kept = found[-most:]
    return Versioned(attributes=_attributes(attributes, kept, int(attributes["LastIndex"])), dropped=found[:-most])


def without_version(attributes: JsonMap, index: int) -> Versioned:
    """The attributes without a version."""
    found = versions_of(attributes)
    kept = [one for one in found if one.index != index]
    gone = tuple(one for one in found if one.index == index)
    return Versioned(attributes=_attributes(attributes, kept, int(attributes.get("LastIndex", 0))), dropped=gone)


def _attributes(before: JsonMap, versions: Sequence[Version], last_index: int) -> dict[str, Json]:
    rest = {name: value for name, value in before.items() if name not in _NEWEST}
    rest |= {"Versions": [one.document() for one in versions], "LastIndex": last_index}
    return rest | (_shown(versions[-1]) if versions else {})


def _shown(version: Version) -> dict[str, Json]:
    return {
        "Version": version.index,
        "BlobId": version.blob,
        "Sha512": version.sha512,
        "SizeBytes": version.size,
        "VirtualSizeGiB": whole_gib(version.virtual_size),
        "Format": version.format,
    }
