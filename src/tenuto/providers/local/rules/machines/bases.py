"""The bases of the disks of a machine: words of its composition towards people, digests towards its host.

An order carries the pairs of both in the attribute `BASES`, and a host shows the attributes that it was given. So the
digests that it shows can be put back into the words of the composition, and no read of the store is needed.
"""

from collections.abc import Mapping, Sequence

from tenuto.model.ids import Json, JsonMap

BASES = "Bases"
"""The attribute of a machine with its bases: the digest of each, by the word of the composition."""
BELOW = "BasesBelow"
"""The attribute of a machine with the digests of the images that its thin bases stand on; absent for none."""


def for_host(disks: Sequence[JsonMap], bases: JsonMap) -> list[Json]:
    """The disks as a host is told them: by digests."""
    return [{**one, "Base": bases.get(one["Base"], one["Base"])} if "Base" in one else dict(one) for one in disks]


def in_words(properties: JsonMap, attributes: JsonMap) -> JsonMap:
    """The properties of a machine as its host shows them, with the bases in the words of its composition."""
    bases: Mapping[str, Json] = attributes.get(BASES) or {}
    disks = properties.get("Disks")
    if not bases or not disks:
        return properties
    words = {str(digest): word for word, digest in bases.items()}
    shown = [{**one, "Base": words.get(one["Base"], one["Base"])} if "Base" in one else one for one in disks]
    return {**properties, "Disks": shown}


def digests_of(attributes: JsonMap) -> tuple[str, ...]:
    """The digests of the bases of a machine and of their parents, from its attributes."""
    found = {str(one) for one in (attributes.get(BASES) or {}).values()}
    return tuple(sorted(found | {str(one) for one in attributes.get(BELOW) or ()}))
