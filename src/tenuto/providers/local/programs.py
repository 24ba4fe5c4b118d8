"""Programs in machines on hosts, run for the phases of plugins: each is an agent operation.

Theory of operation. The operation has the id of the order, so an order that comes twice is one operation. Its results
stay with it after its deletion, as long as its row is kept; so it is deleted once its end was read, like one of
`tenuto instance exec`, and a phase that is called again after a crash still reads them.
"""

import base64
from contextlib import suppress

from tenuto.core.objects.requested import born_alone, command_given
from tenuto.errors import ConflictError, UserError
from tenuto.lifecycles.agent_operation import AGENT_OPERATION
from tenuto.model.ids import Json, JsonMap, ObjectId
from tenuto.model.resource import ManagedObject
from tenuto.ports.clock import Clock
from tenuto.ports.objects import ObjectWork
from tenuto.ports.programs import NEVER_RAN, ProgramEnd, ProgramOrder
from tenuto.ports.store import Store
from tenuto.ports.store_changes import Append
from tenuto.providers.local.objects import OPERATION
from tenuto.providers.local.phases.operations import RESULTS
from tenuto.providers.local.rules.machines.operations import UnusableCommandError, commands_of, deadline_of
from tenuto.providers.local.types import PROVIDER


class OperationPrograms:
    """Implements `ports.programs.Programs`."""

    def __init__(self, store: Store, clock: Clock, work: ObjectWork) -> None:
        self._store = store
        self._clock = clock
        self._work = work

    def start(self, machine: ManagedObject, order: ProgramOrder) -> str:
        object_id = ObjectId(order.id)
        if self._store.object(object_id) is None:
            made = self._made(machine, object_id, order)
            changes = (self._told(made, "object create", order.asked_by), *self._work.begin(made, actor=order.asked_by))
            try:
                self._work.commit(changes)
            except ConflictError:
                if self._store.object(object_id) is None:
                    raise
        return object_id

    def end(self, machine: ManagedObject, handle: str) -> ProgramEnd | None:
        found = self._store.object(ObjectId(handle))
        if found is None or found.type != OPERATION or found.desired["Instance"] != machine.object_id:
            told = f"no program {handle[:80]} of {machine.logical_id} is known any more"
            return ProgramEnd(code=NEVER_RAN, stderr=told)
        if found.state == AGENT_OPERATION.failed:
            return ProgramEnd(code=NEVER_RAN, stderr=found.message)
        is_over = AGENT_OPERATION.is_final(found.state)
        if found.state != AGENT_OPERATION.ready and not is_over:
            return None
        if found.target != AGENT_OPERATION.gone:
            self._delete(found)
        if results := found.attributes.get(RESULTS):
            return _end_of(results[0])
        return ProgramEnd(code=NEVER_RAN, stderr=f"its operation {handle} was deleted before it ended")

    def _delete(self, found: ManagedObject) -> None:
        gone = AGENT_OPERATION.gone
        told = self._told(found, "object delete", PROVIDER)
        # Left to the next poll, or to a person, when another writer was faster.
        with suppress(ConflictError):
            self._work.commit((told, *self._work.head(found, gone, actor=PROVIDER, reason="its end was read")))

    def _told(self, item: ManagedObject, command: str, actor: str) -> Append:
        return Append(events=(command_given(item, command, actor, self._clock.now()),))

    def _made(self, machine: ManagedObject, object_id: ObjectId, order: ProgramOrder) -> ManagedObject:
        """The operation of an order. Raises UserError for a program that no machine can run."""
        command: dict[str, Json] = {"Exec": list(order.words)}
        if order.stdin:
            command["Stdin"] = base64.b64encode(order.stdin).decode()
        commands: list[Json] = [command]
        desired: JsonMap = {
            "Instance": machine.object_id,
            "Commands": commands,
            "DeadlineSeconds": order.deadline_s,
        }
        try:
            commands_of(commands)
            deadline_of(desired)
        except UnusableCommandError as error:
            raise UserError(f"The program of {order.asked_by} cannot be run: {error}.") from error
        return born_alone(
            AGENT_OPERATION,
            OPERATION,
            machine.partition,
            object_id=object_id,
            at=self._clock.now(),
            provider=PROVIDER,
            desired=desired,
        )


def _end_of(result: JsonMap) -> ProgramEnd:
    return ProgramEnd(code=int(result["Code"]), stdout=str(result["Out"]), stderr=str(result["Err"]))
