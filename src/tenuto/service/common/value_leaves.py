"""The difference of two values as a list of leaves, for programs, with whole values; `value_diff` is for people."""

from collections.abc import Iterator, Mapping

from tenuto.model.ids import Json, JsonMap
from tenuto.service.common.value_diff import document_of, identity_text, pairs_of, same_members, shared

_LONGEST_IDENTITY = 200


def leaves_of(path: str, before: Json, after: Json) -> Iterator[JsonMap]:
    """The leaves that differ, each with its path: `Rules[IpProtocol tcp].FromPort`; None for a missing side."""
    match before, after:
        case dict(), dict():
            for name in sorted(before.keys() | after.keys()):
                if before.get(name) != after.get(name) or (name in before) != (name in after):
                    yield from leaves_of(f"{path}.{name}", before.get(name), after.get(name))
        case list(), list():
            yield from _members(path, before, after)
        case str(), str():
            first, second = document_of(before), document_of(after)
            if first is None or second is None:
                yield _leaf(path, before, after)
            else:
                yield from leaves_of(path, first, second)
        case _:
            yield _leaf(path, before, after)


def _members(path: str, before: list[Json], after: list[Json]) -> Iterator[JsonMap]:
    kept, gone = shared(before, after)
    _, come = shared(after, kept)
    if not gone and not come:
        yield _leaf(path, before, after)
        return
    pairs = pairs_of(gone, come)
    for one, other in pairs:
        yield from leaves_of(f"{path}[{_identity(one, other)}]", dict(one), dict(other))
    yield from (_leaf(f"{path}[]", one, None) for one in shared(gone, [one for one, _ in pairs])[1])
    yield from (_leaf(f"{path}[]", None, one) for one in shared(come, [one for _, one in pairs])[1])


def _identity(one: Mapping[str, Json], other: Mapping[str, Json]) -> str:
    return identity_text(same_members(one, other))[:_LONGEST_IDENTITY]


def _leaf(path: str, before: Json, after: Json) -> JsonMap:
    return {"path": path, "before": before, "after": after}
