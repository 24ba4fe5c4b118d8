"""Virtual machines on this host: one QEMU each, with a user, limits and a folder of its own.

Theory of operation. A machine outlives the executor: it is no child of the executor, and is found again by its process
number and the moment of its start. QEMU is asked over its monitor, whose socket was made here, in a folder that QEMU
cannot write; two more sockets lead to the guest agent and to the console. The agent of the host gets these as open
connections, so that no other user needs the right to reach them.

An order is compared with the running machine, so a second one changes nothing. A property that a running machine cannot
change (memory, processors) restarts it. A guest that powers itself off leaves QEMU paused (`shutdown=pause`), so its
own end is told from that of a machine that was killed. An order starts neither of them where the rules leave it off
(`is_left_off`), unless the ordered power is another one than before the end.
"""

import json
import os
import signal
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tenuto.kit.state_folder import StateFolder, make_way
from tenuto.model.ids import ObjectId
from tenuto.providers.local.executor.kernel.cgroups import Cgroups
from tenuto.providers.local.executor.kernel.host_facts import HostFacts
from tenuto.providers.local.executor.kernel.processes import running, send, start_of
from tenuto.providers.local.executor.kernel.programs import ProgramError
from tenuto.providers.local.executor.kernel.sockets import connected, listening
from tenuto.providers.local.executor.kernel.spawning import as_user, began, booted_at, document, ending, spawn
from tenuto.providers.local.executor.leased import PROCESS, LeasedMachines, processes_of
from tenuto.providers.local.executor.networking import taps
from tenuto.providers.local.executor.requests import CHANNELS, DiskShown, SnapshotShown, VirtualShown
from tenuto.providers.local.executor.users import Users
from tenuto.providers.local.executor.virtual import arguments
from tenuto.providers.local.executor.virtual.base_reading import BaseReading
from tenuto.providers.local.executor.virtual.disks import Base, Bases
from tenuto.providers.local.executor.virtual.machine_disks import FOLDER, KIND, VirtualDisks
from tenuto.providers.local.executor.virtual.qmp import Patience, monitor
from tenuto.providers.local.executor.virtual.sayings import Sayings
from tenuto.providers.local.executor.virtual.snapshots import Snapshots
from tenuto.providers.local.leases import FENCED
from tenuto.providers.local.rules.machines.power import OFF, OFF_BY_GUEST, is_left_off
from tenuto.providers.local.rules.machines.spec import Cable
from tenuto.providers.local.rules.machines.virtual_spec import VirtualSpec, drive_of
from tenuto.providers.local.rules.networks.spec import UnusableValueError

FIRST_UID = 700_000
"""The first user of virtual machines; below are those of the machines that share the kernel."""
_PID, _STATUS = "pid", "status"
_STOPPED, _SOCKETS, _DRIVE = "stopped", "sockets", "drive"
_MONITOR = "monitor"
_ORDERED = "ordered"
"""The power that was ordered last of a machine that has started, in the record of its process."""
_START_S = 10.0
_POWER_DOWN_S = 5.0
_UNPLUG_S = 2.0
_CHANNEL_S = 1.0


_STUCK = "paused (the disk of its host took no write)"
"""The power of a machine that QEMU has stopped in the middle of a write: it goes on where it was when there is room."""
_STUCK_S = 1.0
_RUNS = ("on", "paused", _STUCK)
_POWERS = {
    "running": "on",
    "paused": "paused",
    "prelaunch": "paused",
    "io-error": _STUCK,
    "shutdown": OFF_BY_GUEST,
    "guest-panicked": "off (its guest has panicked)",
    "internal-error": "off (its QEMU has failed)",
}
"""The power, by the status that QEMU reports. Any other word is no end: a guest that serves would be ended for it."""
_SILENT = "on ("
"""The begin of the power of a machine whose QEMU does not tell; the reason follows in brackets."""


_READS_CHANGED = "it reads a base image that was changed, and does so until it is started again"
_HOMELESS = "its folder was deleted while it ran, with its disks"


def is_silent(power: str) -> bool:
    """Whether a machine runs, and its QEMU does not tell how it is."""
    return power.startswith(_SILENT)


def told_by(power: str) -> str:
    """The reason in the power of a machine that is silent."""
    return power.removeprefix(_SILENT).removesuffix(")")


class VirtualMachines:
    """The virtual machines of one host. Methods raise ProgramError, LimitsError and UnusableValueError."""

    def __init__(self, state: StateFolder, cgroups: Cgroups, bases: Bases, leased: LeasedMachines) -> None:
        self._leased = leased
        self._state = state
        self._cgroups = cgroups
        self._disks = VirtualDisks(state, bases)
        self._users = Users(state, KIND, files=FOLDER, first=FIRST_UID)
        self.reading = BaseReading(bases)
        self.sayings = Sayings(state, KIND)
        self.snapshots = Snapshots(state, self._disks, self._users.of)

    def ensure(self, spec: VirtualSpec) -> None:
        """Bring a machine about as it is to be. The networks of its cables are there already."""
        name, machine = spec.machine.object_id, spec.machine
        if self._is_homeless(name):
            raise UnusableValueError(
                f"{_HOMELESS}: the data on it may be lost, and its QEMU runs on until it is removed"
            )
        bases = self._disks.made(spec, self._users.of(name), runs=self._runs(self._process(name)))
        self._leased.mark(KIND, name, is_leased=machine.ends_with_lease)
        for cable in machine.cables:
            taps.lay(cable)
        self._cgroups.ensure(name, machine.vcpus, machine.memory_mib + arguments.OVERHEAD_MIB)
        if (pid := self._running(name)) and not self._cgroups.has(name, pid):
            self._cgroups.take(name, [pid])
        power = self._power(name)
        if power in _RUNS and not self._is_as_started(spec):
            self._power_down(name)
            power = "off"
        if machine.power == "off":
            self._power_down(name)
            self._disks.grow(spec, bases, None)
            self._state.write(KIND, name, _STOPPED, "")
            return
        if is_silent(power):
            # A host with much to do answers late. To take that for an end would end a guest that serves.
            told = f"its QEMU runs and does not answer as it should ({told_by(power)})"
            raise ProgramError(f"{told}, so it is left as it is")
        if self._stays_off(spec, power):
            self._disks.grow(spec, bases, self._socket(name, _MONITOR) if self._running(name) else None)
            return
        if power not in _RUNS:
            self._disks.grow(spec, bases, None)
            self._start(spec, bases)
        else:
            self._disks.grow(spec, bases, self._socket(name, _MONITOR))
            self._plug(spec)
        with monitor(self._socket(name, _MONITOR)) as qemu:
            qemu.do("stop" if machine.power == "paused" else "cont")
            until = time.monotonic() + _STUCK_S
            while power == _STUCK and machine.power == "on" and time.monotonic() < until:
                # QEMU tries the write again, and the guest never learns that it failed.
                if qemu.do("query-status").get("status") == "io-error":
                    raise ProgramError("it stands still, since the disk of the host took no write: make room there")
                time.sleep(0.05)
        if (process := self._process(name)).get(_ORDERED) != machine.power:
            self._state.write(KIND, name, PROCESS, json.dumps({**process, _ORDERED: machine.power}))

    def remove(self, object_id: ObjectId) -> None:
        """Remove a machine with all that it had. One that is not here is gone."""
        if not self._is_here(object_id):
            return
        self._stop(object_id)
        for cable in self._cables(object_id):
            taps.take_out(cable)
        self._cgroups.remove(object_id)
        self.sayings.forget(object_id)
        self._state.remove(KIND, object_id)
        self._disks.forget_bases()

    def show(self, spec: VirtualSpec, facts: HostFacts, patience: Patience) -> VirtualShown | None:
        """A machine as it is, in the terms of its order; None when nothing of it is here."""
        name = spec.machine.object_id
        if not self._is_here(name):
            return None
        process = self._process(name)
        runs = self._runs(process)
        self.sayings.keep(name, int(process["pid"]) if runs else 0, int(process.get("sayings", 0)))
        problems: list[str] = []
        power = self._power(name, patience)
        if is_silent(power):
            problems.append(told_by(power))
            power = "on"
        if power == _STUCK:
            if spec.machine.power == "on":
                problems.append("it stands still, since the disk of the host took no write")
            power = "paused"
        vcpus, memory_mib = self._cgroups.limits(name)
        wanted = (spec.machine.vcpus, spec.machine.memory_mib + arguments.OVERHEAD_MIB)
        if (vcpus, memory_mib) != wanted:
            problems.append(f"its control group has {vcpus} processors and {memory_mib} MiB")
        if runs and not self._cgroups.has(name, int(process["pid"])):
            problems.append("it runs outside of its control groups, without its limits")
        # The QEMU of a machine that stays off has the old values until a start, which no order is to bring about.
        serves = runs and not is_left_off(power, spec.restart)
        if serves and self._disks.reads_changed(process.get("bases", {})):
            problems.append(_READS_CHANGED)
        problems += self._leased.problems(KIND, name, is_leased=spec.machine.ends_with_lease)
        has = process if serves else {}
        plugged = (
            taps.plugged(spec.machine.cables, facts)
            if serves
            else frozenset(one.interface for one in spec.machine.cables)
        )
        return VirtualShown(
            object_id=name,
            power=power,
            pid=int(process["pid"]) if runs else 0,
            vcpus=int(has.get("vcpus", spec.machine.vcpus)),
            memory_mib=int(has.get("memory_mib", spec.machine.memory_mib)),
            interfaces=tuple(one.interface for one in spec.machine.cables if one.interface in plugged),
            disks=self._lost(spec) if self._is_homeless(name) else tuple(self._disks.shown(name, runs=runs)),
            booted_at=booted_at(process),
            problems=tuple(problems),
        )

    def reset(self, object_id: ObjectId) -> None:
        """Start a running machine anew, as the button of a computer does."""
        if self._power(object_id) not in _RUNS:
            raise ProgramError("the machine does not run")
        with monitor(self._socket(object_id, _MONITOR)) as qemu:
            qemu.do("system_reset")
            qemu.do("cont")
        process = {**self._process(object_id), "booted_at": time.time()}
        self._state.write(KIND, object_id, PROCESS, json.dumps(process))

    def snapshot(
        self, object_id: ObjectId, snapshot: ObjectId, numbers: tuple[int, ...], *, is_thin: bool
    ) -> SnapshotShown:
        """Begin a snapshot of disks, or go on with it."""
        is_on = not self._power(object_id).startswith(OFF)
        if not self._runs(self._process(object_id)):
            return self.snapshots.proceed(object_id, snapshot, numbers, None, is_thin=is_thin, is_on=is_on)
        with monitor(self._socket(object_id, _MONITOR), _START_S) as qemu:
            return self.snapshots.proceed(object_id, snapshot, numbers, qemu, is_thin=is_thin, is_on=is_on)

    def forget_snapshot(self, object_id: ObjectId, snapshot: ObjectId) -> None:
        """Drop a snapshot. One that is not here is gone."""
        if not self._runs(self._process(object_id)):
            self.snapshots.forget(object_id, snapshot, None)
            return
        with monitor(self._socket(object_id, _MONITOR), _START_S) as qemu:
            self.snapshots.forget(object_id, snapshot, qemu)

    def channel(self, object_id: ObjectId, name: str) -> socket.socket:
        """A connection to the guest agent of a machine, or to its console."""
        try:
            # A QEMU that accepts none must not hold up the executor: all other machines of the host wait for it.
            found = connected(self._socket(object_id, name), _CHANNEL_S)
            found.settimeout(None)
            return found
        except OSError as error:
            raise ProgramError(f"the {name} of {object_id} cannot be reached: {error.strerror}") from error

    def _start(self, spec: VirtualSpec, bases: list[Base | None]) -> None:
        name = spec.machine.object_id
        self._stop(name)
        folder, uid = self._state.made(KIND, name), self._users.of(name)
        drive = None
        if spec.has_drive:
            drive = folder / _DRIVE
            make_way(drive)
            descriptor = os.open(drive, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o400)
            with os.fdopen(descriptor, "wb") as opened:
                opened.write(drive_of(spec))
            os.chown(drive, uid, uid, follow_symlinks=False)
        self._state.write(KIND, name, _STATUS, "")
        make_way(folder / _STOPPED)
        self._leased.started(KIND, name)
        here = [link for one in bases if one is not None for link in one.chain()]
        heard, said_to = self.sayings.begin(name)
        passed: dict[str, int] = {}
        tapped: dict[str, int] = {}
        try:
            passed = {one: self._listening(name, one) for one in (_MONITOR, *CHANNELS)}
            for cable in spec.machine.cables:
                tapped[cable.interface] = taps.opened(cable)
            with (folder / _STATUS).open("ab") as told_to:
                command = [
                    *as_user(uid),
                    *arguments.sandbox(folder / FOLDER, drive, here, told_to.fileno()),
                    *arguments.machine(spec, bases, tapped, passed),
                ]
                descriptors = [told_to.fileno(), heard, *passed.values(), *tapped.values()]
                spawn(command, lambda: self._cgroups.join(name), said_to, descriptors)
        finally:
            for descriptor in (said_to, *passed.values(), *tapped.values()):
                os.close(descriptor)
        pid = began(self._status_of(name), lambda: self.sayings.text(name))
        process = {
            "pid": pid,
            "start": start_of(pid),
            "booted_at": time.time(),
            "vcpus": spec.machine.vcpus,
            "memory_mib": spec.machine.memory_mib,
            "disks": len(bases),
            "bases": self._disks.opened(bases),
            "sayings": heard,
            "cables": _documents(spec.machine.cables),
        }
        self._state.write(KIND, name, PROCESS, json.dumps(process))
        # For people: `kill $(cat …/pid)`.
        self._state.write(KIND, name, _PID, f"{pid}\n")
        try:
            with monitor(self._socket(name, _MONITOR), _START_S):
                pass
        except ProgramError as error:
            said = " ".join(self.sayings.text(name).split())
            raise ProgramError(f"the machine did not start: {said[-400:] or error}") from error

    def _plug(self, spec: VirtualSpec) -> None:
        """Plug interfaces in and out while the machine runs."""
        name, process = spec.machine.object_id, self._process(spec.machine.object_id)
        had = {one.interface: one for one in self._cables(name)}
        wanted = {one.interface: one for one in spec.machine.cables}
        alive = taps.plugged(list(had.values()), HostFacts())
        gone = [one for one in had.values() if wanted.get(one.interface) != one or one.interface not in alive]
        new = [one for one in wanted.values() if had.get(one.interface) != one or one.interface not in alive]
        if not gone and not new:
            return
        with monitor(self._socket(name, _MONITOR), _UNPLUG_S * len(gone) + _START_S) as qemu:
            for cable in gone:
                qemu.do("device_del", {"id": arguments.card_of(cable)})
                qemu.wait_for("DEVICE_DELETED", arguments.card_of(cable))
                qemu.do("netdev_del", {"id": arguments.net_of(cable)})
                if cable.interface not in wanted:
                    taps.take_out(cable)
            for cable in new:
                taps.lay(cable)
                descriptor = taps.opened(cable)
                try:
                    qemu.do("getfd", {"fdname": cable.port}, passed=descriptor)
                finally:
                    os.close(descriptor)
                qemu.do("netdev_add", {"type": "tap", "id": arguments.net_of(cable), "fd": cable.port})
                qemu.do("device_add", arguments.card(cable))
        process["cables"] = _documents(spec.machine.cables)
        self._state.write(KIND, name, PROCESS, json.dumps(process))

    def _stays_off(self, spec: VirtualSpec, power: str) -> bool:
        """Whether an order leaves a machine off. One that never answered has not started yet."""
        ordered = self._process(spec.machine.object_id).get(_ORDERED)
        return is_left_off(power, spec.restart) and ordered == spec.machine.power

    def _is_as_started(self, spec: VirtualSpec) -> bool:
        """Whether the properties that only a start can change are as ordered."""
        process, machine = self._process(spec.machine.object_id), spec.machine
        has = (process.get("vcpus"), process.get("memory_mib"), process.get("disks"))
        is_same = has == (machine.vcpus, machine.memory_mib, len(spec.disks))
        return is_same and not self._disks.reads_changed(process.get("bases", {}))

    def _power_down(self, name: str) -> None:
        """End a machine: its guest is asked as by the button of a computer, and after five seconds it is ended."""
        if self._power(name) == "on":
            with suppress(ProgramError), monitor(self._socket(name, _MONITOR), _POWER_DOWN_S) as qemu:
                qemu.do("system_powerdown")
                while qemu.do("query-status").get("status") == "running":
                    time.sleep(0.05)
        self._stop(name)

    def _stop(self, name: str) -> None:
        """End a machine at once. The data that its guest has written to its disks is kept."""
        process = self._process(name)
        if self._runs(process):
            with suppress(ProgramError), monitor(self._socket(name, _MONITOR), 1.0) as qemu:
                qemu.do("quit")
        until = time.monotonic() + 2.0
        while self._runs(process) and time.monotonic() < until:
            time.sleep(0.005)
        until = time.monotonic() + _START_S
        while (there := self._processes(name)) and time.monotonic() < until:
            for pid in there:
                send(pid, signal.SIGKILL, lambda pid=pid: pid in self._processes(name))  # type: ignore[misc]
            time.sleep(0.005)

    def _processes(self, name: str) -> list[int]:
        return processes_of(self._state, self._cgroups, KIND, name)

    def _running(self, name: str) -> int:
        """The QEMU of a machine; 0 where it does not run."""
        return running(self._process(name))

    def _is_homeless(self, name: str) -> bool:
        """Whether the folder of a machine was deleted while it ran."""
        return not self._state.has(KIND, name) and bool(self._cgroups.processes(name))

    def _lost(self, spec: VirtualSpec) -> tuple[DiskShown, ...]:
        """The disks of such a machine. They are in use for as long as it runs, and no other process finds them."""
        told = "was deleted while it was in use"
        return tuple(DiskShown(name=one.base, base="", size_gib=one.size_gib, damage=told) for one in spec.disks)

    def _power(self, name: str, patience: Patience | None = None) -> str:
        if self._is_homeless(name):
            return f"{_SILENT}{_HOMELESS})"
        process = self._process(name)
        if not self._runs(process):
            if not process or self._state.read(KIND, name, _STOPPED) is not None:
                return "off"
            if self._leased.was_ended(KIND, name):
                return FENCED
            return f"off ({ending(self._state.read(KIND, name, _STATUS) or '')})"
        try:
            with (patience or Patience()).monitor(self._socket(name, _MONITOR)) as qemu:
                status = str(qemu.do("query-status").get("status"))
        except ProgramError as error:
            return f"{_SILENT}{error})"
        return _POWERS.get(status, f"{_SILENT}QEMU says: {status[:40]})")

    def _runs(self, process: dict[str, Any]) -> bool:
        return bool(running(process))

    def _is_here(self, name: str) -> bool:
        """Whether anything of a machine is here. One whose folder was deleted may still run."""
        return self._state.has(KIND, name) or bool(self._cgroups.processes(name))

    def _process(self, name: str) -> dict[str, Any]:
        return document(self._state.read(KIND, name, PROCESS))

    def _cables(self, name: str) -> list[Cable]:
        return [Cable(**one) for one in self._process(name).get("cables", ())]

    def _status_of(self, name: str) -> Any:
        return lambda: self._state.read(KIND, name, _STATUS) or ""

    def _socket(self, name: str, which: str) -> Path:
        return self._state.folder(KIND, name) / _SOCKETS / which

    def _listening(self, name: str, which: str) -> int:
        """The descriptor of a socket at which QEMU will listen. Its folder is root's alone."""
        path = self._socket(name, which)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        return listening(path).detach()


def _documents(cables: tuple[Cable, ...]) -> list[dict[str, Any]]:
    return [{name: getattr(one, name) for name in Cable.__dataclass_fields__} for one in cables]
