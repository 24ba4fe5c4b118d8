"""Rules for accounts: names, ids, that a name never leads to two places, and when its identity is confirmed again.

Processes are bound to the name of an account. Were the name to lead elsewhere one day (a profile was edited, a
Conductor was started with other credentials), everything of its processes would look gone, and be made again in the
wrong place. So the id that an account was first found to have is kept, and every other one is refused. And since looks,
rates and ownership are counted by name, no two names may lead to one id.

*The identity.* One rule, which every provider keeps, says when the identity behind credentials must be asked again.
Credentials lead to an account, and only the provider knows to which. Were they to lead elsewhere while the Conductor
runs, everything of the account's processes would look gone there, would be made anew there, and differences would be
"corrected" in things of other people. So the provider is asked, and the answer is a `Confirmation`. It belongs to one
set of credentials and to one moment:

1. *New credentials are unknown.* A renewal, a role that is assumed again, another key: nothing is signed with a set
   before the provider has said whose it is, be it to read or to change.
2. *An answer ages.* The same key may lead elsewhere later: an emulator was started anew, a proxy was turned. To read,
   an answer may be `interval_s` old; to change something, `CHANGE_S` at most. So a thousand changes in a row cost one
   question in thirty seconds, and an account in which nothing happens costs one per interval.
3. *Absence needs an answer of its own.* A sweep, or a look-up, that lacks something is believed only when the provider
   has confirmed the account after the sweep began. So a thing that stands in another account is never called gone.
4. *No answer, no act.* While the account is another one, or the question is not answered, nothing is signed at all: no
   change, no news. It raises `UnconfirmedError` (or TransientError, when the question was lost), which fails no phase:
   the work that is under way waits, and goes on by itself once the answer is right again.

Rejected: a question before each change. It would double the calls, and credentials may be renewed right after it; so
the question is asked where the credentials are handed out, with the very set that signs.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from tenuto.errors import NotFoundError, UnconfirmedError, UserError
from tenuto.kit.canonical import to_text
from tenuto.kit.nearest import meant
from tenuto.kit.regions import Regions
from tenuto.model.account import DEFAULT_ACCOUNT, Account, Confirmation
from tenuto.model.ids import Instant, JsonMap

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,62}")
_ID = re.compile(r"[!-~]{1,128}")
_SETTING = re.compile(r"[a-z][a-z0-9_]{0,62}")
_REGION = re.compile(r"[a-z][a-z0-9-]{1,31}")
MOST_SETTINGS_BYTES = 16 * 1024
"""Of all settings of one account as JSON. A certificate and its key fit; a file of any kind does not belong there."""

OWN = Account(name=DEFAULT_ACCOUNT)
"""The default account as long as nothing is known of it."""


def with_default(stored: Iterable[Account]) -> dict[str, Account]:
    """Return all accounts by name, the default one first."""
    known = {one.name: one for one in stored}
    return {DEFAULT_ACCOUNT: known.get(DEFAULT_ACCOUNT, OWN)} | {name: known[name] for name in sorted(known)}


def find_account(reference: str, accounts: Mapping[str, Account]) -> Account:
    """Return the account of this name, or of this id when the id is known. Raises NotFoundError, naming the accounts
    that there are.
    """
    found = accounts.get(reference) or next((one for one in accounts.values() if one.account_id == reference), None)
    if found is not None:
        return found
    names = ", ".join(f"{one.name} ({one.account_id})" if one.account_id else one.name for one in accounts.values())
    hint = "'tenuto account add' adds one."
    if _NAME.fullmatch(reference) is None and any(one.account_id is None for one in accounts.values()):
        hint += " One that was never used is not known by its id yet: 'tenuto account check NAME' asks for it."
    raise NotFoundError(f"There is no account {reference!r}.{meant(reference, accounts)} There are: {names}. {hint}")


def check_new(account: Account, accounts: Mapping[str, Account]) -> None:
    """Raise UserError when an account cannot be called or reached like that."""
    if account.name == DEFAULT_ACCOUNT:
        raise UserError(
            f"The account {DEFAULT_ACCOUNT} is always there: the Conductor's own settings lead to it. Choose another "
            "name."
        )
    if _NAME.fullmatch(account.name) is None:
        raise UserError(
            f"{account.name!r} cannot name an account: it must begin with a letter and go on with letters, digits, "
            "'.', '_' or '-', at most 63 characters."
        )
    if account.region is not None:
        check_region(account.region)
    _check_sources(account, accounts)


def check_region(region: str) -> None:
    """Raise UserError for a text that can be no region: a region becomes a part of host names."""
    if _REGION.fullmatch(region) is None:
        raise UserError(f"{region!r} is no region: small letters, digits and '-', at most 32.")


def check_listed(region: str, regions: Regions) -> None:
    """Raise UserError for a region that does not exist."""
    missing = regions.missing(region)
    if missing:
        raise UserError(missing)


def check_settings(settings: JsonMap) -> None:
    """Raise UserError for settings that no account of any provider can have. Values are never repeated: one may be a
    secret."""
    for name, value in settings.items():
        if _SETTING.fullmatch(name) is None:
            raise UserError(
                f"{name!r} cannot name a setting of an account: it must begin with a small letter and go on with small "
                "letters, digits and '_', at most 63 characters."
            )
        if not isinstance(value, str | bool | int):
            raise UserError(f"The setting {name} of an account must be a text, a whole number, true or false.")
    if len(to_text(settings).encode()) > MOST_SETTINGS_BYTES:
        raise UserError(f"The settings of an account may take {MOST_SETTINGS_BYTES // 1024} KB together.")


def confirmed(account: Account, account_id: str, others: Iterable[Account]) -> Account:
    """The account, now that its credentials were found to lead to this id. Raises UnconfirmedError (`WrongAccount`)."""
    expected = account.account_id or account.claimed_id
    if expected is not None and expected != account_id:
        raise UnconfirmedError(
            f"The account {account.name} is {expected}, and its credentials now lead to {account_id}. Tenuto changes "
            f"nothing there and believes nothing that it reads there. Restore {way_text(account)}: then Tenuto "
            f"goes on by itself ('tenuto account check {account.name}' asks at once). To use {account_id} on purpose, "
            f"end each process of {account.name} with 'tenuto release PROCESS --keep-tags', then 'tenuto account "
            f"remove {account.name}', and run the processes anew.",
            code="WrongAccount",
        )
    duplicate = next((one.name for one in others if one.account_id == account_id and one.name != account.name), None)
    if duplicate is not None:
        raise UnconfirmedError(
            f"The account {account.name} leads to {account_id}, which is {duplicate} already. Sweeps, rate limits and "
            f"ownership are kept by name, so an account has one name: say --account {duplicate}, or remove {duplicate} "
            f"first ('tenuto account remove {duplicate}').",
            code="WrongAccount",
        )
    if _ID.fullmatch(account_id) is None:
        raise UnconfirmedError(
            f"The account {account.name} leads to {account_id!r}, which is no account id.", code="NoId"
        )
    return replace(account, account_id=account_id)


def entered_from(name: str, accounts: Iterable[Account]) -> list[str]:
    """The accounts that cannot do without this one. The default one is there even when nothing is known of it."""
    if name == DEFAULT_ACCOUNT:
        return []
    return sorted(one.name for one in accounts if one.source == name)


def way_text(account: Account) -> str:
    """Return how an account is entered, in words."""
    return account.description or "the Conductor's own settings"


def _check_sources(account: Account, accounts: Mapping[str, Account]) -> None:
    """Walk from source to source; every one must be there, and none may be the account itself."""
    passed = [account.name]
    step = account
    while step.source is not None:
        if step.source in passed:
            chain = " from ".join([*passed, step.source])
            raise UserError(f"The account would be entered through itself: {chain}. Name another source.")
        passed.append(step.source)
        step = find_account(step.source, accounts)


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
