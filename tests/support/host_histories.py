"""Random histories of hosts: from a seed to lines that read as a story, and the laws that hold in each of them.

The laws, after every step of the clock:
  never two      of a machine that may be made elsewhere at most one runs, wherever
  no orphan      what is on a host belongs to an object that is not over, or its host is still to be cleared of it
  sound          the doctor finds nothing, and the Conductor logs no crash
and at the end, when all hosts are back and people have decided what only they decide:
  rest           each process converges, and what it declares is there, once, and runs
  end            after a kill nothing is on any host, and each object is in a final state of its table
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import structlog
from local_world import a, submission
from stepped_hosts import ZONE, HostsWorld
from structlog.testing import capture_logs

from tenuto.core.reports.audit import audit_objects
from tenuto.errors import TenutoError, UserError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.lifecycles.roles import has_ended
from tenuto.model.command import ProcessState
from tenuto.model.composition import Declaration
from tenuto.model.ids import Json, ObjectId
from tenuto.model.resource import ManagedObject
from tenuto.providers.local.rules.machines.replacement import NEVER
from tenuto.providers.local.types import INSTANCE
from tenuto_testing.mortality import Blow, Crash

HOSTS = ("h1", "h2", "h3")
ALIASES = ("red", "blue")
PAUSES = (0.05, 0.2, 0.6, 1.1, 2.5, 6.0, 9.3, 11.0, 30.0)
"""The pauses, in deadlines of a host: the lease of a host is nine, and a host is lost after ten."""
DAYS = (1, 3, 40)
MOST_RESUMES = 6
"""Decisions of people until a process runs: what they decide may meet the next thing to decide."""
_CRASHES = frozenset(
    {
        "job.crashed",
        "sweep.crashed",
        "task.crashed",
        "phase.lost",
        "phase.not_recovered",
        "plan.refused",
        "phase.raised",
    }
)


def drawn(seed: int) -> tuple[str, ...]:
    """The lines of one history."""
    rng = Random(seed)
    missing_s = rng.choice((10, 30, 120))
    lines = [f"world {missing_s} {rng.randint(0, 600)} {-rng.randint(0, 600)}"]
    for alias in ALIASES[: rng.choice((1, 2))]:
        lines.append(f"run {alias} {_wish(rng)}")
    for _ in range(rng.randint(4, 14)):
        lines.append(_line(rng))
        if rng.random() < 0.7:
            lines.append(f"pass {rng.choice(PAUSES) * missing_s:g}")
    return tuple(lines)


def _wish(rng: Random) -> str:
    """How many machines, what becomes of them when their host is lost, and how much memory each has."""
    policy = rng.choice(("on-host-error", "on-host-error", "on-error", "never"))
    return f"{rng.choice((1, 1, 2))} {policy} {rng.choice((512, 1024, 6000))}"


def _line(rng: Random) -> str:
    host, alias = rng.choice(HOSTS), rng.choice(ALIASES)
    return rng.choice(
        (
            *(f"{verb} {host}" for verb in ("cut", "cut", "heal", "heal", "deafen", "kill-agent", "start-agent")),
            *(f"{verb} {host}" for verb in ("power-off", "start-agent", "cordon", "uncordon", "stop", "delete")),
            f"doom {host} {rng.choice((1, 1, 2, 3))}",
            *(f"{verb} {alias}" for verb in ("resume", "retry", "kill", "suspend", "stop-machine", "destroy")),
            f"run {alias} {_wish(rng)}",
            *(f"update {alias} {_wish(rng)}" for _ in range(2)),
            "crash",
            f"die {rng.choice(('before', 'after'))} {rng.randint(1, 12)}",
            "down",
            "up",
            f"days {rng.choice(DAYS)}",
            f"wall {rng.randint(-900, 900)}",
        )
    )


class Trial:
    """One run of one history. `problems` is empty while every law holds."""

    def __init__(self, lines: Sequence[str], folder: Path) -> None:
        self.problems: list[str] = []
        self.log: list[str] = []
        missing, *ahead = lines[0].split()[1:]
        self._lines = lines[1:]
        self._world = HostsWorld(
            folder, hosts=len(HOSTS), missing_s=float(missing), ahead_s=[0.0, *(float(one) for one in ahead)]
        )
        self._deleted: set[str] = set()
        self._world.after_each = self._check

    def play(self) -> list[str]:
        with capture_logs(processors=[structlog.processors.format_exc_info]) as logged:
            for line in (*self._lines, "calm", "end"):
                self.log.append(f"{self._world.clock.now() - self._world.began_at:>9.1f} {line}")
                try:
                    self._act(*line.split())
                except UserError as refused:
                    self.log.append(f"          ! {str(refused)[:160]}")
                except Crash as crash:
                    self._world.crash(str(crash))
                self._check()
                self.problems += [f"the Conductor logged {one}" for one in logged if one["event"] in _CRASHES]
                logged.clear()
                if self.problems:
                    break
        return list(dict.fromkeys(self.problems))

    def _act(self, verb: str, *words: str) -> None:
        world = self._world
        match verb:
            case "calm":
                self._calm()
                self._compare()
            case "end":
                self._end()
            case "down" | "up" | "days" | "wall" | "crash" | "die":
                self._act_on_conductor(verb, *words)
            case "run" | "update" | "kill" | "suspend" | "resume" | "retry" if not world.is_down:
                self._command(verb, *words)
            case "stop-machine" | "destroy":
                self._strike(verb, words[0])
            case "pass":
                world.advance(float(words[0]))
            case _ if words and words[0] in world.racks:
                self._act_on_host(verb, *words)

    def _act_on_conductor(self, verb: str, *words: str) -> None:
        world = self._world
        match verb:
            case "down":
                world.go_down()
            case "days":
                self._pause(float(words[0]))
            case "up":
                world.come_back()
            case "wall":
                world.set_wall(float(words[0]))
            case "crash" if not world.is_down:
                world.crash()
            case "die":
                world.fate.arm(Blow(operation="commit", is_after=words[0] == "after", count=int(words[1])))

    def _pause(self, days: float) -> None:
        """The Conductor and its hosts are silent for days; then another Conductor is started."""
        self._world.go_down()
        self._world.advance(2 * self._world.deadlines.missing_s)
        self._world.stand_still(days * 86400)
        self._world.come_back()

    def _command(self, verb: str, alias: str, *wish: str) -> None:
        commands = self._world.system.commands
        if verb == "run":
            commands.run(submission(declared(*wish)), alias=alias)
        elif verb == "update":
            commands.update(alias, submission(declared(*wish)))
        else:
            {"kill": commands.kill, "suspend": commands.suspend, "resume": commands.resume, "retry": commands.retry}[
                verb
            ](alias)

    def _act_on_host(self, verb: str, name: str, count: str = "1") -> None:
        rack = self._world.racks[name]
        match verb:
            case "cut":
                rack.is_cut = True
            case "deafen":
                rack.is_deaf = True
            case "heal":
                rack.is_cut = rack.is_deaf = False
            case "kill-agent":
                rack.kill()
            case "start-agent":
                rack.start()
            case "unguard":
                rack.lease.is_guarded = False
            case "power-off":
                rack.lose_power()
            case "doom":
                rack.driver.blow = int(count)
            case "cordon" | "uncordon" if not self._world.is_down:
                self._world.nodes.cordon(name, ZONE, is_cordoned=verb == "cordon", actor="ann")
            case "stop" if not self._world.is_down:
                self._world.nodes.stop(name, ZONE, actor="ann")
            case "delete" if not self._world.is_down and len(self._deleted) < len(HOSTS) - 2:
                self._world.nodes.delete(name, ZONE, is_forced=True, actor="ann")
                self._deleted.add(name)

    def _strike(self, verb: str, alias: str) -> None:
        for rack in self._world.racks.values():
            for object_id in rack.running():
                found = self._world.store.object(object_id)
                process = self._world.store.process(alias)
                if found is not None and process is not None and found.fid == process.fid:
                    rack.things.stop_machine(object_id) if verb == "stop-machine" else rack.things.destroy(object_id)
                    return

    def _check(self) -> None:
        """Look at everything that is stored, and everything that is on the hosts."""
        store = self._world.store
        running: Counter[tuple[object, object]] = Counter()
        where: dict[tuple[object, object], list[str]] = {}
        for name, rack in self._world.racks.items():
            for object_id, policy in rack.replaced().items():
                found = store.object(object_id)
                if policy != NEVER and found is not None:
                    running[found.fid, found.logical_id] += 1
                    where.setdefault((found.fid, found.logical_id), []).append(f"{name}: {object_id}")
        self.problems += [f"{key[1]} runs twice: {where[key]}" for key, count in running.items() if count > 1]
        for process in store.processes(live=False):
            self.problems += [
                f"{one.code} {one.summary}: {one.subject}: {one.detail}"
                for one in audit_objects(process, store.objects(process.fid), CATALOGUE)
            ]

    def _calm(self) -> None:
        """All is well from now on; people decide what only they decide."""
        world = self._world
        world.fate.disarm()
        world.set_wall(0.0)
        world.come_back()
        for name, rack in world.racks.items():
            rack.is_cut = rack.is_deaf = False
            rack.driver.blow = 0
            if name not in self._deleted:
                rack.start()
        world.advance(60)
        for name, state in world.states().items():
            if name in self._deleted:
                continue
            world.nodes.cordon(name, ZONE, is_cordoned=False, actor="ann")
            if state != "created":
                world.racks[name].start()

    def _compare(self) -> None:
        """Resume until all runs, and compare what is there with what is declared."""
        world, is_at_rest = self._world, False
        for _ in range(MOST_RESUMES):
            is_at_rest = world.settle()
            suspended = [one for one in world.store.processes() if one.state is ProcessState.SUSPENDED]
            if not suspended:
                break
            for process in suspended:
                self.log.append(f"          resume {process.alias}: {process.last_message[:300]}")
                world.system.commands.resume(process.fid)
        world.advance(60)
        if not is_at_rest:
            self._tell_unrest()
            return
        for process in world.store.processes():
            if process.state is not ProcessState.RUNNING:
                self.problems.append(f"{process.alias} is {process.state}: {process.last_message}")
        there = self._there()
        for found in self._live():
            self.problems += _unlike(found, there.get(found.object_id, []))
        self.problems += [f"{key} is on {hosts} and belongs to nothing" for key, hosts in self._orphans(there).items()]

    def _end(self) -> None:
        world = self._world
        for process in world.store.processes():
            world.system.commands.kill(process.fid)
        if not world.settle():
            self._tell_unrest()
            return
        world.advance(3 * world.deadlines.missing_s + 60)
        there = self._there()
        self.problems += [f"{key} is left over on {hosts}" for key, hosts in there.items()]
        for process in world.store.processes(live=False):
            if process.state is not ProcessState.GONE:
                self.problems.append(f"{process.alias} is {process.state}: {process.last_message}")
            self.problems += [
                f"{one.logical_id} ends in {one.state}"
                for one in world.store.objects(process.fid)
                if not CATALOGUE[one.lifecycle].is_final(one.state)
            ]

    def _live(self) -> list[ManagedObject]:
        store = self._world.store
        return [one for process in store.processes() for one in store.objects(process.fid) if not has_ended(one)]

    def _there(self) -> Mapping[ObjectId, list[str]]:
        found: dict[ObjectId, list[str]] = {}
        for name, rack in self._world.racks.items():
            if name not in self._deleted:
                for seen in rack.driver.observe():
                    found.setdefault(seen.object_id, []).append(name)
        return found

    def _orphans(self, there: Mapping[ObjectId, list[str]]) -> Mapping[ObjectId, list[str]]:
        live = {one.object_id for one in self._live()}
        return {key: hosts for key, hosts in there.items() if key not in live}

    def _tell_unrest(self) -> None:
        for one in self._live():
            waits = {name: (entry.status.value, entry.message) for name, entry in one.phases.items() if entry.message}
            self.problems.append(f"no rest: {one.logical_id} is {one.state}, to be {one.target}: {one.message} {waits}")


def declared(machines: str, policy: str, memory: str) -> tuple[Declaration, ...]:
    """A network, and machines with an interface each."""
    found = [a("Net", "Network", CidrBlock="10.1.0.0/24")]
    for number in range(int(machines)):
        nic = f"Nic{number}"
        properties: dict[str, Json] = {"Vcpus": 1, "MemoryMiB": int(memory), "Interfaces": [{"Ref": nic}]}
        found.append(a(nic, "NetworkInterface", "Net", Network={"Ref": "Net"}))
        found.append(a(f"Web{number}", "Instance", nic, Replace=policy, **properties))
    return tuple(found)


def _unlike(found: ManagedObject, hosts: list[str]) -> list[str]:
    told = f"{found.logical_id} (#{found.incarnation}, {found.state})"
    if len(hosts) != 1:
        return [f"{told} is on {hosts or 'no host'}, and belongs on {_place_of(found)}"]
    return [] if hosts[0] == _place_of(found) else [f"{told} is on {hosts[0]}, and belongs on {_place_of(found)}"]


def _place_of(found: ManagedObject) -> str:
    return str(found.attributes.get("Host" if found.type == INSTANCE else "GatewayHost"))


def play(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """The faults of a history, and its events. A history in which the trial itself failed is at fault."""
    with TemporaryDirectory() as folder:
        trial = Trial(lines, Path(folder))
        try:
            problems = trial.play()
        except (TenutoError, AssertionError, KeyError) as error:
            problems = [*trial.problems, repr(error)]
        return problems, trial.log


def shrunk(lines: Sequence[str]) -> tuple[str, ...]:
    """A shorter history that goes wrong as well."""
    kept = list(lines)
    for number in reversed(range(1, len(lines))):
        tried = [*kept[:number], *kept[number + 1 :]]
        if play(tried)[0]:
            kept = tried
    return tuple(kept)
