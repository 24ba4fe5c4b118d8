"""A plan as people and programs see it: the JSON shape of dry runs, of `plan` and of plans in the history."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from tenuto.compositions.checks.managed import Through
from tenuto.core.language.resolve import referenced_resources
from tenuto.core.planning.comparing.left_behind import OWN_PATHS
from tenuto.model.composition import Composition
from tenuto.model.delta import Change
from tenuto.model.ids import Json, JsonMap, TypeName
from tenuto.model.plan import IgnoredDrift, Operation, Plan, Planning, Wait
from tenuto.model.process import Process
from tenuto.model.rate import Bill
from tenuto.model.resource import ResourceType
from tenuto.model.verb import Verb, WaitKind
from tenuto.service.commands.exports_in_use import Follower
from tenuto.service.commands.taken_values import TakenValue
from tenuto.service.commands.told_by_reader import IsSeen
from tenuto.service.common.value_leaves import leaves_of
from tenuto.service.common.values import masked, secret_names, time_text
from tenuto.service.views.process_view import goes_on_with

PLAN_VERSION = 1
"""Raised when a key changes its meaning or goes; new keys do not raise it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanView:
    """A planning, with the process as it is and the composition it was planned for.

    `is_new`: the process does not exist (the dry run of `run`), so its FID means nothing. `file` is the plan file of a
    dry run. `facts` are the types of its operations. `followers` tell which other processes follow it, and `taken`
    which of them have a value that a resource needs alone.
    """

    planning: Planning
    process: Process
    composition: Composition | None
    bill: Bill = field(default_factory=Bill)
    through: tuple[Through, ...] = ()
    facts: Mapping[TypeName, ResourceType] = field(default_factory=dict)
    followers: tuple[Follower, ...] = ()
    taken: tuple[TakenValue, ...] = ()
    is_new: bool = False
    file: JsonMap | None = None


def plan_document(view: PlanView, is_seen: IsSeen = lambda _: False) -> JsonMap:
    """The whole view as JSON. Always the same keys; the same planning gives the same document.

    `is_seen` tells of other processes whether the reader may see them: the others are counted and not named.
    """
    planning, process = view.planning, view.process
    secrets = secret_names(view.composition)
    document = dict(operations_document(planning.plan, secrets))
    document["operations"] = [_with_leaves(one) for one in document["operations"]]
    document["process"] = {
        "fid": None if view.is_new else process.fid,
        "alias": process.alias,
        "state": None if view.is_new else process.state.value,
        "goes_on_with": goes_on_with(process),
        "account": process.partition.account,
        "region": process.partition.region,
        "lock": process.is_locked,
    }
    failed = [wait for wait in planning.waits if wait.kind is WaitKind.FAILED]
    return document | {
        "converged": planning.is_converged,
        "new_composition": view.composition is not None and view.composition.digest != process.composition_digest,
        "held": planning.held or None,
        "drift": [_operation(operation, secrets) for operation in planning.drift],
        "ignored": [_ignored(one, secrets) for one in planning.ignored],
        "loses_data": [
            one.logical_id
            for one in planning.plan.operations
            if one.is_destructive and one.type in view.facts and view.facts[one.type].bears_data
        ],
        "waits": [_wait(wait) for wait in planning.waits],
        "errors": [{"logical_id": wait.logical_id, "message": wait.message} for wait in failed],
        "bill": bill_document(view.bill),
        "through": [
            {"interface": one.interface, "resources": list(one.resources), "message": one.text} for one in view.through
        ],
        "warnings": [
            *_warnings(planning),
            *_answers(view),
            *({"logical_id": None, "message": one.text(is_seen)} for one in view.followers),
            *({"logical_id": one.logical_id, "message": one.text(is_seen)} for one in view.taken),
        ],
    }


def _warnings(planning: Planning) -> Iterator[JsonMap]:
    if planning.held:
        yield {"logical_id": None, "message": f"The plan is held: {planning.held}"}
    deleted = {one.logical_id for one in planning.plan.operations if one.verb is Verb.DELETE}
    for one in planning.plan.operations:
        lost = [name for name in one.depends_on if name in deleted]
        if one.verb is Verb.RELEASE and lost:
            verb, them = ("is", "it") if len(lost) == 1 else ("are", "them")
            yield {
                "logical_id": one.logical_id,
                "message": f"{one.logical_id} stays, but {', '.join(lost)}, which it needs, {verb} deleted. "
                f"Without {them}, {one.logical_id} may not work: 'DeletionPolicy: Retain' keeps {them}, too.",
            }


def _answers(view: PlanView) -> Iterator[JsonMap]:
    """The resources that may follow an answer. Only the change itself brings that, so no plan can show it before."""
    users: dict[str, list[str]] = {}
    if view.composition is not None and any(facts.tells_all for facts in view.facts.values()):
        for user in view.composition.resources:
            for name in referenced_resources(user.properties):
                users.setdefault(name, []).append(user.logical_id)
    for one in view.planning.plan.operations:
        is_asked = one.verb is Verb.MODIFY and any(change.path not in OWN_PATHS for change in one.changes)
        facts = view.facts.get(one.type)
        if not is_asked or facts is None or not facts.tells_all:
            continue
        if own := users.get(one.logical_id):
            verb = "refers" if len(own) == 1 else "refer"
            message = (
                f"{', '.join(own)} {verb} to {one.logical_id}, which answers anew when it is changed. Where the "
                "answer is another one, the next job changes what refers to it."
            )
            yield {"logical_id": one.logical_id, "message": message}


def _with_leaves(operation: JsonMap) -> JsonMap:
    """The operation with the leaves that differ in each change of a value that was there."""
    changes = [
        {**one, "leaves": list(leaves_of(one["path"], one["before"], one["after"]))}
        if one["before"] is not None and one["after"] is not None
        else one
        for one in operation["changes"]
    ]
    return {**operation, "changes": changes}


def facts_of(plan: Plan, types: Mapping[TypeName, ResourceType]) -> dict[TypeName, ResourceType]:
    """The types of the operations of a plan. A provider answers for names of types that it does not list, too."""
    found = {one.type: types.get(one.type) for one in plan.operations}
    return {name: facts for name, facts in found.items() if facts is not None}


def operations_document(plan: Plan, secrets: Collection[str]) -> JsonMap:
    """The part of a plan that is stored with it."""
    return {
        "version": PLAN_VERSION,
        "plan_id": plan.plan_id,
        "command": plan.command,
        "observed_at": time_text(plan.observed_at),
        "summary": plan.summary,
        "waves": [list(wave.types) for wave in plan.waves],
        "operations": [_operation(operation, secrets) for operation in plan.operations],
    }


def bill_document(bill: Bill) -> JsonMap:
    """Calls that change something, and the least seconds that they take; by API, the one that takes longest first.

    `or_more` is true where the number of calls is the least one, since some values are not known yet.
    """
    return {
        "calls": bill.calls,
        "or_more": bill.or_more,
        "least_s": round(bill.least_s, 1),
        "apis": [
            {"api": line.api, "calls": line.calls, "or_more": line.or_more, "least_s": round(line.least_s, 1)}
            for line in bill.lines
        ],
    }


def _operation(operation: Operation, secrets: Collection[str]) -> JsonMap:
    position = operation.position
    return {
        "op": operation.verb.value,
        "type": operation.type,
        "logical_id": operation.logical_id,
        "id": operation.physical_id,
        "destructive": operation.is_destructive,
        "reason": operation.reason,
        "changes": [_change(change, secrets) for change in operation.changes],
        "depends_on": list(operation.depends_on),
        "source": {"file": position.file, "line": position.line} if position else None,
    }


def _ignored(drift: IgnoredDrift, secrets: Collection[str]) -> JsonMap:
    return {
        "type": drift.type,
        "logical_id": drift.logical_id,
        "id": drift.physical_id,
        "changes": [_change(change, secrets) for change in drift.changes],
        "moved_by": list(drift.moved_by),
    }


def _change(change: Change, secrets: Collection[str]) -> JsonMap:
    def side(value: Json, *, is_there: bool) -> Json:
        return masked(value, secrets) if is_there else None

    return {
        "path": change.path,
        "before": side(change.before, is_there=change.has_before),
        "after": side(change.after, is_there=change.has_after),
        "forces_replacement": change.forces_replacement,
        **({"may_interrupt": True} if change.may_interrupt and not change.forces_replacement else {}),
        **({"stays": True} if change.stays else {}),
    }


def _wait(wait: Wait) -> JsonMap:
    return {
        "kind": wait.kind.value,
        "logical_id": wait.logical_id,
        "message": wait.message,
    }
