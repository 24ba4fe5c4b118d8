"""Callers who were recognised, the place of a command, and the words for one who may not give it there."""

from dataclasses import dataclass

from tenuto.model.access import OF_CONDUCTOR, ROOT, Grant, Right
from tenuto.model.ids import Fid, Instant
from tenuto.service.accounts.former import NO_ACCOUNT

LONGEST_NAME = 128
"""The length at which a name in a denied command is cut: it is not checked any further, so it may be anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A user who was recognised. `key` is that of the secret they came with; the owner's has none.

    A key of a namespace is called `NAMESPACE/KEY`, which no user can be, and brings all that it may do: its `grant`.
    """

    name: str
    key: str = ""
    grant: Grant | None = None
    narrowing: Grant | None = None
    """The limit of a token: of the rights of its user it has these alone."""

    @property
    def is_root(self) -> bool:
        return self.name == ROOT


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The most that a secret may be which a caller makes: as narrow as this, and no longer valid."""

    narrowing: Grant | None = None
    until: Instant | None = None


ANYWHERE = "*"
"""The account of a question that is about no account in particular."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The place of a command: a process that is there, or one that is to be. Empty: the Conductor."""

    account: str = ""
    alias: str | None = None
    fid: Fid | None = None
    is_former: bool = False
    """True for a thing of a former namespace: no grant about an account by its name is about it."""

    @property
    def granted(self) -> str:
        """The name of the account that grants are asked about."""
        return NO_ACCOUNT if self.is_former else self.account

    def __str__(self) -> str:
        if not self.account:
            return "of the Conductor"
        if self.account == ANYWHERE:
            return "in any account"
        name = self.alias or self.fid
        return f"in account {self.account}" + (f" (process {name})" if name else "")


def denial(caller: Caller, right: Right, place: Place) -> str:
    """The denial: the user, the command, the place, and the grant that would allow it."""
    if caller.grant is not None:
        return (
            f"{caller.name} may not give the command '{right}' {place}: a key of a namespace may do what it was made "
            "for, in its own namespace, and nothing else. Nothing was changed. 'tenuto namespace key add' makes a key "
            "that may do more."
        )
    if caller.narrowing is not None:
        return (
            f"{caller.name} may not give the command '{right}' {place} with this token: the token was made for less, "
            f"or no grant of the policy allows it. Nothing was changed. 'tenuto user whoami' shows what the token may "
            f"do; one that is made with '{right}', or a sign-in by such a rule, may do it where a grant does."
        )
    if right in OF_CONDUCTOR:
        grant = f"'To: {caller.name}', 'Commands: {right}'"
    elif place.account == ANYWHERE:
        # The widest grant would do, and is hardly the one that is meant.
        grant = f"'To: {caller.name}', 'Commands: {right}' and the name of an account"
    else:
        grant = f"'To: {caller.name}', 'Commands: {right}', 'Accounts: {place.account}'"
    return (
        f"{caller.name} may not give the command '{right}' {place}: no grant of the policy allows it. Nothing was "
        f"changed. A grant with {grant} would; 'tenuto user whoami' shows what {caller.name} may do."
    )
