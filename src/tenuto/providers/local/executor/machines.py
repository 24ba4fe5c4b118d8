"""Machines on this host that share its kernel: namespaces, limits, a user of their own, and no rights.

Theory of operation. `bwrap` makes the namespaces of processes, files, users, names and messages; it drops every
capability and lets none come back. The network namespace is made before, because its cables are laid from outside and
stay when the machine ends. Inside, the machine is root over a user of the host that only it has. It sees the host's
/usr, read-only, and has a home that lasts as long as the machine.

A machine outlives the executor: it is no child of the executor, and is found again by its process number and the moment
of its start. How it ended is in a file that `bwrap` writes. An order is compared with the machine as it is, so a second
one changes nothing.
"""

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

from tenuto.kit.digits import is_digits
from tenuto.kit.state_folder import StateFolder, make_way
from tenuto.model.ids import ObjectId
from tenuto.providers.local.executor.kernel.cgroups import MOST_PROCESSES, Cgroups
from tenuto.providers.local.executor.kernel.host_facts import HostFacts
from tenuto.providers.local.executor.kernel.host_names import host_name, set_host_name
from tenuto.providers.local.executor.kernel.namespaces import delete_namespace, make_namespace, namespaces
from tenuto.providers.local.executor.kernel.processes import (
    family_of,
    is_in,
    is_running_as,
    parent_of,
    running,
    send,
    stands_still,
    start_of,
)
from tenuto.providers.local.executor.kernel.programs import ENVIRONMENT, ProgramError, batch, run, within
from tenuto.providers.local.executor.kernel.rule_generation import FRESH, rule_generation
from tenuto.providers.local.executor.kernel.spawning import START_S, as_user, began, booted_at, document, ending, spawn
from tenuto.providers.local.executor.kernel.within import NETWORK
from tenuto.providers.local.executor.kernel.within import within as within_netns
from tenuto.providers.local.executor.leased import PROCESS, LeasedMachines
from tenuto.providers.local.executor.networking.cables import lay, links_in, plugged_in
from tenuto.providers.local.executor.requests import MachineShown
from tenuto.providers.local.executor.users import Users, give
from tenuto.providers.local.leases import FENCED
from tenuto.providers.local.rules.machines.spec import MachineSpec, machine_netns

KIND = "machines"
FIRST_UID = 600_000
"""The first user of machines; below are those of people and of the distribution."""
_PID, _STATUS, _LOG, _HOME, _SCRIPT, _STOPPED = (
    "pid",
    "status",
    "log",
    "home",
    "user-data",
    "stopped",
)
_RULES = "rules"
_UNKNOWN = -1
"""The number in place of one that cannot be read: no namespace has it."""
_IN_MACHINE = "/run/user-data"
_BOOT = f"exec >/dev/null 2>&1; cd /root; /bin/sh {_IN_MACHINE}; exec sleep infinity"
"""The program of a machine, inside: its own script, and then waiting to be used."""
_RUNNING = ("on", "paused")
_STOP_S = 2.0


class Machines:
    """The machines of one host. Methods raise ProgramError and LimitsError."""

    def __init__(self, state: StateFolder, cgroups: Cgroups, leased: LeasedMachines) -> None:
        self._leased = leased
        self._state = state
        self._cgroups = cgroups
        self._users = Users(state, KIND, files=_HOME, first=FIRST_UID)

    def ensure(self, spec: MachineSpec) -> None:
        """Bring a machine about as it is to be. The networks of its cables are there already."""
        name, netns = spec.object_id, machine_netns(spec.object_id)
        self._leased.mark(KIND, name, is_leased=spec.ends_with_lease)
        if netns not in namespaces():
            make_namespace(netns)
            # So a machine without rights may ping; the setting is the namespace's own.
            run(*within(netns), "sysctl", "-q", "-w", "net.ipv4.ping_group_range=0 2147483647")
        batch("ip", ["link set dev lo up"], netns)
        lay(netns, spec.cables)
        self._clear_rules(name, netns)
        self._cgroups.ensure(name, spec.vcpus, spec.memory_mib)
        power = self._power(name)
        if (pid := self._running(name)) and not self._cgroups.has(name, pid):
            self._cgroups.take(name, self._family(name, pid))
        if spec.power == "off":
            self._stop(name)
            self._state.write(KIND, name, _STOPPED, "")
            return
        if power not in _RUNNING or not self._has_home(name):
            self._start(spec, netns)
        elif host_name(self._pid(name)) not in ("", spec.name):
            set_host_name(self._pid(name), spec.name)
        self._cgroups.freeze(name, is_frozen=spec.power == "paused")
        if spec.power == "on" and stands_still(self._pid(name)):
            self._cgroups.send(name, signal.SIGCONT)

    def remove(self, object_id: ObjectId) -> None:
        """Remove a machine with all that it had. One that is not here is gone."""
        netns = machine_netns(object_id)
        if self._is_here(object_id):
            self._stop(object_id)
            self._cgroups.remove(object_id)
        if netns in namespaces():
            # The kernel ends a namespace later on; the ports of its cables are to be gone now.
            batch("ip", [f"link delete dev {link['ifname']}" for link in links_in(netns)], netns)
        delete_namespace(netns)
        self._state.remove(KIND, object_id)

    def show(self, spec: MachineSpec, facts: HostFacts) -> MachineShown | None:
        """A machine as it is, in the terms of its order; None when nothing of it is here."""
        name = spec.object_id
        if not self._is_here(name):
            return None
        vcpus, memory_mib = self._cgroups.limits(name)
        plugged, problems = plugged_in(spec, facts)
        if not self._has_home(name) and self._cgroups.processes(name):
            problems = (*problems, "its home was deleted")
        if (pid := self._running(name)) and not self._cgroups.has(name, pid):
            problems = (*problems, "it runs outside of its control groups, without its limits")
        most = self._cgroups.most_processes(name)
        if pid and most != MOST_PROCESSES:
            problems = (*problems, f"it may have {most or 'any number of'} processes instead of {MOST_PROCESSES}")
        netns = machine_netns(name)
        if netns in namespaces() and self._rules_of(netns) != self._kept_rules(name):
            problems = (*problems, f"namespace {netns} has rules of a packet filter")
        power = self._power(name)
        if power in _RUNNING and (shown := host_name(self._pid(name))) not in ("", spec.name):
            problems = (*problems, f"its host name is {shown!r}")
        problems = (*problems, *self._leased.problems(KIND, name, is_leased=spec.ends_with_lease))
        return MachineShown(
            object_id=name,
            power=power,
            vcpus=vcpus,
            memory_mib=memory_mib,
            interfaces=plugged,
            booted_at=booted_at(self._process(name)),
            problems=problems,
        )

    def _pid(self, name: str) -> int:
        return int(self._process(name)["pid"])

    def _running(self, name: str) -> int:
        """The first process of a machine; 0 where it does not run."""
        return running(self._process(name))

    def _processes(self, name: str) -> list[int]:
        """The processes of a machine, also where a person has taken them out of its control groups."""
        pid = self._running(name)
        return sorted({*self._cgroups.processes(name), *(self._family(name, pid) if pid else ())})

    def _family(self, name: str, pid: int) -> list[int]:
        """The processes of a machine by their descent: its first one, and the `bwrap` that waits for that one's end."""
        above = parent_of(pid)
        waits = is_running_as(above, str(self._state.folder(KIND, name) / _HOME))
        return family_of(above if waits else pid)

    def _clear_rules(self, name: str, netns: str) -> None:
        """Remove the rules of packet filters that others have made in the namespace of a machine, which has none."""
        if self._rules_of(netns) != self._kept_rules(name):
            run(*within(netns), "nft", "flush", "ruleset")
            self._state.write(KIND, name, _RULES, str(self._rules_of(netns)))

    def _rules_of(self, netns: str) -> int:
        """The number of the last change of packet filters in a namespace."""
        try:
            return within_netns(f"/run/netns/{netns}", NETWORK, rule_generation)
        except OSError as failed:
            raise ProgramError(f"the rules of {netns} cannot be read: {failed.strerror}") from failed

    def _kept_rules(self, name: str) -> int:
        """That number as it was when the rules were known."""
        text = self._state.read(KIND, name, _RULES) or str(FRESH)
        return int(text) if is_digits(text) else _UNKNOWN

    def _is_here(self, name: str) -> bool:
        """Whether anything of a machine is here. One whose folder was deleted may still run."""
        return self._state.has(KIND, name) or bool(self._cgroups.processes(name))

    def _has_home(self, name: str) -> bool:
        return (self._state.folder(KIND, name) / _HOME).is_dir()

    def _process(self, name: str) -> dict[str, Any]:
        return document(self._state.read(KIND, name, PROCESS))

    def _power(self, name: str) -> str:
        process = self._process(name)
        # A machine that ended before its start could be read has none, and so has a process that is gone.
        if self._running(name):
            if not is_in(int(process["pid"]), f"/run/netns/{machine_netns(ObjectId(name))}"):
                return "off (cut off: its network namespace was deleted)"
            return "paused" if self._cgroups.is_frozen(name) or stands_still(int(process["pid"])) else "on"
        if not process or self._state.read(KIND, name, _STOPPED) is not None:
            return "off"
        if self._leased.was_ended(KIND, name):
            return FENCED
        return f"off ({ending(self._state.read(KIND, name, _STATUS) or '')})"

    def _start(self, spec: MachineSpec, netns: str) -> None:
        name = spec.object_id
        self._stop(name)
        uid = self._users.of(name)
        folder = self._state.made(KIND, name)
        home = folder / _HOME
        if not self._has_home(name):
            make_way(home)
        home.mkdir(mode=0o700, exist_ok=True)
        give(home, uid)
        script = self._state.write(KIND, name, _SCRIPT, spec.user_data, mode=0o400)
        os.chown(script, uid, uid, follow_symlinks=False)
        status = self._state.write(KIND, name, _STATUS, "")
        log = self._state.write(KIND, name, _LOG, "")
        make_way(folder / _STOPPED)
        self._leased.started(KIND, name)
        # A process that joins a frozen group stands still before it becomes the machine.
        self._cgroups.freeze(name, is_frozen=False)
        with status.open("ab") as told, log.open("ab") as said:
            spawn(
                [*within(netns), *as_user(uid), *_sandbox(spec.name, home, script, told.fileno())],
                lambda: self._cgroups.join(name),
                said.fileno(),
                [told.fileno()],
            )
        pid = began(
            lambda: self._state.read(KIND, name, _STATUS) or "", lambda: self._state.read(KIND, name, _LOG) or ""
        )
        document = {"pid": pid, "start": start_of(pid), "booted_at": time.time()}
        # For people: `kill $(cat …/pid)`.
        self._state.write(KIND, name, _PID, f"{pid}\n")
        self._state.write(KIND, name, PROCESS, json.dumps(document))

    def _stop(self, name: str) -> None:
        """End a machine: it is asked, and after two seconds it is ended. A frozen one cannot hear."""
        if self._cgroups.processes(name):
            self._cgroups.freeze(name, is_frozen=False)
        # One that was stopped by a signal hears no other.
        self._cgroups.send(name, signal.SIGCONT)
        for number, patience_s in ((signal.SIGTERM, _STOP_S), (signal.SIGKILL, START_S)):
            end = time.monotonic() + patience_s
            while there := self._processes(name):
                for pid in there:
                    send(pid, number, lambda pid=pid: pid in self._processes(name))  # type: ignore[misc]
                if time.monotonic() > end:
                    break
                time.sleep(0.01)


def _sandbox(name: str, home: Path, script: Path, status: int) -> list[str]:
    """The machine: the host's programs to read, a home to write, and a script of its own that runs first."""
    isolated = (
        "--unshare-user --disable-userns --uid 0 --gid 0 --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try"
    )
    files = "--ro-bind /usr /usr --proc /proc --dev /dev --tmpfs /tmp --tmpfs /run --dir /etc --chdir /"
    linked = "--symlink usr/bin /bin --symlink usr/sbin /sbin --symlink usr/lib /lib --symlink usr/lib64 /lib64"
    own = ["--hostname", name, "--bind", str(home), "/root", "--ro-bind", str(script), _IN_MACHINE]
    fresh = ["--clearenv", "--setenv", "PATH", ENVIRONMENT["PATH"], "--setenv", "HOME", "/root"]
    told = ["--new-session", "--json-status-fd", str(status)]
    return ["bwrap", *f"{isolated} {files} {linked}".split(), *own, *fresh, *told, "/bin/sh", "-c", _BOOT]
