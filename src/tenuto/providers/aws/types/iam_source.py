"""The one source of all IAM types: bulk lists in a sweep, single reads by name in a lookup."""

from collections.abc import Callable

from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Request
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Scope, Seen, Source, by_owner
from tenuto.providers.aws.types import iam_placed, iam_read


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    if scope.names is None:
        return iam_read.read(client, scope)
    readers: dict[str, Callable[[AccountClient, str], Seen | None]] = {
        iam_read.ROLE: iam_read.read_role,
        iam_read.PROFILE: iam_read.read_profile,
    }
    found = [read(client, name) for kind, read in readers.items() for name in scope.named(kind)]
    placed = [one for name in scope.named(iam_placed.NAME) for one in iam_placed.looked_up(client, name)]
    return [one for one in found if one is not None] + placed


def is_found_by(name_of: Callable[[Request], str]) -> Callable[[Request, ObservedItem], bool]:
    """The item has the name, and our tag: IAM takes tags in the call that creates, so one without is another's."""

    def is_found(request: Request, item: ObservedItem) -> bool:
        return item.physical_id == name_of(request) and by_owner(request, item)

    return is_found


SOURCE = Source(name="iam.GetAccountAuthorizationDetails", read=_read)
