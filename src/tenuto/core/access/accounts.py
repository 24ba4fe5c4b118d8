"""Rules for accounts: names, ids, and that a name never leads to two places.

Processes are bound to the name of an account. Were the name to lead elsewhere one day (a profile was edited, a
Conductor was started with other credentials), everything of its processes would look gone, and be made again in the
wrong place. So the id that an account was first found to have is kept, and every other one is refused. And since looks,
rates and ownership are counted by name, no two names may lead to one id.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from tenuto.errors import NotFoundError, UnconfirmedError, UserError
from tenuto.kit.nearest import meant
from tenuto.kit.regions import Regions
from tenuto.model.account import DEFAULT_ACCOUNT, Access, Account, ByEnvironment, ByProfile, ByRole

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,62}")
_ID = re.compile(r"\d{12}")
_ROLE = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:role/[\w+=,.@/-]{1,576}", re.ASCII)
_EXTERNAL_ID = re.compile(r"[\w+=,.@:/-]{2,1224}", re.ASCII)
_PROFILE = re.compile(r"[^\s\[\]\x00-\x1f](?:[^\[\]\x00-\x1f]{0,126}[^\s\[\]\x00-\x1f])?")
_REGION = re.compile(r"[a-z][a-z0-9-]{1,31}")

OWN = Account(name=DEFAULT_ACCOUNT, access=ByEnvironment())
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
    if _ID.fullmatch(reference) and any(one.account_id is None for one in accounts.values()):
        hint += " One that was never used is not known by its id yet: 'tenuto account check NAME' asks for it."
    raise NotFoundError(f"There is no account {reference!r}.{meant(reference, accounts)} There are: {names}. {hint}")


def check_new(account: Account, accounts: Mapping[str, Account]) -> None:
    """Raise UserError when an account cannot be called or reached like that."""
    if account.name == DEFAULT_ACCOUNT:
        raise UserError(
            f"The account {DEFAULT_ACCOUNT} is always there: it is the one that the Conductor's own AWS settings lead "
            "to. Choose another name."
        )
    if _NAME.fullmatch(account.name) is None:
        raise UserError(
            f"{account.name!r} cannot name an account: it must begin with a letter and go on with letters, digits, "
            "'.', '_' or '-', at most 63 characters."
        )
    if account.region is not None:
        check_region(account.region)
    check_access(account.name, account.access, accounts)


def check_region(region: str) -> None:
    """Raise UserError for what can be no region: it becomes a part of host names."""
    if _REGION.fullmatch(region) is None:
        raise UserError(f"{region!r} is no region. A region is called like eu-west-1.")


def check_listed(region: str, regions: Regions) -> None:
    """Raise UserError for a region that does not exist."""
    missing = regions.missing(region)
    if missing:
        raise UserError(missing)


def check_access(name: str, access: Access, accounts: Mapping[str, Account]) -> None:
    """Raise UserError when it is not well formed, or would have to be entered through itself."""
    match access:
        case ByEnvironment():
            return
        case ByProfile(profile=profile):
            if _PROFILE.fullmatch(profile) is None:
                raise UserError(f"{profile!r} cannot be the name of a profile.")
        case ByRole(role_arn=arn):
            if _ROLE.fullmatch(arn) is None:
                raise UserError(f"{arn!r} is no role. The ARN of one is like arn:aws:iam::111122223333:role/tenuto.")
            _check_sources(name, access, accounts)


def check_external_id(external_id: str) -> None:
    """Raise UserError without repeating it."""
    if _EXTERNAL_ID.fullmatch(external_id) is None:
        raise UserError(
            "The external id cannot be one: it has 2 to 1224 characters, letters, digits and any of + = , . @ : / - _"
        )


def confirmed(account: Account, account_id: str, others: Iterable[Account]) -> Account:
    """The account, now that its credentials were found to lead to this id. Raises UnconfirmedError (`WrongAccount`)."""
    said = account.access.account_id if isinstance(account.access, ByRole) else None
    expected = account.account_id or said
    if expected is not None and expected != account_id:
        raise UnconfirmedError(
            f"The account {account.name} is {expected}, and its credentials now lead to {account_id}. Tenuto changes "
            f"nothing there and believes nothing that it reads there. Restore {way_text(account.access)}: then Tenuto "
            f"goes on by itself ('tenuto account check {account.name}' asks at once). To use {account_id} on purpose, "
            f"end each process of {account.name} with 'tenuto release PROCESS --keep-tags', then 'tenuto account "
            f"remove {account.name}', and run the processes anew.",
            code="WrongAccount",
        )
    duplicate = next((one.name for one in others if one.account_id == account_id and one.name != account.name), None)
    if duplicate is not None:
        raise UnconfirmedError(
            f"The account {account.name} leads to {account_id}, which is {duplicate} already. Looks, rate limits and "
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
    return sorted(one.name for one in accounts if isinstance(one.access, ByRole) and one.access.source == name)


def way_text(access: Access) -> str:
    """Return how an account is entered, in words."""
    match access:
        case ByEnvironment():
            return "the Conductor's own AWS settings"
        case ByProfile(profile=profile):
            return f"the profile {profile}"
        case ByRole(role_arn=arn, source=source):
            return f"the role {arn}, assumed from {source}"


def _check_sources(name: str, access: ByRole, accounts: Mapping[str, Account]) -> None:
    """Walk from source to source; every one must be there, and none may be the account itself."""
    passed = [name]
    step: Access = access
    while isinstance(step, ByRole):
        if step.source in passed:
            chain = " from ".join([*passed, step.source])
            raise UserError(f"The role would be assumed through itself: {chain}. Name another --source.")
        passed.append(step.source)
        step = find_account(step.source, accounts).access
