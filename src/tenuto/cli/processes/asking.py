"""Questions about things that the Conductor holds: a thing that is not there is told before a question about it."""

from tenuto.cli.client.client import Client
from tenuto.cli.terminal.exits import ApiProblem, Exit, exit_for
from tenuto.cli.terminal.session import Session
from tenuto.errors import NotFoundError
from tenuto.kit.nearest import meant
from tenuto.model.ids import JsonMap

_ANY_PROPERTY = "lock"
"""Every process has it, and it is a short answer, however large the process is."""


def ask_about(session: Session, client: Client, question: str, *path: str, **query: str) -> None:
    """Ask, after a read of `path`, the thing that the question is about.

    Raises ApiProblem when there is no such thing, and CommandEnd as `Session.confirm` does. Where no
    question is put, nothing is read: with `-y` the command itself is refused with the same words.
    """
    if session.asks:
        _read(client, *path, **query)
    session.confirm(question)


def ask_about_process(
    session: Session, client: Client, question: str, process: str, resources: tuple[str, ...] = ()
) -> None:
    """Ask about a process, and about resources of it that are named. Raises as `ask_about`, and NotFoundError."""
    if resources and session.asks:
        _check_resources(process, resources, _read(client, "processes", process))
    elif session.asks:
        check_process(client, process)
    session.confirm(question)


def check_process(client: Client, process: str) -> None:
    """Raise ApiProblem when there is no such process. One that the caller may not see passes."""
    _read(client, "processes", process, "properties", _ANY_PROPERTY)


def ask_about_user(session: Session, client: Client, question: str, user: str) -> None:
    """Ask about a user of the policy. Raises as `ask_about`, and NotFoundError."""
    found = _read(client, "users") if session.asks else None
    if found is not None:
        users = [str(one["name"]) for one in found["users"]]
        if user not in users:
            raise NotFoundError(
                f"There is no user {user!r} in the policy.{meant(user, users)} 'tenuto user list' shows them."
            )
    session.confirm(question)


def _read(client: Client, *path: str, **query: str) -> JsonMap | None:
    """The thing; None when the caller may not see it, which does not mean that they may not change it."""
    try:
        return client.get(*path, **query)
    except ApiProblem as problem:
        if exit_for(problem.code) is not Exit.PERMISSION:
            raise
        return None


def _check_resources(process: str, resources: tuple[str, ...], found: JsonMap | None) -> None:
    known = resources if found is None else found["resources"]
    missing = [name for name in resources if name not in known]
    if missing:
        raise NotFoundError(
            f"Process {process} has no resource {', '.join(missing)}.{meant(missing[0], known)} "
            f"'tenuto status {process}' lists its resources."
        )
