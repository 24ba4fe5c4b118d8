"""What must hold whatever happens: after every step, at every commit and at every provider call that changes something.

no orphan            what exists and is ours belongs to an object that is live, or was given back
no duplicate         one incarnation has made at most one thing
no act without plan  every changing call is about an object that a stored plan ordered, in the state for that call
intent first         no create without a stored intent
suspended is idle    no run that begins after a process was suspended changes anything of it
one acts             nobody writes or calls who was deposed, whatever it believes
strangers untouched  what is not ours is as it was made
sound at rest        the store's doctor finds nothing, and no plan that is stored is contradictory
no bug               no illegal move, and nothing that the Conductor itself calls a crash
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from tenuto.core.audit import audit_objects, audit_plan
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.ids import Fid, Instant, JsonMap, PhysicalId
from tenuto.model.outcome import Request
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.process import ProcessState
from tenuto.model.resource import ManagedObject
from tenuto.ports.clock import Clock
from tenuto.ports.store import Store
from tenuto.ports.store_changes import SavePlan, SaveProcess, StoreChange
from tenuto.providers.simulated.cloud import Cloud
from tenuto.providers.simulated.things import Thing

_STATE_OF = {
    "create": ResourceState.ALLOCATION,
    "modify": ResourceState.CONFIGURATION,
    "delete": ResourceState.DEALLOCATION,
    "claim": ResourceState.ALLOCATION,
    "disclaim": ResourceState.RELEASE,
}
_IN_FLIGHT = frozenset({PhaseStatus.RUNNING, PhaseStatus.CANCELING})
_CRASHES = frozenset({"job.crashed", "look.crashed", "task.crashed", "phase.lost", "phase.not_recovered"})
_NO_BUG = ("LeaseLostError", "StoreUnavailableError", "ConflictError", "TransientError", "PermanentError")
"""What a phase may raise: the store or the cloud is away, or somebody else was faster."""


class Laws:
    """Watches one world. `problems` is empty while every law holds."""

    def __init__(self, *, store: Store, cloud: Cloud, clock: Clock) -> None:
        self.problems: list[str] = []
        self._store = store
        self._cloud = cloud
        self._clock = clock
        self._suspended: dict[Fid, Instant] = {}
        self._strangers: dict[PhysicalId, JsonMap] = {}

    def broken(self, problem: str) -> None:
        """A law does not hold."""
        self.problems.append(problem)

    @property
    def protected(self) -> frozenset[PhysicalId]:
        """What strangers have made."""
        return frozenset(self._strangers)

    def protect(self, physical_id: PhysicalId) -> None:
        """A stranger has made something: it must stay as it is now."""
        thing = next(one for one in self._cloud.things() if one.physical_id == physical_id)
        self._strangers[physical_id] = dict(thing.properties)

    def judge(self, changes: Sequence[StoreChange]) -> tuple[str, ...]:
        """What is wrong with the plans among changes that are about to be written."""
        return tuple(
            f"plan {problem.code} {problem.summary}: {problem.subject}: {problem.detail}"
            for change in changes
            if isinstance(change, SavePlan)
            for problem in audit_plan(change.plan, self._store.objects(change.plan.fid))
        )

    def after_commit(self, name: str, changes: Sequence[StoreChange], noticed: Sequence[str]) -> None:
        self.problems += noticed
        self._check_leads(name, "wrote to the store")
        for change in changes:
            if isinstance(change, SaveProcess) and change.moves:
                self._suspended.pop(change.process.fid, None)
                if change.process.state is ProcessState.SUSPENDED:
                    self._suspended[change.process.fid] = self._clock.now()

    def before_write(self, name: str, operation: str, requests: Iterable[Request]) -> None:
        """A call that changes something is about to reach the cloud."""
        self._check_leads(name, f"called {operation}")
        for request in requests:
            found = self._store.object(request.object_id)
            told = f"{operation} {request.logical_id}#{found.incarnation if found else '?'}"
            if found is None:
                self.broken(f"{told}: there is no such object")
                continue
            self.problems += [f"{told}: {problem}" for problem in self._judge_write(operation, found)]

    def _judge_write(self, operation: str, found: ManagedObject) -> Iterable[str]:
        plan = self._store.plan(found.plan_id) if found.plan_id else None
        if plan is None or all(step.object_id != found.object_id for step in plan.steps):
            yield "no stored plan ordered it"
        if found.state != _STATE_OF[operation]:
            yield f"the object is in {found.state}"
        flying = [entry for entry in found.phases.values() if entry.status in _IN_FLIGHT]
        if not flying:
            yield "no phase has the object in a run"
        if operation == "create" and not any("intent_at" in entry.data for entry in flying):
            yield "its intent is not stored"
        since = self._suspended.get(found.fid) if found.fid else None
        if since is not None and any(entry.started_at is not None and entry.started_at > since for entry in flying):
            yield "the process was suspended before the run began"

    def _check_leads(self, name: str, act: str) -> None:
        lease = self._store.lease()
        if lease is None or lease.holder != name:
            self.broken(f"{name} {act}, and {lease.holder if lease else 'nobody'} leads")

    def check(self) -> None:
        """Look at everything that is stored and everything that exists."""
        for process in self._store.processes(live=False):
            problems = audit_objects(process, self._store.objects(process.fid), CATALOGUE)
            self.problems += [f"{one.code} {one.summary}: {one.subject}: {one.detail}" for one in problems]
        now = self._clock.now()
        standing = [thing for thing in self._cloud.things() if thing.is_standing(now)]
        self._check_owners([thing for thing in standing if thing.owner is not None])
        self._check_strangers({thing.physical_id: thing for thing in standing})

    def hear(self, logged: Iterable[Mapping[str, object]]) -> None:
        """What the Conductor logged: its own word for a bug is one."""
        for entry in logged:
            reason = str(entry.get("error", entry.get("exception", "")))
            if entry["event"] in _CRASHES or (entry["event"] == "phase.raised" and not reason.startswith(_NO_BUG)):
                self.broken(f"the Conductor logged {dict(entry)}")

    def _check_owners(self, ours: Sequence[Thing]) -> None:
        for thing in ours:
            assert thing.owner is not None
            found = self._store.object(thing.owner.object_id)
            told = f"{thing.physical_id}, made for {thing.owner.logical_id}"
            if found is None:
                self.broken(f"orphan: {told}, belongs to no object")
            elif found.state == ResourceState.TERMINATED:
                self.broken(f"orphan: {told}, still exists and its object (#{found.incarnation}) is Terminated")
        counts = Counter(thing.owner.object_id for thing in ours if thing.owner is not None)
        for object_id, count in counts.items():
            if count > 1:
                names = sorted(one.physical_id for one in ours if one.owner and one.owner.object_id == object_id)
                self.broken(f"duplicate: {', '.join(names)} were all made for one incarnation")

    def _check_strangers(self, standing: Mapping[PhysicalId, Thing]) -> None:
        for physical_id, properties in self._strangers.items():
            thing = standing.get(physical_id)
            if thing is None or dict(thing.properties) != properties:
                self.broken(f"{physical_id} is a stranger's, and was {'deleted' if thing is None else 'changed'}")
