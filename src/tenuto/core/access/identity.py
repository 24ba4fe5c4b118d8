"""One rule, which every provider keeps, says when the identity behind credentials must be asked again.

Theory of operation. A process is bound to the name of an account, and the name to the id that it was first found to
have (`core.access.accounts`). Credentials lead to an account, and only the provider knows to which. Were they to lead
elsewhere while the Conductor runs, everything of the account's processes would look gone there, would be made anew
there, and what differs would be "corrected" in things of other people. So the provider is asked, and the answer is a
`Confirmation`. It belongs to one set of credentials and to one moment:

1. *New credentials are unknown.* A renewal, a role that is assumed again, another key: nothing is signed with a set
   before the provider has said whose it is, be it to read or to change.
2. *An answer ages.* The same key may lead elsewhere later: an emulator was started anew, a proxy was turned. To read,
   an answer may be `interval_s` old; to change something, `CHANGE_S` at most. So a thousand changes in a row cost one
   question in thirty seconds, and an account in which nothing happens costs one per interval.
3. *Absence needs an answer of its own.* A sweep, or a look-up, that lacks something is believed only when the provider
   has confirmed the account after the sweep began. What stands elsewhere is then never called gone.
4. *No answer, no act.* While the account is another one, or the question is not answered, nothing is signed at all: no
   change, no news. It raises `UnconfirmedError` (or TransientError, when the question was lost), which fails no phase:
   what is under way waits, and goes on by itself once the answer is right again.

Rejected: a question before each change. It would double the calls, and credentials may be renewed right after it; so
the question is asked where the credentials are handed out, with the very set that signs.
"""

from tenuto.model.account import Confirmation
from tenuto.model.ids import Instant

DEFAULT_INTERVAL_S = 300.0
"""The time for which an answer is good enough to read. The same key seldom leads elsewhere, and an idle account should
cost next to nothing: twelve calls an hour, of which a provider takes hundreds a second."""
CHANGE_S = 30.0
"""The time for which an answer is good enough to change something: one period. Repairs come one by one, so each of them
asks first; a build of a thousand things asks twice a minute."""


def is_confirmed(known: Confirmation | None, fingerprint: str, since: Instant) -> bool:
    """Whether these very credentials were found to be right, and asked for that at or after a moment."""
    return known is not None and known.fingerprint == fingerprint and known.at >= since


def to_read(now: Instant, interval_s: float) -> Instant:
    """Return the moment since which credentials must have been confirmed to be used at all."""
    return Instant(now - interval_s)


def to_change(now: Instant, interval_s: float) -> Instant:
    """Return the moment since which they must have been confirmed for a call that changes something."""
    return Instant(now - min(interval_s, CHANGE_S))
