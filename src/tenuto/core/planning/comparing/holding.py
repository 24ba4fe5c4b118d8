"""Holding: whether a resource holds a text of an export, or may have held it before the change that is under way.

Theory of operation. A composition that a process stores, or has begun to carry out, says nothing of its resources yet.
Until the process has converged, a resource counts as an importer that holds a text of an incarnation behind an export:
an answer of it, or the whole value. A resource that is on its way had other properties before, and its thing may have
them still. The plans since the process converged last tell the values that they changed.

Rejected: to record with each object the exports that it was made with. Every change would write more, for a question
that few processes are asked.
"""

import base64
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Protocol

from tenuto.core.language.expressions import texts_in
from tenuto.core.language.resolve import is_resolved, open_expressions, referenced_resources, resolved
from tenuto.core.planning.comparing.imports import exports_of
from tenuto.core.planning.comparing.references import environment, reference_of
from tenuto.lifecycles import roles
from tenuto.model.composition import Composition
from tenuto.model.ids import Fid, Instant, Json, LogicalId, ObjectId, PlanId
from tenuto.model.job import Job
from tenuto.model.outcome import Context
from tenuto.model.plan import Plan, StepKind
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject

_SHORTEST = 8
"""The letters of a value that is recognised inside a longer text: an id has more, and `dev` is part of many."""
_SHORTEST_OPEN = 4
"""The same, where the resource is known to have an earlier value of an export: a short id is enough then."""
_SAYING = frozenset({StepKind.MAKE, StepKind.ADOPT, StepKind.CHANGE})
"""The steps that give an object its properties."""

EarlierPlans = Callable[[Process], Iterable[Plan]]
"""The plans of a process since it converged last."""


class _Jobs(Protocol):
    @property
    def jobs(self) -> Sequence[Job]: ...


class PlanReads(Protocol):
    """The reads of a store that tell of plans."""

    def plan(self, plan_id: PlanId) -> Plan | None: ...

    def history(self, fid: Fid, *, start: Instant | None = None) -> _Jobs: ...


def earlier_plans(store: PlanReads) -> EarlierPlans:
    """The plans that a store tells of, which raises StoreError."""

    def told(process: Process) -> Iterator[Plan]:
        if process.unconverged_at is None:
            return
        for job in store.history(process.fid, start=process.unconverged_at).jobs:
            plan = store.plan(job.plan_id) if job.plan_id is not None else None
            if plan is not None:
                yield plan

    return told


def exported_texts(
    process: Process, composition: Composition, objects: Iterable[ManagedObject], context: Context
) -> dict[str, frozenset[str]]:
    """The texts by which the resources behind each export are recognised: those of all incarnations that stand, since
    an importer may still use an earlier one."""
    standing = [one for one in objects if one.physical_id is not None and not roles.has_ended(one)]
    return {
        name: frozenset[str]().union(
            *(texts_of(process, value, one, standing, context) for one in behind(value, standing))
        )
        for name, value in exports_of(process, composition, context).items()
    }


def behind(value: Json, objects: Iterable[ManagedObject]) -> list[ManagedObject]:
    """The incarnations at the addresses that an export refers to."""
    names = referenced_resources(value)
    return [one for one in objects if one.logical_id in names]


def texts_of(
    process: Process, value: Json, found: ManagedObject, others: Iterable[ManagedObject], context: Context
) -> frozenset[str]:
    """The texts of an export by which one incarnation behind it is recognised: its answers in it, and the whole.

    An attribute that was declared, such as a port, is the same of other resources, and tells of none.
    """
    own = environment(process, [found], context, {})
    answers: set[str] = set()
    for one in open_expressions(value):
        if one.name == found.logical_id:
            is_attribute = one.kind == "Fn::GetAtt"
            call: Json = {one.kind: [one.name, one.attribute] if is_attribute else one.name}
            common = {text for text in texts_in(found.desired) if is_attribute and text != reference_of(found)}
            answers |= _said(resolved(call, own)) - common
    beside = {one.logical_id: one for one in others} | {found.logical_id: found}
    whole = _said(resolved(value, environment(process, beside.values(), context, {})))
    return frozenset(answers | whole if answers else answers)


def answers_of(found: ManagedObject) -> frozenset[str]:
    """The texts by which an incarnation is recognised of which no declaration tells any more: all of its answers, but
    for those that were declared."""
    reference, declared = reference_of(found), frozenset(texts_in(found.desired))
    return (frozenset(texts_in(found.attributes)) - declared) | frozenset(texts_in(reference))


def _said(value: Json) -> frozenset[str]:
    return frozenset(texts_in(value)) if is_resolved(value) else frozenset()


class Holders:
    """The resources of a process that is not where its composition wants it, by the texts that they were made with."""

    def __init__(self, process: Process, objects: Iterable[ManagedObject], plans: EarlierPlans) -> None:
        self._process = process
        self._objects = tuple(one for one in objects if not roles.has_ended(one))
        self._plans = plans
        self._before: dict[ObjectId, list[str]] | None = None

    def of(self, texts: Collection[str]) -> tuple[LogicalId, ...]:
        """The resources that hold one of the texts, or may have held it before the change that is under way."""
        if self._process.converged_at is not None or not texts:
            return ()
        names = (one.logical_id for one in self._objects if self._is_holding(one, texts))
        return tuple(dict.fromkeys(names))

    def naming(self, texts: Collection[str]) -> frozenset[LogicalId]:
        """The resources of which a desired property holds one of the texts, also a short one."""
        held = (one for one in self._objects if _is_in(texts, texts_in(one.desired), _SHORTEST_OPEN))
        return frozenset(one.logical_id for one in held)

    def _is_holding(self, found: ManagedObject, texts: Collection[str]) -> bool:
        if _is_in(texts, texts_in(found.desired)):
            return True
        if found.is_settled or found.physical_id is None:
            return False
        before = self._earlier().get(found.object_id)
        if before is None:
            # Of a change that no kept plan tells of, the earlier values are not known. A deletion changes none.
            return not roles.is_being_deleted(found)
        return _is_in(texts, before)

    def _earlier(self) -> dict[ObjectId, list[str]]:
        """The texts that the plans have changed, by object. An object without any was made by them."""
        if self._before is None:
            self._before = {}
            for plan in self._plans(self._process):
                for step in plan.steps:
                    if step.kind in _SAYING:
                        self._before.setdefault(step.object_id, [])
                for operation in plan.operations:
                    if operation.object_id in self._before:
                        told = (text for change in operation.changes for text in texts_in(change.before))
                        self._before[operation.object_id] += told
        return self._before


def _is_in(values: Collection[str], texts: Iterable[str], shortest: int = _SHORTEST) -> bool:
    return any(
        text == value or (len(value) >= shortest and value in text)
        for given in texts
        for text in _readings(given)
        for value in values
    )


def _readings(text: str) -> Iterator[str]:
    """The text, and the one that it encodes in Base64, as user data does."""
    yield text
    with suppress(ValueError):
        yield base64.b64decode(text, validate=True).decode()
