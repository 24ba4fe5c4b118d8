"""One run of one phase, as the plugin sees it.

The run collects verdicts and writes; nothing of it is stored before `handle` has returned or raised, except by
`checkpoint`. The plugin works on copies, so that no reader can see its changes half done between two saves. Beside the
methods of `ports.phase.PhaseRun` there are the handler names of the specification (`record.SpecificationNames`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from tenuto.conductor.phases.shell import Shell
from tenuto.conductor.providing.sound_ops import sound_op
from tenuto.core.phases.record import Record, ResourceView, SpecificationNames, copied
from tenuto.core.phases.verdicts import Complete, Fail, Result, Sleep, Verdict
from tenuto.errors import ProviderError, StoreError, TransientError
from tenuto.kit.well_formed import text_of, well_formed
from tenuto.lifecycles.roles import serves, table_of
from tenuto.model.attempt import Attempt
from tenuto.model.ids import Instant, Json, ObjectId, Partition, PhaseName, PhysicalId
from tenuto.model.outcome import Op
from tenuto.model.phase_map import seconds_problem
from tenuto.model.resource import ManagedObject
from tenuto.ports.phase import PhaseResource
from tenuto.ports.programs import Programs

_SHOWN = 60
"""Characters of a wrong value that a message shows: enough to find it in the plugin."""

_log = structlog.get_logger("tenuto.phases")


class RunResource(ResourceView):
    """One object in a run (`ports.phase.PhaseResource`). Reading `node["X"]` falls back to the declared property X."""

    def __init__(self, object: ManagedObject, phase: PhaseName) -> None:  # noqa: A002
        super().__init__(object)
        self.entry = object.phases[phase]
        self.data = Record.copy_of(self.entry.data)
        self.act = self.entry.act
        self._kept: set[str] = set()

    def __setitem__(self, name: str, value: Json) -> None:
        self.attributes[name] = value

    def set_string(self, name: str, value: str) -> None:
        self[name] = str(value)

    def changed_attributes(self) -> tuple[dict[str, Json], tuple[str, ...]]:
        """The attributes that got another value, and those that were deleted. Raises TypeError for a value that is not
        JSON."""
        if self._attributes is None:
            return {}, ()
        before = self.object.attributes
        after = Record.copy_of(self._attributes)
        changed = {
            name: value
            for name, value in after.items()
            if name in self._kept or name not in before or before[name] != value
        }
        return changed, tuple(name for name in (*before, *sorted(self._kept - before.keys())) if name not in after)

    def keep(self) -> None:
        """Count the changes so far as stored: a change back is a change as well then."""
        changed, removed = self.changed_attributes()
        self._kept.update(changed, removed)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutlets:
    """The services of the engine that a run needs while the plugin works."""

    save: Callable[[Sequence[Result]], None]
    """Store the writes of the plugin so far, in one transaction. Raises StoreError."""
    is_canceled: Callable[[ObjectId], bool]
    programs: Callable[[ManagedObject], Programs | None] = lambda _: None
    """The programs in the machine of an object; None where its provider runs none."""


class PluginRun(SpecificationNames):
    """One run. Implements `ports.phase.PhaseRun`."""

    def __init__(
        self,
        *,
        phase: PhaseName,
        partition: Partition,
        now: Instant,
        objects: Sequence[ManagedObject],
        outlets: RunOutlets,
        acts: bool = True,
    ) -> None:
        self.phase: str = phase
        self.partition = partition
        self.now = now
        self.ops: list[Op] = []
        self._own = {found.object_id: RunResource(found, phase) for found in objects}
        self.resources: Sequence[PhaseResource] = tuple(self._own.values())
        self._verdicts: dict[ObjectId, Verdict] = {}
        self._messages: dict[ObjectId, str] = {}
        self._checkpointed: set[ObjectId] = set()
        self._outlets = outlets
        self._acts = acts

    def complete(self, resources: PhaseResource | Iterable[PhaseResource]) -> None:
        for resource in self._known(resources, "complete"):
            self._judge(resource, Complete())

    def fail(
        self,
        resource: PhaseResource,
        message: str,
        *,
        code: str = "",
        request_id: str = "",
        is_acknowledged: bool = False,
        keeps_state: bool = False,
    ) -> None:
        verdict = Fail(
            message=self._words(message, "fail") or f"phase {self.phase} failed it, and gave no reason",
            code=text_of(code),
            request_id=text_of(request_id),
            is_acknowledged=is_acknowledged,
            keeps_state=keeps_state,
        )
        for known in self._known(resource, "fail"):
            self._judge(known, verdict)

    def sleep(
        self,
        resource: PhaseResource,
        seconds: float | None = None,
        message: str = "",
        *,
        code: str = "",
        request_id: str = "",
    ) -> None:
        if seconds is not None and (problem := seconds_problem(seconds)):
            raise ValueError(f"phase {self.phase} called run.sleep for {problem}")
        words = self._words(message, "sleep")
        verdict = Sleep(seconds=seconds, message=words, code=text_of(code), request_id=text_of(request_id))
        for known in self._known(resource, "sleep"):
            self._judge(known, verdict)

    def message(self, resource: PhaseResource, text: str) -> None:
        words = self._words(text, "message")
        for known in self._known(resource, "message"):
            self._messages[known.object.object_id] = words

    def data(self, resource: PhaseResource) -> Record:
        """Raises KeyError for an object that is not in this run."""
        return self._own[self._id_of(resource, "data")].data

    def checkpoint(self, resources: PhaseResource | Iterable[PhaseResource]) -> None:
        known = self._known(resources, "checkpoint")
        self._checkpointed.update(resource.object.object_id for resource in known)
        self._outlets.save([self._written(resource, Sleep()) for resource in known])
        for resource in known:
            resource.keep()

    def is_canceled(self, resource: PhaseResource) -> bool:
        return self._outlets.is_canceled(self._id_of(resource, "is_canceled"))

    def remote(self, resource: PhaseResource) -> Shell:
        """Raises KeyError for an object that is not in this run."""
        machine = self._own[self._id_of(resource, "remote")].object
        return Shell(machine, PhaseName(self.phase), self._outlets.programs(machine))

    def record(self, op: Op) -> None:
        sound = sound_op(op)
        if sound is None:
            _log.warning("op.refused", phase=self.phase, kind=type(op).__name__)
        else:
            self.ops.append(sound)

    # The handler names of the specification.

    def get_resources(self) -> Sequence[PhaseResource]:
        return self.resources

    def set_completed(self, resources: PhaseResource | Iterable[PhaseResource]) -> None:
        self.complete(resources)

    def set_failed(self, resource: PhaseResource, message: str) -> None:
        self.fail(resource, message)

    def set_sleeping(self, resource: PhaseResource, seconds: float | None = None) -> None:
        self.sleep(resource, seconds)

    def set_message(self, resource: PhaseResource, text: str) -> None:
        self.message(resource, text)

    def get_resource_phase_data(self, resource: PhaseResource) -> Record:
        return self.data(resource)

    def results(self, error: Exception | None = None) -> tuple[Result, ...]:
        """One result per object. `error` is the exception of the plugin: the verdict of all that had no final one."""
        return tuple(self._result(resource, error) for resource in self._own.values())

    def _result(self, resource: RunResource, error: Exception | None) -> Result:
        verdict = self._verdicts.get(resource.object.object_id)
        if error is not None and (verdict is None or isinstance(verdict, Sleep)):
            verdict = _verdict_of(error, verdict, resource.object)
        try:
            return self._written(resource, verdict or Sleep())
        except Exception as unstorable:  # noqa: BLE001 - a plugin's own mapping may raise anything when it is copied
            failed = Fail(
                message=f"phase {self.phase} wrote something that cannot be stored: {text_of(unstorable)}",
                keeps_state=serves(resource.object),
            )
            given: object = resource.physical_id
            physical_id = PhysicalId(well_formed(given)) if isinstance(given, str) else resource.object.physical_id
            return Result(
                object_id=resource.object.object_id,
                entry=resource.entry,
                verdict=failed,
                physical_id=physical_id,
                sets_physical_id=physical_id != resource.object.physical_id,
                is_touched=self._is_touched(resource, failed),
            )

    def _written(self, resource: RunResource, verdict: Verdict) -> Result:
        object_id = resource.object.object_id
        text = self._messages.get(object_id, "")
        if isinstance(verdict, Complete):
            verdict = Complete(message=text)
        attributes, removed = resource.changed_attributes()
        data = copied(_of_kind(resource.data, Mapping, "run.data(resource)"))
        act = _of_kind(resource.act, Attempt, "resource.act")
        physical_id = _of_kind(resource.physical_id, (str, type(None)), "resource.physical_id")
        if physical_id is not None:
            physical_id = PhysicalId(well_formed(physical_id))
        return Result(
            object_id=object_id,
            entry=resource.entry,
            verdict=verdict,
            message=text,
            data=data if data != resource.entry.data or object_id in self._checkpointed else None,
            act=None if act is resource.entry.act else act,
            attributes=attributes,
            removed=removed,
            physical_id=physical_id,
            sets_physical_id=physical_id != resource.object.physical_id,
            is_touched=self._is_touched(resource, verdict),
        )

    def _is_touched(self, resource: RunResource, verdict: Verdict) -> bool:
        """Whether older sweeps of the real thing are out of date. Validation asks, and changes nothing."""
        object_id = resource.object.object_id
        if not self._acts or resource.entry.state in table_of(resource.object).reading:
            return False
        if object_id in self._checkpointed:
            return True
        if isinstance(verdict, Complete | Fail) and not resource.entry.is_upkeep:
            return True  # Most rounds of upkeep only look; if each made the sweeps old, no drift would be seen.
        return any(object_id in op.object_ids for op in self.ops)

    def _judge(self, resource: RunResource, verdict: Verdict) -> None:
        object_id = resource.object.object_id
        earlier = self._verdicts.get(object_id)
        if earlier is not None and type(earlier) is not type(verdict):
            _log.warning(
                "phase.verdict_replaced",
                phase=self.phase,
                resource=resource.name,
                earlier=type(earlier).__name__,
                verdict=type(verdict).__name__,
            )
        self._verdicts[object_id] = verdict

    def _known(self, resources: PhaseResource | Iterable[PhaseResource], act: str) -> list[RunResource]:
        """Return the resources that are in this run. Any other is logged and ignored: raising would fail them all."""
        given: list[Any] = [resources]
        if isinstance(resources, Iterable) and not isinstance(resources, str):
            given = list(resources)
        known: list[RunResource] = []
        for resource in given:
            own = self._own.get(self._id_of(resource, act))
            if own is not None and own is resource:
                known.append(own)
            else:
                name = str(resource.object.logical_id)
                _log.warning("phase.unknown_resource", phase=self.phase, act=act, resource=name)
        return known

    def _id_of(self, resource: object, act: str) -> ObjectId:
        """The id of the resource's object. Raises TypeError, which fails the phase, for a value that is no resource."""
        found = getattr(resource, "object", None)
        if isinstance(found, ManagedObject):
            return found.object_id
        raise TypeError(
            f"phase {self.phase} called run.{act} with {_shown(resource)}, which is no resource; "
            "give run.resources, or one of them"
        )

    def _words(self, given: object, act: str) -> str:
        """The words that a plugin gave for people: a text, or an error that it met."""
        if given is None or isinstance(given, str | BaseException):
            return text_of(given)
        return f"phase {self.phase} called run.{act} with {_shown(given)} in place of a text"


def _shown(given: object) -> str:
    """The value that a plugin gave, for a message: a short text or number as it is, of anything else its kind."""
    if given is None or isinstance(given, str | int | float):
        return well_formed(repr(given))[:_SHOWN]
    return f"a value of the kind {type(given).__name__}"


def _of_kind(given: Any, kind: type | tuple[type, ...], name: str) -> Any:
    """The value that a plugin may have replaced. Raises TypeError when it is of another kind."""
    if isinstance(given, kind):
        return given
    raise TypeError(f"{name} was replaced by {_shown(given)}")


def _verdict_of(error: Exception, verdict: Verdict | None, found: ManagedObject) -> Verdict:
    """The verdict for an object that was not completed or failed before an exception.

    A fault that goes away by itself never fails a phase (DECISIONS 4), nor does a store that could not save an intent.
    Any other error tells of the plugin and not of the thing: a thing that serves is not cleaned up for it.
    """
    text = text_of(error)
    if isinstance(error, StoreError):
        return verdict or Sleep(message=f"the store could not save its progress: {text}")
    if isinstance(error, TransientError):
        return verdict or Sleep(message=text, code=text_of(error.code), request_id=text_of(error.request_id))
    if isinstance(error, ProviderError):
        code, request_id = text_of(error.code), text_of(error.request_id)
        return Fail(message=text, code=code, request_id=request_id, keeps_state=serves(found))
    return Fail(message=text, code=type(error).__name__, keeps_state=serves(found))
