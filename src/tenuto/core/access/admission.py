"""Admission says which command a process allows in which state, and which rights a policy gives to a user.

The first is the process model (DECISIONS 1 and 5). The second is the rule by which a policy grants rights. The user
`root` may do everything, with or without a policy. All other users have the rights that a grant gives them, and no
more; there is no grant that takes away, so that the order of grants means nothing.
"""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from tenuto.errors import NotAllowedError
from tenuto.model.access import OF_CONDUCTOR, ROOT, Grant, Policy, Right
from tenuto.model.command import Command, ProcessState
from tenuto.model.process import Process

_RUNNING, _SUSPENDED, _KILLING = ProcessState.RUNNING, ProcessState.SUSPENDED, ProcessState.KILLING

ALLOWED_IN: Mapping[Command, frozenset[ProcessState]] = {
    Command.RUN: frozenset(),
    Command.UPDATE: frozenset({_RUNNING, _SUSPENDED}),
    Command.SUSPEND: frozenset({_RUNNING, _KILLING}),
    Command.RESUME: frozenset({_SUSPENDED}),
    Command.KILL: frozenset({_RUNNING, _SUSPENDED}),
    Command.RELEASE: frozenset({_RUNNING, _SUSPENDED}),
    Command.RETRY: frozenset({_RUNNING, _SUSPENDED}),
    Command.PROPERTY: frozenset({_RUNNING, _SUSPENDED, _KILLING}),
}
"""`run` is in no state: it makes a new process, and never acts on one that exists."""

_HINTS: Mapping[tuple[Command, ProcessState], str] = {
    (Command.RESUME, _KILLING): "To cancel the kill, 'suspend' it first, then 'resume'.",
    (Command.RESUME, _RUNNING): "It runs already; 'retry' clears failed phases.",
    (Command.SUSPEND, _SUSPENDED): "It is suspended already.",
    (Command.KILL, _KILLING): "It is being killed already; 'suspend' pauses that.",
    (Command.UPDATE, _KILLING): "To cancel the kill, 'suspend' it first, then 'update' and 'resume'.",
    (Command.RELEASE, _KILLING): "'suspend' it first, then 'release'.",
    (Command.RETRY, _KILLING): "'suspend' it, then 'kill' again: that clears failed phases.",
}


def allowed_in(state: ProcessState) -> tuple[Command, ...]:
    """The commands that people can give to a process in this state, in the order of `Command`."""
    return tuple(command for command in Command if state in ALLOWED_IN[command])


def admit(command: Command, process: Process, *, passes_lock: bool = False) -> None:
    """Raise NotAllowedError unless the process takes the command now.

    `passes_lock` says that the lock does not refuse the command: it turns the lock off, or changes nothing.
    """
    name = process.alias or process.fid
    if process.state not in ALLOWED_IN[command]:
        allowed = ", ".join(allowed_in(process.state)) or "nothing, it is gone"
        hint = _HINTS.get((command, process.state), "")
        raise NotAllowedError(
            f"Process {name} is {process.state} and does not take '{command}'. "
            f"Allowed while {process.state}: {allowed}.{' ' + hint if hint else ''}"
        )
    if process.releasing is not None and command is Command.UPDATE:
        raise NotAllowedError(
            f"Process {name} is being released and does not take 'update': its resources are released one by one. "
            "'release' goes on with it, 'kill' deletes what is left."
        )
    if process.is_locked and not passes_lock:
        raise NotAllowedError(
            f"Process {name} is locked; '{command}' is not allowed. "
            f"Unlock it first: 'tenuto property {name} lock --set off'."
        )


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
