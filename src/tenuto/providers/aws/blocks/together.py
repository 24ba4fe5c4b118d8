"""Types that one bulk list shows: an internet gateway, and its attachment to a network.

The list is read once for all of them. Each block finds its own things in it, and each keeps its filter for ids.
"""

from collections.abc import Sequence
from dataclasses import replace

from tenuto.errors import BugError
from tenuto.providers.aws.blocks.reading import BlockReader, filters_of
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source


def together(*kinds: AwsType) -> tuple[AwsType, ...]:
    """The types with one source for all. Raises BugError for blocks of different lists."""
    readers = [_reader_of(kind) for kind in kinds]
    source = Source(
        name=kinds[0].source.name,
        read=lambda client, scope: _read(readers, client, scope),
        by_id={name: one for kind in kinds for name, one in kind.source.by_id.items()},
    )
    if {kind.source.name for kind in kinds} != {source.name}:
        raise BugError(f"{', '.join(reader.name for reader in readers)} are not seen in one list")
    return tuple(replace(kind, source=source) for kind in kinds)


def _reader_of(kind: AwsType) -> BlockReader:
    reader = getattr(kind.source.read, "__self__", None)
    if not isinstance(reader, BlockReader):
        raise BugError(f"{kind.facts.name} is no block with a list of its own")
    return reader


def _read(readers: Sequence[BlockReader], client: AccountClient, scope: Scope) -> list[Seen]:
    if scope.names is not None:
        return [one for reader in readers if reader.name in scope.names for one in reader.read(client, scope)]
    listed = readers[0].listed
    assert listed is not None
    given = filters_of(listed, scope.filters)
    members = list(client.pages(listed.paging(readers[0].service), **listed.fixed, **given))
    return [
        one
        for reader in readers
        if reader.listed is not None
        for one in reader.shown_in(client, scope, reader.things_in(members, reader.listed, {}))
    ]
