"""The knowledge of the local cloud before something is stored: faults of declarations (`declaring`), and whether an
instance takes commands.

Theory of operation. Each answer is about this moment. A fact that a silent host cannot tell is no objection: the
operation waits for it, as it would if the host fell silent a moment later. The phases check again the facts that may
change meanwhile.
"""

from collections.abc import Sequence

from tenuto.core.objects.requested import command_given
from tenuto.core.planning.comparing.ignores import EVERYTHING, ignored_paths
from tenuto.errors import NotAllowedError, NotFoundError, UserError
from tenuto.lifecycles.roles import serves, stands
from tenuto.model.command import ProcessState
from tenuto.model.composition import Declaration
from tenuto.model.event import Event
from tenuto.model.ids import Fid, ObjectId, Partition
from tenuto.model.objection import Objection
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.ports.images import ImageShelf
from tenuto.ports.judging import Asked
from tenuto.ports.store import Store
from tenuto.providers.local.declaring import JudgedDeclarations, machines_there
from tenuto.providers.local.driver import Driver, Seen
from tenuto.providers.local.objects import OPERATION
from tenuto.providers.local.rules.machines.cloud_nodes import as_instance, is_machine, is_up
from tenuto.providers.local.rules.machines.operations import (
    Command,
    Console,
    Reboot,
    Snapshot,
    UnusableCommandError,
    commands_of,
    deadline_of,
    is_for_network,
    outside,
)
from tenuto.providers.local.rules.machines.power import ON, PROPERTY, Power, is_running, real_power, refused_power
from tenuto.providers.local.types import INSTANCE, NETWORK, completed

_HOST, _DISKS, _SIZE = "Host", "Disks", "SizeGiB"


class Judging:
    """Implements `ports.judging.JudgesDeclarations` and `JudgesRequests`."""

    def __init__(self, store: Store, driver: Driver) -> None:
        self._store = store
        self._driver = driver
        self._declarations = JudgedDeclarations(store, driver)

    def take_shelf(self, shelf: ImageShelf) -> None:
        self._declarations.take_shelf(shelf)

    def objections(self, partition: Partition, fid: Fid, declared: Sequence[Declaration]) -> Sequence[Objection]:
        return self._declarations.objections(partition, fid, declared)

    def judge(self, asked: Asked) -> Sequence[Event]:
        if asked.type != OPERATION:
            return ()
        try:
            commands = commands_of(asked.properties["Commands"])
            deadline_of(asked.properties)
        except UnusableCommandError as error:
            raise UserError(f"The operation cannot be carried out: {error}. Nothing was changed.") from error
        if is_for_network(commands):
            self._check_network(asked, commands)
            return ()
        instance = self._instance(asked)
        self._check_ready(instance, commands)
        for one in commands:
            if isinstance(one, Power):
                self._check_held(instance, one, asked)
        return [_told(instance, one, asked) for one in commands if isinstance(one, Power | Reboot)]

    def _instance(self, asked: Asked) -> ManagedObject:
        wanted = str(asked.properties["Instance"])
        found = self._store.object(ObjectId(wanted))
        # Whose instance it is was decided by the account for which the operation is asked.
        if found is None or not is_machine(found) or found.partition != asked.partition:
            raise _absent("instance", wanted, asked.partition)
        return found

    def _check_network(self, asked: Asked, commands: Sequence[Command]) -> None:
        """Raise NotFoundError or NotAllowedError for an operation whose network cannot be asked."""
        wanted = str(asked.properties["Instance"])
        found = self._store.object(ObjectId(wanted))
        if found is None or found.type != NETWORK or found.partition != asked.partition:
            raise _absent("network", wanted, asked.partition)
        if not serves(found):
            why = "is being deleted" if stands(found) else f"is in the state {found.state}"
            raise NotAllowedError(
                f"The network {found.logical_id} {why}, and is asked only when it is created. Nothing was changed."
            )
        if why := next((told for one in commands if (told := outside(one, found.desired))), ""):
            raise UserError(f"{why}. 'tenuto network addresses' shows those that it has. Nothing was changed.")

    def _check_ready(self, instance: ManagedObject, commands: Sequence[Command]) -> None:
        """Raise NotAllowedError for an instance that cannot take the commands now."""
        name = instance.logical_id
        if not is_up(instance):
            is_going = instance.type == INSTANCE and stands(instance)
            why = "is being deleted" if is_going else f"is in the state {instance.state}"
            raise NotAllowedError(
                f"The instance {name} {why}, and takes commands only when it is created. 'tenuto instance show "
                f"{instance.object_id}' tells how it is. Nothing was changed."
            )
        power = self._power(instance)
        for one in commands:
            if isinstance(one, Power):
                why, power = refused_power(one.word, power), one.target
            else:
                why = "" if _is_ready(power, one) else f"its machine is {power}"
            if why:
                raise NotAllowedError(
                    f"The instance {name} cannot do this: {why}. 'tenuto instance power {instance.object_id} on' turns "
                    "it on, and 'unpause' lets it go on. Nothing was changed."
                )

    def _power(self, instance: ManagedObject) -> str:
        """The power of a machine now; on where its host cannot tell: then the operation waits for the host."""
        seen = self._seen(instance)
        return real_power(seen.properties, seen.attributes) if seen else ON

    def _seen(self, instance: ManagedObject) -> Seen | None:
        """A machine as its host shows it now; None where that cannot tell."""
        return machines_there(self._driver, instance.partition.region).get(instance.object_id)

    def _check_held(self, instance: ManagedObject, command: Power, asked: Asked) -> None:
        """Raise NotAllowedError for a power that the process of the instance would set right at once."""
        declared = completed(INSTANCE, as_instance(instance).desired)[PROPERTY]
        process = self._store.process(instance.fid) if instance.fid else None
        if process is None or declared == command.target or not self._is_held(process, instance, asked):
            return
        name = process.alias or process.fid
        raise NotAllowedError(
            f"The process {name} holds {instance.logical_id} at PowerState {declared}, and would set "
            f"{command.target!r} right at once. Declare it ('tenuto update {name} FILE'), or let the process hold "
            f"nothing for a while ('tenuto suspend {name}', or 'tenuto property {name} enforcement --set off'). "
            "Nothing was changed."
        )

    def _is_held(self, process: Process, instance: ManagedObject, asked: Asked) -> bool:
        if process.state is not ProcessState.RUNNING or not process.is_enforced_at(asked.at):
            return False
        composition = self._store.composition(process.composition_digest)
        declared = composition.resources if composition else ()
        own = next((one for one in declared if one.logical_id == instance.logical_id), None)
        return own is None or {PROPERTY, EVERYTHING}.isdisjoint(ignored_paths(own))


def _absent(noun: str, wanted: str, partition: Partition) -> NotFoundError:
    return NotFoundError(
        f"There is no {noun} of the id {wanted[:80]} in {partition.account}, {partition.region}. Give the operation "
        f"the id and the region (--region) that 'tenuto {noun} show PROCESS/RESOURCE' tells. Nothing was changed."
    )


def _is_ready(power: str, command: Command) -> bool:
    """Whether a machine of this power can take a command. A command that its guest carries out needs a machine that is
    on."""
    if isinstance(command, Reboot | Snapshot):
        return is_running(power)
    return power == ON or isinstance(command, Console)


def _told(instance: ManagedObject, command: Power | Reboot, asked: Asked) -> Event:
    """The event of the machine, beside that of the operation."""
    word = command.word if isinstance(command, Power) else "reboot"
    return command_given(instance, f"instance power {word}", asked.actor, asked.at)
