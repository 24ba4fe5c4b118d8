"""The executor: one request after the other, each with an answer.

An answer is `{"done": …}`, or `{"refused": WHY, "is_final": …}` where the request can never be done on this host as it
is: its values are unusable, or a program is missing. Any other refusal may pass, and the request is made again.
"""

import errno
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

from tenuto.kit.documents import from_document, to_document
from tenuto.kit.state_folder import StateFolder
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.providers.local.executor import requests
from tenuto.providers.local.executor.ends_with_lease import LeasedThings
from tenuto.providers.local.executor.guard import begin_guard, has_ended, let_go_on
from tenuto.providers.local.executor.kernel.cgroups import Cgroups, LimitsError
from tenuto.providers.local.executor.kernel.host_facts import HostFacts
from tenuto.providers.local.executor.kernel.programs import ProgramError, StuckError, missing
from tenuto.providers.local.executor.leased import LeasedMachines
from tenuto.providers.local.executor.machines import KIND as MACHINES
from tenuto.providers.local.executor.machines import Machines
from tenuto.providers.local.executor.networking.networks import Networks
from tenuto.providers.local.executor.networking.outside import KIND as NETWORKS
from tenuto.providers.local.executor.networking.outside import Outside
from tenuto.providers.local.executor.virtual.disks import Bases
from tenuto.providers.local.executor.virtual.machine_disks import KIND as VIRTUAL
from tenuto.providers.local.executor.virtual.machines import VirtualMachines
from tenuto.providers.local.executor.virtual.qmp import Patience
from tenuto.providers.local.leases import Lease
from tenuto.providers.local.rules.networks.spec import netns_of
from tenuto.providers.local.turns import Turn

LEASE = "lease"
"""The file of the lease in the executor's folder."""

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.ENOMEM, errno.EROFS)
"""The errors of a host that has no room, or whose disk takes no writes: another one may have."""


class Executor:
    """The work of root on a host. `name` tells the control groups of this installation from those of another."""

    def __init__(self, folder: Path, *, name: str, images: Path | None = None, blobs: Path | None = None) -> None:
        """`images` is where a person puts base images; None for a folder beside the executor's own. `blobs` is the
        agent's folder of blobs."""
        state, cgroups = StateFolder(folder), Cgroups(name)
        self._folder = folder
        self._state, self._cgroups = state, cgroups
        bases = Bases(state, images or folder.with_suffix(".images"), blobs)
        self._leased = LeasedMachines(state, cgroups, (MACHINES, VIRTUAL))
        outside = Outside(state)
        self._ends = LeasedThings(self._leased, outside)
        self._networks = Networks(state, outside)
        self._machines = Machines(state, cgroups, self._leased)
        self._virtual = VirtualMachines(state, cgroups, bases, self._leased)
        self._lease = Lease(folder / LEASE)
        self._turn = Turn(folder)
        self._guard = 0

    def keep_guard(self, *, closed: int) -> None:
        """Start a guard (`executor.guard`) unless one runs. The guard must not keep the descriptor `closed` open."""
        if not self._guard or has_ended(self._guard):
            self._guard = begin_guard(self._folder, self._ends, self._lease, closed=closed)
        let_go_on(self._guard)

    def kept(self) -> requests.Kept:
        """The things that are on this host, also those that lost their record."""
        found = {*self._state.names(MACHINES), *self._state.names(VIRTUAL), *self._cgroups.machines()}
        named = self._state.names(NETWORKS)
        networks = {number: self._networks.things(number) for number in named if number.isdecimal()}
        odd = [self._state.folder(NETWORKS, name) for name in named if not name.isdecimal()]
        odd += [one for kind in (MACHINES, VIRTUAL, NETWORKS) for one in self._state.foreign(kind)]
        return requests.Kept(
            machines=tuple(map(ObjectId, sorted(found))),
            networks=networks,
            turn=self._turn.number,
            foreign=tuple(sorted(str(one) for one in odd)),
        )

    def clear(self) -> list[str]:
        """Remove everything, and let the lease go; return the things that were not removed, with the reasons. Twice is
        once."""
        kept = self.kept()
        removals: list[tuple[str, requests.Request]] = [
            *((f"machine {name}", self._removal(name)) for name in kept.machines),
            *((f"network {number}", requests.RemoveNetwork(vni=int(number))) for number in kept.networks),
            ("lease", requests.ReleaseLease()),
        ]
        answers = [(what, self.answer(to_document(one, as_type=requests.Request))) for what, one in removals]
        return [f"{what}: {answer['refused']}" for what, answer in answers if "refused" in answer]

    def _removal(self, object_id: ObjectId) -> requests.Request:
        if self._state.has(VIRTUAL, object_id):
            return requests.RemoveVirtual(object_id=object_id)
        return requests.RemoveMachine(object_id=object_id)

    def answer(self, document: Any, opened: list[int] | None = None) -> JsonMap:
        """Carry out a request. A descriptor that goes with the answer is put into `opened`."""
        opened = [] if opened is None else opened
        try:
            return {"done": self._do(_read(document), opened)}
        except Exception as error:  # noqa: BLE001 - the border: a fault of one request keeps no host from all others
            return _refused(error)

    def _do(self, request: requests.Request, opened: list[int]) -> Any:
        match request:
            case requests.EnsureNetwork(network=order):
                wanted = order.rendered()
                self._check_lease(is_leased=bool(wanted.outside))
                self._networks.ensure(order.vni, wanted, order.ends(), order.things)
                self._turn.raise_to(order.turn)
            case requests.ShowNetwork() | requests.ShowMachine() | requests.ShowVirtual():
                return self._show(request, HostFacts(), Patience())
            case requests.ShowKept():
                return to_document(self.kept())
            case requests.ShowMany(questions=questions):
                facts, patience = HostFacts(), Patience()
                found = [self._told(one, facts, patience) for one in questions]
                with suppress(OSError):  # A file that cannot be read now is told by its machine, and read later.
                    self._virtual.reading.go_on()
                return found
            case requests.PingNetwork(network=order, address=address, count=count):
                return self._networks.echoes(order.rendered(), address, count)
            case requests.RemoveNetwork(vni=vni):
                self._networks.remove(vni, netns_of(vni), requests.uplink_name(vni))
            case requests.HoldLease(until=until):
                if self._lease.is_over():
                    # A machine that was begun before the host stood still, and has started since, is not to stay.
                    self._ends.end()
                self._lease.hold(until)
            case requests.ReleaseLease():
                self._lease.release()
            case requests.EnsureMachine(machine=machine):
                self._check_lease(is_leased=machine.ends_with_lease)
                self._machines.ensure(machine)
            case requests.RemoveMachine(object_id=object_id):
                self._machines.remove(object_id)
            case _:
                return self._do_virtual(request, opened)
        return None

    def _told(self, question: requests.Question, facts: HostFacts, patience: Patience) -> Any:
        """Answer one of several questions. A thing that cannot be told hides none of the others; a program that stands
        still would do so for each of them."""
        try:
            return self._show(question, facts, patience)
        except StuckError:
            raise
        except Exception as error:  # noqa: BLE001 - the border: a fault of one request keeps no host from all others
            return _refused(error)

    def _show(self, question: requests.Question, facts: HostFacts, patience: Patience) -> Any:
        """Answer a question, from the facts of one moment."""
        found: Any
        match question:
            case requests.ShowNetwork(network=order):
                wanted = order.rendered()
                told = self._networks.deviations(order.vni, wanted, order.ends(), facts)
                is_served = self._networks.is_served(order.vni, wanted)
                found = requests.NetworkAnswer(deviations=tuple(told), is_served=is_served)
            case requests.ShowMachine(machine=machine):
                found = self._machines.show(machine, facts)
            case requests.ShowVirtual(machine=virtual):
                found = self._virtual.show(virtual, facts, patience)
        return to_document(found) if found else None

    def _do_virtual(self, request: requests.Request, opened: list[int]) -> Any:
        match request:
            case requests.EnsureVirtual(machine=virtual):
                self._check_lease(is_leased=virtual.machine.ends_with_lease)
                self._virtual.ensure(virtual)
            case requests.RemoveVirtual(object_id=object_id):
                self._virtual.remove(object_id)
            case requests.ResetVirtual(object_id=object_id):
                self._virtual.reset(object_id)
            case requests.OpenChannel(object_id=object_id, channel=channel):
                opened.append(self._virtual.channel(object_id, channel).detach())
            case requests.SnapshotVirtual(object_id=object_id, snapshot=snapshot, disks=disks, is_thin=is_thin):
                return to_document(self._virtual.snapshot(object_id, snapshot, disks, is_thin=is_thin))
            case requests.OpenSnapshot(object_id=object_id, snapshot=snapshot, disk=disk):
                opened.append(self._virtual.snapshots.opened(object_id, snapshot, disk))
            case requests.ForgetSnapshot(object_id=object_id, snapshot=snapshot):
                self._virtual.forget_snapshot(object_id, snapshot)
        return None

    def _check_lease(self, *, is_leased: bool) -> None:
        """Raise ProgramError for a machine that may be elsewhere while the lease of the host is over."""
        if is_leased and self._lease.is_over():
            raise ProgramError("it did not hear from the Conductor for too long, and starts nothing before it does")


def _refused(error: Exception) -> JsonMap:
    """The answer to a request that failed with an error."""
    match error:
        case ProgramError() if lacking := missing():
            return {"refused": f"this host lacks the packages {', '.join(lacking)}", "is_final": True}
        case ProgramError():
            return {"refused": str(error), "is_final": False}
        case OSError():
            refused = {"refused": f"this host refused: {error}", "is_final": False}
            return {**refused, "is_full": error.errno in _FULL}
        case ValueError() | LimitsError():
            return {"refused": str(error), "is_final": True}
        case _:
            traceback.print_exception(error)
            return {"refused": f"its executor failed, and its log has the details: {error!r}", "is_final": False}


def _read(document: Any) -> requests.Request:
    union: Any = requests.Request
    request: requests.Request = from_document(union, document)
    return request
