"""A command that changes a process shows its plan, asks, and has exactly that plan executed.

Theory of operation. The plan is a dry run with its plan file, and the answer yes sends that file back: the Conductor
plans again and refuses the file when anything moved between the question and the answer. Then the difference and the
new plan are shown, and the question is put again. Three cases have no plan that could be kept to, and say so before
they ask: the process does not exist yet, it is Suspended and an update is only stored, or a job executes. An update
that is only stored is bound to the process that was shown: its state and its composition must still be the same.

`--yes` shows the plan too, and gives the command itself: no person has read the plan, so there is no reading to keep
to. A program that must have an exact plan saves one (`--dry-run -o FILE`) and executes it (`--plan FILE`).

A plan that a rule of the policy keeps for an approval is shown, and then refused as the command would be: a user need
not type a name for a command that cannot be given.

A caller who may give the command but not see plans, or whose provider does not answer, is told that the plan is not
shown, and is asked all the same: a kill must not depend on a cloud that answers.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from tenuto.cli.client.client import Client
from tenuto.cli.processes.proposing import with_reason
from tenuto.cli.render.plan import render_plan
from tenuto.cli.terminal.exits import ApiProblem, CommandEnd, Exit
from tenuto.cli.terminal.session import Session
from tenuto.errors import NotAllowedError
from tenuto.kit.visible import visible_document
from tenuto.model.command import Command
from tenuto.model.ids import JsonMap
from tenuto.model.verb import Verb
from tenuto.service.views.plan_text import GRAVEST_FIRST, is_grave

_UNSHOWN = frozenset({"permission", "provider-unavailable", "provider-refused"})
"""Problems of a dry run that do not keep the command itself from being given."""
_MOVED, _BUSY = "plan-moved", "plan-busy"
_MOST_ROUNDS = 5
"""A process that moves between five questions and answers is better suspended first."""
_MOST_NAMES = 4
"""The names in a question; the plan above it has all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A command, before the user has agreed to it.

    `send` sends a body to the request of the command, and returns the answer: with `dry_run` the plan, else the
    process. `question` ends without its mark. `name` is the word to type where a single letter is not enough.
    """

    question: str
    name: str
    body: JsonMap
    send: Callable[[JsonMap], JsonMap]
    is_stored: bool = False
    """True for a composition, which a Suspended process only stores."""
    is_ending: bool = False
    """True for a command with an effect on the process itself, also when no resource changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unshown:
    """The reason why there is no plan to show."""

    message: str


def agree(session: Session, client: Client, wish: Wish) -> JsonMap:
    """Show the plan, ask, and give the command. Returns the document of the process.

    Raises CommandEnd when the answer is no or when no person can be asked, and ApiProblem.
    """
    if session.is_yes:
        return _without_question(session, client, wish)
    if not session.asks:
        if (done := _nothing_to_ask(session, client, wish)) is not None:
            return done
        session.confirm(f"{wish.question}?")
    shown = _planned(wish)
    for _ in range(_MOST_ROUNDS):
        if isinstance(shown, Unshown):
            session.say(f"The plan is not shown: {shown.message}")
            session.confirm_by_name(f"{wish.question} without seeing its plan?", wish.name)
            return wish.send(wish.body)
        _show(session, shown)
        if _is_nothing(wish, shown):
            return _unchanged(session, client, shown)
        if shown.get("needs_approval"):
            raise NotAllowedError("The command takes the approval that its plan names. Nothing was changed.")
        _ask(session, wish, shown)
        try:
            return _given(client, wish, shown)
        except ApiProblem as problem:
            if problem.code == _BUSY:
                return _give_while_busy(session, wish, shown)
            if problem.code != _MOVED:
                raise
            _tell_moved(session, problem)
        shown = _planned(wish)
    raise _too_restless(wish)


def _nothing_to_ask(session: Session, client: Client, wish: Wish) -> JsonMap | None:
    """The process, where the command has nothing to do; None where a person has to be asked."""
    with suppress(ApiProblem):
        shown = _planned(wish)
        if not isinstance(shown, Unshown) and _is_nothing(wish, shown):
            return _unchanged(session, client, shown)
    return None


def _without_question(session: Session, client: Client, wish: Wish) -> JsonMap:
    try:
        plan = wish.send({**wish.body, "dry_run": True, "unrecorded": True})
    except ApiProblem as problem:
        # The command itself is refused with the same words, and its refusal is kept in the history.
        if problem.code in _UNSHOWN:
            session.say(f"The plan is not shown: {problem}")
        return wish.send(wish.body)
    _show(session, plan)
    return _unchanged(session, client, plan) if _is_nothing(wish, plan) else wish.send(wish.body)


def _planned(wish: Wish) -> JsonMap | Unshown:
    try:
        return wish.send({**wish.body, "dry_run": True, "unrecorded": True, "plan_file": True})
    except ApiProblem as problem:
        if problem.code not in _UNSHOWN:
            raise
        return Unshown(message=str(problem))


def _show(session: Session, plan: JsonMap) -> None:
    is_whole = session.is_full or not session.is_live
    session.say(render_plan(visible_document(plan), is_whole=is_whole), is_painted=True)


def _is_nothing(wish: Wish, plan: JsonMap) -> bool:
    """Whether the command would change nothing at all: neither the account nor the store."""
    is_known = plan["process"]["fid"] is not None
    return is_known and not wish.is_ending and bool(plan["converged"]) and not plan["new_composition"]


def _unchanged(session: Session, client: Client, plan: JsonMap) -> JsonMap:
    process = plan["process"]
    session.say(f"Nothing to do: {process['alias'] or process['fid']} is as declared.")
    return client.get("processes", process["fid"])


def _given(client: Client, wish: Wish, plan: JsonMap) -> JsonMap:
    """Have exactly the plan executed, or the composition stored in the very process that was shown.

    Raises ApiProblem when the plan, or the process, is not as it was shown.
    """
    process = plan["process"]
    if process["fid"] is None or process["lock"]:
        # The lock refuses plans; the command itself, when it was let pass, only says again what the process has.
        return wish.send(wish.body)
    if _is_only_stored(wish, plan):
        return wish.send({**wish.body, "shown": plan["plan_file"]["facts"]["process"]})
    body = with_reason({"plan": plan["plan_file"]}, wish.body.get("reason"))
    return client.post("processes", process["fid"], "execute", body=body)


def _is_only_stored(wish: Wish, plan: JsonMap) -> bool:
    return wish.is_stored and plan["process"]["state"] == "Suspended"


def _ask(session: Session, wish: Wish, plan: JsonMap) -> None:
    """Ask with the counts of the plan. A plan that loses data, or deletes much, is confirmed by name."""
    question = f"{wish.question}? {counts_text(plan)}"
    if _is_only_stored(wish, plan):
        question = f"{question} {_stored_words(plan)}"
    if is_grave(plan):
        session.confirm_by_name(question, wish.name)
    else:
        session.confirm(question)


def _stored_words(plan: JsonMap) -> str:
    if plan["process"]["goes_on_with"] == Command.KILL:
        return (
            "The process is Suspended in the middle of its kill: the composition is stored, 'resume' cancels the kill "
            "and applies it, and 'kill' goes on with the kill."
        )
    return "The process is Suspended: the composition is stored, and 'resume' applies it."


def counts_text(plan: JsonMap) -> str:
    """`1 modify, 1 REPLACE (Disk).`: destructive operations come in capitals, with the names of those that hold
    data."""
    found = [verb for verb in GRAVEST_FIRST if plan["summary"][verb.value]]
    parts = [f"{plan['summary'][verb.value]} {_word(verb)}{_names(plan, verb)}" for verb in found]
    return f"{', '.join(parts) or 'No resource changes'}."


def _word(verb: Verb) -> str:
    return verb.value.upper() if verb in (Verb.REPLACE, Verb.DELETE) else verb.value


def _names(plan: JsonMap, verb: Verb) -> str:
    """The resources that hold data, of those that this verb is about."""
    data = set(plan["loses_data"])
    names = [one["logical_id"] for one in plan["operations"] if one["op"] == verb and one["logical_id"] in data]
    if not names:
        return ""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f" (data: {', '.join(names[:_MOST_NAMES])}{more})"


def _give_while_busy(session: Session, wish: Wish, plan: JsonMap) -> JsonMap:
    session.say(
        "A job of the process is executing, so the plan that was shown cannot be kept to: what the job does until "
        "then is not in it."
    )
    question = f"{wish.question} all the same, and let the next job plan what is left?"
    if is_grave(plan):
        session.confirm_by_name(question, wish.name)
    else:
        session.confirm(question)
    return wish.send(wish.body)


def _tell_moved(session: Session, problem: ApiProblem) -> None:
    lines = [f"  {line}" for line in visible_document(problem.document.get("moved", ()))]
    session.say("\n".join(["The plan has changed since it was shown, and nothing was done:", *lines, ""]))


def _too_restless(wish: Wish) -> CommandEnd:
    return CommandEnd(
        Exit.FAILED,
        f"Nothing was done: the process changed after each of {_MOST_ROUNDS} questions. Suspend it first "
        f"('tenuto suspend {wish.name}'), or give the command with --yes.",
    )
