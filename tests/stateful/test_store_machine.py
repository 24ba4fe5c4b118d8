"""The store keeps values that it wrote or read; whatever happens, it says the same as a newcomer who reads the file.

Each step commits changes, valid or not, alone or several at once. A commit that is refused changes no answer; and after
each step every read agrees with that of a second store on the file, which knows nothing of the commits.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tenuto.errors import TenutoError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.access import PolicyText, RuntimeSetting, UserSecret
from tenuto.model.account import Account
from tenuto.model.command import Command, ProcessState
from tenuto.model.ids import Fid, Instant, JobId, ObjectId, PhysicalId
from tenuto.model.job import JobKind, JobStatus
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.process import CommandRecord, IntentStage
from tenuto.model.resource import ManagedObject, Move
from tenuto.ports.record_kinds import POLICY, RUNTIME_SETTING, THE_POLICY, USER_SECRET
from tenuto.ports.records import RemoveRecord, SaveRecord
from tenuto.ports.store import Store
from tenuto.ports.store_administration import RemoveAccount, SaveAccount
from tenuto.ports.store_changes import (
    Append,
    CreateObject,
    CreateProcess,
    SaveComposition,
    SaveJob,
    SaveObject,
    SavePlan,
    SaveProcess,
    StoreChange,
)
from tenuto.ports.store_reads import EventQuery
from tenuto.storage.file.database import Database
from tenuto.storage.sqlite.store import SqliteStore
from tenuto_testing.store_samples import (
    HERE,
    OTHER_PHASE,
    PHASE,
    THERE,
    a_composition,
    a_job,
    a_plan,
    a_process,
    an_entry,
    an_event,
    an_intent,
    an_object,
    an_op,
    entries,
)

FIDS = ("p1", "p2", "p3")
OBJECTS = tuple(f"o{number}" for number in range(6))
LIFECYCLES = ("resource", "cloud_node", "instance", "node", "blob")
TYPES = ("T1", "T2")
ACCOUNTS = (HERE.account, "a1", "default")

fids = st.sampled_from(FIDS).map(Fid)
instants = st.sampled_from([0.0, 1.0, 2.5, 5.0, 100.0]).map(Instant)
generations = st.integers(1, 4)
holds = st.sampled_from([False, False, False, True])
names = st.lists(st.sampled_from(OBJECTS), max_size=3)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**40) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
documents = st.dictionaries(st.sampled_from(["a", "b", "ä"]), json_values, max_size=2)
phase_entries = st.builds(
    an_entry,
    status=st.sampled_from(PhaseStatus),
    phase=st.sampled_from([PHASE, OTHER_PHASE]),
    wake_at=st.none() | instants,
    message=st.sampled_from(["", "waits"]),
    data=documents,
    runs=st.integers(0, 3),
)
phase_maps = st.lists(phase_entries, max_size=2).map(lambda given: entries(*given))


@st.composite
def processes(draw: st.DrawFn) -> Any:
    return a_process(
        draw(fids),
        alias=draw(st.sampled_from([None, "web", "db", ""])),
        state=draw(st.sampled_from(ProcessState)),
        lookups=draw(documents),
        sealed=draw(st.sampled_from([{}, {"Password": "x"}])),
        last_message=draw(st.sampled_from(["", "done"])),
        is_locked=draw(st.booleans()),
        last_job=draw(st.none() | st.just(a_job())),
        intent=an_intent(draw(st.sampled_from(IntentStage)), command=draw(st.sampled_from(Command))),
        ended_at=draw(st.none() | instants),
    )


@st.composite
def objects(draw: st.DrawFn) -> ManagedObject:
    table = CATALOGUE[draw(st.sampled_from(LIFECYCLES))]
    states = [*map(str, table.states), "nonsense"]
    name = draw(st.sampled_from(OBJECTS))
    return an_object(
        name,
        draw(st.none() | fids),
        lifecycle=draw(st.sampled_from([table.name, table.name, table.name, "unheard"])),
        type=draw(st.sampled_from(TYPES)),
        partition=draw(st.sampled_from([HERE, THERE])),
        logical_id=draw(st.sampled_from(["A", "B"])),
        incarnation=draw(st.integers(1, 3)),
        state=draw(st.sampled_from([*map(str, sorted(table.initial))] * 4 + states)),
        target=draw(st.sampled_from(states)),
        message=draw(st.sampled_from(["", "", "broken"])),
        moved_at=draw(instants),
        physical_id=draw(st.none() | st.just("net-1")),
        desired=draw(documents),
        attributes=draw(documents),
        depends_on=draw(st.lists(st.sampled_from(OBJECTS), max_size=2).map(tuple)),
        kept=draw(st.sampled_from([(), ("Tags",)])),
        phases=draw(phase_maps),
    )


def moves(before: str, steps: Sequence[str]) -> tuple[Move, ...]:
    states = [before, *steps]
    return tuple(
        Move(before=a, after=b, at=Instant(float(at)), actor="t", reason="why")
        for at, (a, b) in enumerate(pairwise(states))
    )


class StoreMachine(RuleBasedStateMachine):
    """A store in a file, and a batch of changes that the next commit takes along."""

    @initialize()
    def open(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "tenuto.db"
        self.database = Database(self.path)
        self.store: Store = SqliteStore(self.database)
        self.told = answers(self.store)
        self.batch: list[StoreChange] = [
            CreateProcess(process=a_process(Fid("p1"), alias="web"), actor="t"),
            CreateProcess(process=a_process(Fid("p2")), actor="t"),
        ]
        for number, name in enumerate(LIFECYCLES):
            state = min(CATALOGUE[name].initial)
            item = an_object(f"o{number}", Fid("p1") if number % 2 else None, lifecycle=name, state=state, target=state)
            self.batch.append(CreateObject(object=replace(item, phases=entries(an_entry())), actor="t"))
        self.commit()

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.store.close()
            self.folder.cleanup()

    def change(self, change: StoreChange, *, hold: bool) -> None:
        self.batch.append(change)
        if not hold:
            self.commit()

    def commit(self) -> None:
        """All of the batch, or none of it."""
        try:
            self.store.commit(self.batch)
        except TenutoError:
            assert answers(self.store) == self.told, self.batch
        self.batch = []

    @rule(process=processes(), hold=holds)
    def create_process(self, process: Any, hold: bool) -> None:
        self.change(CreateProcess(process=process, actor="t"), hold=hold)

    @rule(fid=fids, hold=holds)
    def create_a_proper_process(self, fid: Fid, hold: bool) -> None:
        self.change(CreateProcess(process=a_process(fid, alias=f"of-{fid}"), actor="t"), hold=hold)

    @rule(data=st.data(), hold=holds)
    def save_process(self, data: st.DataObject, hold: bool) -> None:
        """Mostly a stored one, along a listed move, on the right generation."""
        given = data.draw(processes())
        stored = self.store.process(given.fid)
        expected = data.draw(generations)
        path: tuple[Move, ...] = ()
        if stored is not None:
            likely = sorted(CATALOGUE["process"].rows[stored.state])
            state = data.draw(st.sampled_from([stored.state, *likely, *ProcessState]))
            given = replace(given, state=ProcessState(state))
            path = moves(stored.state, [state])
            expected = data.draw(st.sampled_from([stored.generation] * 5 + [expected]))
        self.change(SaveProcess(process=given, expected_generation=expected, moves=path), hold=hold)

    @rule(name=st.sampled_from(OBJECTS), fid=fids, phases=phase_maps, incarnation=st.integers(1, 9), hold=holds)
    def create_a_proper_object(self, name: str, fid: Fid, phases: Any, incarnation: int, hold: bool) -> None:
        item = an_object(name, fid, phases=phases, incarnation=incarnation, logical_id="A", desired={"a": [1]})
        self.change(CreateObject(object=item, actor="t"), hold=hold)

    @rule(item=objects(), hold=holds)
    def create_object(self, item: ManagedObject, hold: bool) -> None:
        self.change(CreateObject(object=item, actor="t", reason="plan"), hold=hold)

    @rule(data=st.data(), hold=holds)
    def save_object(self, data: st.DataObject, hold: bool) -> None:
        """Mostly a stored one, with what it may not change left alone, along a listed move."""
        given = data.draw(objects())
        stored = self.store.object(given.object_id)
        expected = data.draw(generations)
        path: tuple[Move, ...] = ()
        if stored is not None:
            table = CATALOGUE[stored.lifecycle]
            likely = sorted(table.rows[table.states(stored.state)])
            state = data.draw(st.sampled_from([stored.state, *likely, *likely, *map(str, table.states), "nonsense"]))
            path = moves(stored.state, data.draw(st.sampled_from([[state], [state], [], [stored.state, state]])))
            proper = {"state": state, "target": data.draw(st.sampled_from([stored.target, given.target]))}
            mutable = ("message", "moved_at", "physical_id", "desired", "attributes", "depends_on", "kept", "phases")
            if data.draw(st.integers(0, 5)):
                given = replace(stored, **{name: getattr(given, name) for name in mutable}, **proper)  # type: ignore[arg-type]
            expected = data.draw(st.sampled_from([stored.generation] * 5 + [expected]))
        named = data.draw(st.lists(st.sampled_from([PHASE, OTHER_PHASE]), unique=True))
        change = SaveObject(
            object=given,
            expected_generation=expected,
            moves=path,
            entries=tuple(named),
            documents=data.draw(st.booleans()),
        )
        self.change(change, hold=hold)

    @rule(data=st.data(), name=st.sampled_from(OBJECTS), named=st.booleans(), hold=holds)
    def walk_on(self, data: st.DataObject, name: str, named: bool, hold: bool) -> None:
        """A listed move of a stored object, with a change of its entries."""
        stored = self.store.object(ObjectId(name))
        if stored is None:
            return
        table = CATALOGUE[stored.lifecycle]
        state = data.draw(st.sampled_from(sorted(table.rows[table.states(stored.state)]) or [stored.state]))
        phases = data.draw(phase_maps)
        moved = replace(stored, state=state, message="", phases=phases, physical_id=PhysicalId("net-1"))
        change = SaveObject(
            object=moved,
            expected_generation=stored.generation,
            moves=moves(stored.state, [state]),
            entries=tuple(phases) if named else (),
        )
        self.change(change, hold=hold)

    @rule(
        name=st.sampled_from(["j1", "j2", "j3"]),
        fid=fids,
        kind=st.sampled_from(JobKind),
        status=st.sampled_from(JobStatus),
        started=instants,
        finished=st.none() | instants,
        hold=holds,
    )
    def save_job(
        self, name: str, fid: Fid, kind: JobKind, status: JobStatus, started: Instant, finished: Any, hold: bool
    ) -> None:
        fields = {"kind": kind, "status": status, "started_at": started, "finished_at": finished}
        self.change(SaveJob(job=a_job(name, fid, plan_summary={"create": 1}, **fields)), hold=hold)

    @rule(name=st.sampled_from(["plan-1", "plan-2"]), unchanged=st.integers(0, 1), hold=holds)
    def save_plan(self, name: str, unchanged: int, hold: bool) -> None:
        self.change(SavePlan(plan=replace(a_plan(name), unchanged=unchanged)), hold=hold)

    @rule(digest=st.sampled_from(["d1", "d2"]), hold=holds)
    def save_composition(self, digest: str, hold: bool) -> None:
        self.change(SaveComposition(composition=a_composition(digest)), hold=hold)

    @rule(fid=fids, at=instants, named=st.lists(st.sampled_from(OBJECTS), max_size=3), data=documents, hold=holds)
    def append(self, fid: Fid, at: Instant, named: list[str], data: Any, hold: bool) -> None:
        change = Append(
            commands=(CommandRecord(fid=fid, command=Command.UPDATE, at=at, actor="t"),),
            events=(an_event(at, fid, data=data),),
            ops=(an_op(*named, at=at),),
        )
        self.change(change, hold=hold)

    @rule(
        name=st.sampled_from(ACCOUNTS),
        source=st.none() | st.just("a1"),
        account_id=st.none() | st.sampled_from(["1", "2"]),
        region=st.none() | st.just("here"),
        expected=st.integers(0, 2),
        hold=holds,
    )
    def save_account(
        self, name: str, source: str | None, account_id: str | None, region: str | None, expected: int, hold: bool
    ) -> None:
        account = Account(name=name, source=source, account_id=account_id, region=region)
        self.change(SaveAccount(account=account, expected_generation=expected), hold=hold)

    @rule(name=st.sampled_from(ACCOUNTS), expected=st.integers(0, 2), hold=holds)
    def remove_account(self, name: str, expected: int, hold: bool) -> None:
        self.change(RemoveAccount(name=name, expected_generation=expected), hold=hold)

    @rule()
    def restart(self) -> None:
        self.store.close()
        self.database = Database(self.path)
        self.store = SqliteStore(self.database)

    @rule(user=st.sampled_from(["ann", "bob"]), key=st.sampled_from(["k1", "k2"]), removed=names, hold=holds)
    def save_secrets(self, user: str, key: str, removed: list[str], hold: bool) -> None:
        secret = UserSecret(user=user, key=key, digest="d", created_at=Instant(1.0), created_by="t")
        gone = ({"o0": "ann", "o1": "bob"}.get(one, one) for one in removed)
        self.batch += [RemoveRecord(kind=USER_SECRET, key=one) for one in gone]
        self.change(SaveRecord(kind=USER_SECRET, value=secret), hold=hold)

    @rule(
        text=st.none() | st.text(max_size=3),
        key=st.sampled_from(["a", "b"]),
        expected=st.sampled_from([None, None, 0, 1]),
        hold=holds,
    )
    def save_policy_and_setting(self, text: str | None, key: str, expected: int | None, hold: bool) -> None:
        at = Instant(1.0)
        policy = None if text is None else PolicyText(text=text, file="p", set_at=at, set_by="t")
        removed = RemoveRecord(kind=POLICY, key=THE_POLICY)
        self.batch.append(removed if policy is None else SaveRecord(kind=POLICY, value=policy))
        setting = RuntimeSetting(key=key, value=text or "", set_at=at, set_by="t")
        if text is None:
            self.batch.append(RemoveRecord(kind=RUNTIME_SETTING, key="b"))
        self.change(SaveRecord(kind=RUNTIME_SETTING, value=setting, expected_generation=expected), hold=hold)

    @invariant()
    def a_newcomer_is_told_the_same(self) -> None:
        if not hasattr(self, "folder"):
            return
        self.told = answers(self.store)
        for one, other in zip(self.told, answers(SqliteStore(self.database)), strict=True):
            assert one == other


def answers(store: Store) -> list[Any]:
    """Every read that the port has."""
    told: list[Any] = [store.processes(), store.processes(live=False), store.interrupted()]
    told += [store.policy(), store.user_secrets(), store.runtime_settings(), *map(store.user_secret, ("k1", "k2"))]
    told += [store.accounts(), *map(store.account, ACCOUNTS)]
    told += [store.process(name) for name in (*FIDS, "web", "db", "of-p1", "")]
    told += [store.objects(Fid(fid)) for fid in FIDS]
    told += [store.object(ObjectId(name)) for name in OBJECTS]
    told.append(store.selected([ObjectId(name) for name in reversed(OBJECTS)]))
    told += [store.composition(digest) for digest in ("d1", "d2")]
    told += [store.plan(a_plan(name).plan_id) for name in ("plan-1", "plan-2")]
    told += [store.job(JobId(name)) for name in ("j1", "j2", "j3")]
    told += [store.history(Fid(fid)) for fid in FIDS]
    told.append(store.history(Fid("p1"), start=Instant(1.0), end=Instant(5.0), limit=2))
    told += [store.ready(Instant(now)) for now in (0.0, 2.5, 1000.0)]
    for partition in (HERE, THERE):
        told += [store.waiting(phase, partition, Instant(2.5), 3) for phase in (PHASE, OTHER_PHASE)]
        told += [store.tracked(partition, kind) for kind in TYPES]  # type: ignore[arg-type]
    told.append(store.events(EventQuery()))
    told.append(store.events(EventQuery(fid=Fid("p1"), types=("object.state",), after=2, limit=5)))
    told.append(store.events(EventQuery(start=Instant(1.0), end=Instant(5.0))))
    return told


TestStoreMachine = StoreMachine.TestCase
TestStoreMachine.settings = settings(
    max_examples=60,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
