"""A call about machines as a run of a phase: the verdicts become outcomes of the provider port.

Theory of operation. The phases of instances tell their verdicts to a run. A node walks through the phases of every
resource instead, which ask the provider and expect an outcome for each request. So one code does the work for both:
a call is given to it as a run, and each verdict is kept as the outcome that means the same.
"""

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field

from tenuto.errors import BugError
from tenuto.model.attempt import UNTRIED, Attempt
from tenuto.model.ids import Instant, Json, ObjectId, Partition, PhysicalId
from tenuto.model.outcome import Done, Op, Outcome, Pending, Refused
from tenuto.model.resource import ManagedObject
from tenuto.ports.phase import PhaseResource, RemoteShell


@dataclass(slots=True, kw_only=True)
class AskedMachine:
    """One machine of a call. Implements `ports.phase.PhaseResource`."""

    object: ManagedObject
    attributes: MutableMapping[str, Json]
    data: MutableMapping[str, Json] = field(default_factory=dict)
    physical_id: PhysicalId | None = None
    act: Attempt = UNTRIED

    def __getitem__(self, name: str) -> Json:
        return self.attributes[name] if name in self.attributes else self.object.desired[name]

    def __setitem__(self, name: str, value: Json) -> None:
        self.attributes[name] = value


class Asking:
    """Implements `ports.phase.PhaseRun`. The caller stores what the outcomes tell: nothing is saved here."""

    def __init__(self, phase: str, partition: Partition, now: Instant, machines: Sequence[AskedMachine]) -> None:
        self.phase = phase
        self.partition = partition
        self.now = now
        self.resources: Sequence[PhaseResource] = machines
        self._data: Mapping[ObjectId, MutableMapping[str, Json]] = {one.object.object_id: one.data for one in machines}
        self._outcomes: dict[ObjectId, Outcome] = {}

    def outcome(self, object_id: ObjectId) -> Outcome:
        """The last verdict about a machine; one without any is under way."""
        return self._outcomes.get(object_id, Pending(message="it is under way"))

    def complete(self, resources: PhaseResource | Sequence[PhaseResource]) -> None:
        for one in resources if isinstance(resources, Sequence) else (resources,):
            self._outcomes[one.object.object_id] = Done(physical_id=one.physical_id, attributes=dict(one.attributes))

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
        self._outcomes[resource.object.object_id] = Refused(message=message, code=code, request_id=request_id)

    def sleep(
        self,
        resource: PhaseResource,
        seconds: float | None = None,
        message: str = "",
        *,
        code: str = "",
        request_id: str = "",
    ) -> None:
        self._outcomes[resource.object.object_id] = Pending(
            message=message, delay_s=seconds, code=code, request_id=request_id
        )

    def message(self, resource: PhaseResource, text: str) -> None:
        pass

    def data(self, resource: PhaseResource) -> MutableMapping[str, Json]:
        return self._data[resource.object.object_id]

    def checkpoint(self, resources: PhaseResource | Sequence[PhaseResource]) -> None:
        pass

    def is_canceled(self, resource: PhaseResource) -> bool:
        return False

    def remote(self, resource: PhaseResource) -> RemoteShell:
        raise BugError(f"{self.phase} is a call of the provider, which runs no program in a machine")

    def record(self, op: Op) -> None:
        pass
