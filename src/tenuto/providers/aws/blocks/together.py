"""Types that are seen in one sweep: an internet gateway and its attachment in one list, a topic and its subscriptions
in two.

A list is read once for all blocks that find their things in it. The tracked things of one type are known to the other,
so that a thing does not show as its own part a resource by itself. Each block keeps its filter for ids.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tenuto.errors import BugError
from tenuto.model.ids import JsonMap
from tenuto.providers.aws.blocks.reading import BlockReader, filters_of
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source


def together(*kinds: AwsType) -> tuple[AwsType, ...]:
    """The types with the source of the first for all. Raises BugError for one that is no block with a list."""
    readers = [_reader_of(kind) for kind in kinds]
    source = Source(
        name=kinds[0].source.name,
        read=lambda client, scope: _read(readers, client, scope),
        by_id={name: one for kind in kinds for name, one in kind.source.by_id.items()},
    )
    return tuple(replace(kind, source=source, facts=replace(kind.facts, source=source.name)) for kind in kinds)


def _reader_of(kind: AwsType) -> BlockReader:
    reader = getattr(kind.source.read, "__self__", None)
    if not isinstance(reader, BlockReader) or reader.listed is None:
        raise BugError(f"{kind.facts.name} is no block with a list")
    return reader


def _read(readers: Sequence[BlockReader], client: AccountClient, scope: Scope) -> list[Seen]:
    if scope.names is not None:
        return [one for reader in readers if reader.showing.name in scope.names for one in reader.read(client, scope)]
    pages: dict[str, list[JsonMap]] = {}
    found: list[Seen] = []
    for reader in readers:
        found += reader.shown_in(client, scope, _things(reader, client, scope, pages))
    return found


def _things(
    reader: BlockReader, client: AccountClient, scope: Scope, pages: dict[str, list[JsonMap]]
) -> Mapping[str, JsonMap]:
    """The things of one block in its list, which another block may have read before."""
    listed = reader.listed
    assert listed is not None
    if listed.operation not in pages:
        given = filters_of(listed, scope.filters)
        pages[listed.operation] = list(client.pages(listed.paging(reader.service), **listed.fixed, **given))
    return listed.things_in(pages[listed.operation], {})
