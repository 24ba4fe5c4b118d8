"""The conditions that must always hold: after every step, at every commit, and at every provider call that changes
something.

no orphan            each existing thing of ours belongs to an object that is live, or was given back
no duplicate         one incarnation has made at most one thing
no act without plan  every changing call agrees with the plan that is in force at that moment (`force`), and is made in
                     the state for that call; no call that changes the cloud is made beside these
kept is kept         a thing that the last command keeps is never deleted; a release deletes nothing
kept promises        in an unchanged world a command plans the operations of its dry run, one by one (`promises`)
intent first         no create without a stored intent
suspended is idle    no call changes anything of a process after it was suspended
one acts             no deposed Conductor writes or calls, even when it believes that it leads
nothing elsewhere    nothing is ever made, changed or deleted in an account into which swapped credentials lead
others untouched     a thing that is not ours is as it was made
no gap               while a thing is changed in place, its present and wanted members are never absent (`gaps`)
no imagined fight    a property that counts as fought over was set back by others more often than is suffered; one that
                     counts as ignored was ignored, or set back
proven repair        a job that says that it changed something is right (`proofs`)
sound at rest        the store's doctor finds nothing, and no plan that is stored is contradictory
no bug               no illegal move, and nothing that the Conductor itself calls a crash
"""

import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy

from tenuto.core.planning.fights import MOST_TRIES, is_ignored
from tenuto.core.reports.audit import audit_objects, audit_plan
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.ids import Fid, JsonMap, ObjectId, PhysicalId
from tenuto.model.outcome import Request
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import HoldPolicy
from tenuto.ports.store import Store
from tenuto.ports.store_administration import SaveAccount
from tenuto.ports.store_changes import SaveFlips, SaveObject, SavePlan, StoreChange
from tenuto_testing.simulation.force import PlansInForce
from tenuto_testing.simulation.gaps import Lasting, gaps, lasting
from tenuto_testing.simulation.ground import Ground, Key, Standing
from tenuto_testing.simulation.promises import Promises
from tenuto_testing.simulation.proofs import Proofs

_STATES_OF = {
    "find": frozenset({ResourceState.ALLOCATION, ResourceState.DEALLOCATION, ResourceState.RELEASE}),
    "create": frozenset({ResourceState.ALLOCATION}),
    "modify": frozenset({ResourceState.CONFIGURATION}),
    "delete": frozenset({ResourceState.DEALLOCATION}),
    "delete duplicate": frozenset({ResourceState.ALLOCATION, ResourceState.CONFIGURATION, ResourceState.DEALLOCATION}),
    "claim": frozenset({ResourceState.ALLOCATION}),
    "disclaim": frozenset({ResourceState.RELEASE}),
}
_IN_FLIGHT = frozenset({PhaseStatus.RUNNING, PhaseStatus.CANCELING})
_CRASHES = frozenset(
    {"job.crashed", "sweep.crashed", "task.crashed", "phase.lost", "phase.not_recovered", "plan.refused"}
)
_NO_BUG = ("LeaseLostError", "StoreUnavailableError", "ConflictError", "TransientError", "PermanentError")
"""The errors that a phase may raise: the store or the cloud is away, or another writer was faster."""


class Laws:
    """Watches one world. `problems` is empty while every law holds."""

    def __init__(self, *, store: Store, ground: Ground) -> None:
        self.problems: list[str] = []
        self._store = store
        self._ground = ground
        self._strangers: dict[Key, JsonMap] = {}
        self._released: set[PhysicalId] = set()
        self._strikes: Counter[Fid | None] = Counter()
        self._force = PlansInForce(store)
        self._proofs = Proofs(store, ground, lambda fid: self._strikes[fid])
        self.promises = Promises(store, ground, self.broken)
        self._acting: dict[int, tuple[str, Mapping[ObjectId, Request]]] = {}
        self._watched: dict[int, Sequence[Lasting]] = {}

    def broken(self, problem: str) -> None:
        """A law does not hold."""
        self.problems.append(problem)

    def is_given_up(self, one: Standing) -> bool:
        """Whether it was ours once, and was given back."""
        found = self._store.object(one.owner.object_id) if one.owner is not None else None
        is_held = found is not None and found.state != ResourceState.RELEASED
        return one.physical_id in self._released and not is_held and not self.is_protected(one)

    def is_protected(self, one: Standing) -> bool:
        """Whether another user has made the thing."""
        return one.key in self._strangers

    @contextmanager
    def protect(self) -> Iterator[None]:
        """Count the things that are made in this time as those of other users: each must stay as it is at the end of
        it."""
        before = {one.key for one in self._ground.standing()}
        try:
            yield
        finally:
            new = [one for one in self._ground.standing() if one.key not in before]
            self._strangers |= {one.key: _kept(one) for one in new}

    def protect_all(self) -> None:
        """Count all standing things as those of other users."""
        self._strangers = {one.key: _kept(one) for one in self._ground.standing()}

    def struck(self, found: ManagedObject) -> None:
        """Note that another user did something to the thing of an object."""
        self._strikes[found.fid] += 1
        self.promises.forget()
        # A change that is under way is not to blame for a thing that another user takes away, with its parts.
        for thread, watched in self._watched.items():
            self._watched[thread] = [one for one in watched if one.request.fid != found.fid]

    def judge(self, changes: Sequence[StoreChange]) -> tuple[str, ...]:
        """The problems of the plans among changes that are about to be written."""
        return tuple(
            f"plan {problem.code} {problem.summary}: {problem.subject}: {problem.detail}"
            for change in changes
            if isinstance(change, SavePlan)
            for problem in audit_plan(change.plan, self._store.objects(change.plan.fid))
        )

    def after_commit(self, name: str, changes: Sequence[StoreChange], noticed: Sequence[str]) -> None:
        self.problems += noticed
        # The Conductor that first sees which account is used may store it, leader or not: its generation lets no other
        # store another one.
        if not any(isinstance(change, SaveAccount) for change in changes):
            self._check_leads(name, "wrote to the store")
        for change in changes:
            if isinstance(change, SaveObject) and change.object.target == ResourceState.RELEASED:
                self._released.add(change.object.physical_id or PhysicalId(""))
            if isinstance(change, SaveFlips):
                self._check_fights(change)
        self._force.after_commit(changes)
        self.promises.after_commit(changes)
        self.problems += self._proofs.after_commit(changes)

    def _check_fights(self, change: SaveFlips) -> None:
        strikes = self._strikes[change.fid]
        for flip in change.saved:
            if flip.held_at is not None and is_ignored(flip):
                if strikes < MOST_TRIES and not self._ground.has_ignored():
                    self.broken(f"{flip.logical_id}.{flip.path} is held as ignored, and every change was made")
            elif flip.held_at is not None and strikes <= HoldPolicy().flips:
                self.broken(
                    f"{flip.logical_id}.{flip.path} is held as fought over, and strangers struck {strikes} times"
                )

    def before_act(self, name: str, objects: Sequence[ObjectId]) -> None:
        """A call that changes something of these objects is about to be made on this thread."""
        operation, requests = self._acting.get(threading.get_ident(), ("nothing", {}))
        self._check_leads(name, f"called {operation}")
        for object_id in objects:
            if object_id not in requests:
                self.broken(f"{operation} is about to change {object_id}, which it was not asked for")
                continue
            request = requests[object_id]
            found = self._store.object(object_id)
            told = f"{operation} {request.logical_id}#{found.incarnation if found else '?'}"
            if found is None:
                self.broken(f"{told}: there is no such object")
                continue
            is_duplicate = operation == "delete" and found.physical_id not in (None, request.physical_id)
            act = "delete duplicate" if is_duplicate else operation
            self.problems += [f"{told}: {problem}" for problem in self._judge_write(act, found)]

    @contextmanager
    def acting(self, operation: str, requests: Sequence[Request]) -> Iterator[None]:
        """In this time the thread carries out one bulk operation for these requests."""
        thread = threading.get_ident()
        self._acting[thread] = operation, {request.object_id: request for request in requests}
        self._watched[thread] = lasting(self._ground, requests) if operation == "modify" else ()
        try:
            yield
            self.after_change()
        finally:
            del self._acting[thread], self._watched[thread]

    def after_change(self) -> None:
        """A call that may have changed something was carried out on this thread."""
        self.problems += gaps(self._ground, self._watched.get(threading.get_ident(), ()))

    def before_change(self, name: str, action: str) -> None:
        """One call of the cloud's own interface that changes something."""
        self._check_leads(name, f"called {action}")
        if threading.get_ident() not in self._acting:
            self.broken(f"{action}: nothing was ordered")

    def _judge_write(self, act: str, found: ManagedObject) -> Iterable[str]:
        disagreements = list(self._force.disagreements(act, found))
        if disagreements and (act != "delete" or self._stands(found)):
            yield from disagreements
        if found.state not in _STATES_OF[act]:
            yield f"the object is in {found.state}"
        flying = [entry for entry in found.phases.values() if entry.status in _IN_FLIGHT]
        if not flying:
            yield "no phase has the object in a run"
        if act == "create" and not any(entry.act.is_unanswered for entry in flying):
            yield "its intent is not stored"

    def _stands(self, found: ManagedObject) -> bool:
        """Whether a deletion would take anything away: to ask again for one that is being carried out takes nothing."""
        return any(one.physical_id == found.physical_id for one in self._ground.standing())

    def _check_leads(self, name: str, act: str) -> None:
        lease = self._store.lease()
        if lease is None or lease.holder != name:
            self.broken(f"{name} {act}, and {lease.holder if lease else 'nobody'} leads")

    def check(self) -> None:
        """Look at everything that is stored and everything that exists."""
        for process in self._store.processes(live=False):
            problems = audit_objects(process, self._store.objects(process.fid), CATALOGUE)
            self.problems += [f"{one.code} {one.summary}: {one.subject}: {one.detail}" for one in problems]
        standing = self._ground.standing()
        self._check_elsewhere(standing)
        self._check_owners([one for one in standing if one.owner is not None])
        self._check_strangers({one.key: one for one in standing})

    def hear(self, logged: Iterable[Mapping[str, object]]) -> None:
        """Read the log of the Conductor: an entry that it calls a bug is one."""
        for entry in logged:
            reason = str(entry.get("error", entry.get("exception", "")))
            if entry["event"] in _CRASHES or (entry["event"] == "phase.raised" and not reason.startswith(_NO_BUG)):
                self.broken(f"the Conductor logged {dict(entry)}")

    def _check_owners(self, ours: Sequence[Standing]) -> None:
        made: dict[tuple[ObjectId, str], list[str]] = {}
        for one in ours:
            assert one.owner is not None
            found = self._store.object(one.owner.object_id)
            told = f"{one.physical_id}, made for {one.owner.logical_id}"
            if found is None:
                # A thing that was released with its tags stands for ever, and its history ages out.
                if not self.is_given_up(one):
                    self.broken(f"orphan: {told}, belongs to no object")
            elif found.state == ResourceState.TERMINATED:
                self.broken(f"orphan: {told}, still exists and its object (#{found.incarnation}) is Terminated")
            made.setdefault((one.owner.object_id, one.kind), []).append(one.physical_id)
        for (object_id, _), names in made.items():
            if len(names) > 1 and not self._is_being_made(object_id):
                self.broken(f"duplicate: {', '.join(sorted(names))} were all made for one incarnation")

    def _is_being_made(self, object_id: ObjectId) -> bool:
        """Whether a thing that a network made twice may be there still: until its resource counts as made."""
        found = self._store.object(object_id)
        return self._ground.has_repeated() and found is not None and found.state != found.target

    def _check_elsewhere(self, standing: Iterable[Standing]) -> None:
        """Check that nothing of ours stands in the wrong account. The things of other users there are checked
        anyway."""
        for one in standing:
            if one.is_elsewhere and not self.is_protected(one):
                self.broken(f"{one.physical_id} was made in the wrong account")

    def _check_strangers(self, standing: Mapping[Key, Standing]) -> None:
        for key, state in self._strangers.items():
            one = standing.get(key)
            if one is None or _kept(one) != state:
                self.broken(f"{key[1]} is a stranger's, and was {'deleted' if one is None else 'changed'}")


def _kept(one: Standing) -> JsonMap:
    """The state of a thing that must not change. Its own way from pending to available is no user's act."""
    return deepcopy({name: value for name, value in one.state.items() if name != "State"})
