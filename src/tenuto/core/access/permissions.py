"""The rule by which a policy grants rights.

The user `root` may do everything, with or without a policy. All other users may do what a grant gives them, and
nothing more; there is no grant that takes away, so that the order of grants means nothing.
"""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from tenuto.model.access import OF_CONDUCTOR, Grant, Policy, Right

ROOT = "root"
"""The owner of the Conductor: the person who can read its credentials file."""


def permits(policy: Policy, user: str, right: Right, *, account: str = "", alias: str | None = None) -> bool:
    """Whether the user may do this to a process of that alias in that account, or to the Conductor."""
    if user == ROOT:
        return True
    return any(
        right in OF_CONDUCTOR or (_matches(account, grant.accounts) and _covers(grant, alias))
        for grant in _grants(policy, user, right)
    )


def permits_somewhere(policy: Policy, user: str, right: Right, *, account: str | None = None) -> bool:
    """Whether there can be a process at all for which it is permitted; in any account when none is named."""
    return user == ROOT or any(
        account is None or _matches(account, grant.accounts) for grant in _grants(policy, user, right)
    )


def _grants(policy: Policy, user: str, right: Right) -> Iterable[Grant]:
    return (grant for grant in policy.grants if user in grant.users and right in grant.rights)


def _covers(grant: Grant, alias: str | None) -> bool:
    """A process without an alias is covered by no pattern, not even by `*`: who names processes means named ones."""
    return grant.aliases is None or (alias is not None and _matches(alias, grant.aliases))


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
