"""The reasons why accounts could not be entered, and for how long each of them is believed.

Theory of operation. A refused entry is not tried again for a few seconds, by any caller: an account that cannot be
entered costs a thousand processes no more than one. Credentials that did not come in time (`programs`) are another
matter, since the try itself takes long: the pause is longer, and while one caller tries again, the others are told the
last reason at once instead of waiting for it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tenuto.errors import ProviderError
from tenuto.model.account import Account
from tenuto.model.ids import Instant
from tenuto.ports.clock import Clock
from tenuto.providers.aws.client.entrance.programs import LATE, LATE_PAUSE_S

PAUSE_S = 5.0
"""Short for a user who has just corrected something and waits; a job comes every thirty seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The reason why an account could not be entered as it was then, and the moment until which that is believed."""

    account: Account
    error: ProviderError
    until: Instant


class Refusals:
    """The last refusal of each account. Thread-safe: each step is one look or one change."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: dict[str, Refusal] = {}

    def last(self, name: str) -> Refusal | None:
        """The last refusal of an account, as long as nothing has contradicted it."""
        return self._known.get(name)

    def last_late(self, account: Account) -> Refusal | None:
        """The last refusal of an account that is entered like that, if it was for credentials that came too late."""
        known = self._known.get(account.name)
        return known if known is not None and known.account == account and known.error.code == LATE else None

    def note(self, account: Account, error: ProviderError) -> None:
        """Remember a refusal."""
        pause_s = LATE_PAUSE_S if error.code == LATE else PAUSE_S
        until = Instant(self._clock.now() + pause_s)
        self._known[account.name] = Refusal(account=account, error=error, until=until)

    def forget(self, name: str) -> None:
        """Believe nothing that was known of an account."""
        self._known.pop(name, None)

    @contextmanager
    def paused(self, account: Account) -> Iterator[None]:
        """Remember a refusal, and repeat it for a while instead of trying."""
        known = self._known.get(account.name)
        if known is not None and known.account == account and self._clock.now() < known.until:
            raise again(known.error)
        try:
            yield
        except ProviderError as error:
            self.note(account, error)
            raise
        self.forget(account.name)


def again(error: ProviderError) -> ProviderError:
    """A copy of an error, for another caller: an error that is raised twice collects the traces of both."""
    return type(error)(str(error), code=error.code, request_id=error.request_id)
