"""A pure world for planning tests: resource types, random compositions, and an executor that does what a plan says."""

from collections.abc import Iterable
from dataclasses import replace

from hypothesis import strategies as st

from tenuto.core.language import resolve
from tenuto.core.planning.comparing.references import environment
from tenuto.core.planning.comparing.secrets import digest_of
from tenuto.core.planning.hold import Thing
from tenuto.core.planning.plan_progress import advance
from tenuto.core.planning.planner import plan
from tenuto.model.command import Command, ProcessState
from tenuto.model.composition import Composition, Declaration, DeletionPolicy
from tenuto.model.ids import Fid, Instant, LogicalId, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.naming import ANYTHING, Naming
from tenuto.model.observation import Observation, ObservedItem, Presence
from tenuto.model.outcome import Context
from tenuto.model.plan import Plan, Planning, StepKind
from tenuto.model.process import Intent, IntentStage, Process
from tenuto.model.resource import Comparison, ManagedObject, ResourceType
from tenuto.model.snapshot import Snapshot

HOME = Partition(account="1", region="here")
NOW = Instant(1000.0)
TYPES = {
    name: ResourceType(
        name=name,
        provider="pure",
        source="all",
        create_only=frozenset({"Fixed"}),
        interrupting=frozenset({"Size", "Fixed"}),
        attributes=frozenset({"Arn"}),
        when_absent={"Tags": []},
        cleared_last=frozenset({"Tags"}) if name == "T::A" else frozenset(),
        compare_as={"Tags": Comparison.SET},
        exclusive=(("Name",),),
        named_by="Name",
    )
    for name in (TypeName("T::A"), TypeName("T::B"), TypeName("T::C"))
}

PART, HOLDER = TypeName("T::Part"), TypeName("T::Holder")
"""A thing that ends with the one that it is in, and one that only lets go of those that it holds."""
DISK = TypeName("T::Disk")
KEY = Naming(thing="key", qualified=r"(?P<where>at):(?P<name>.+)", pointer="nick/")
"""A key `k1` is also `at:k1`, and whatever nickname is pointed at it."""
ALL_TYPES = TYPES | {
    PART: ResourceType(
        name=PART,
        provider="pure",
        source="all",
        create_only=frozenset({"In", "Slot"}),
        when_absent={"Tags": []},
        exclusive=(("In", "Slot"),),
    ),
    HOLDER: ResourceType(
        name=HOLDER, provider="pure", source="all", when_absent={"Tags": [], "Holds": []}, detached=frozenset({"Holds"})
    ),
    DISK: ResourceType(
        name=DISK,
        defaults={"Speed": 100, "Note": None},
        provider="pure",
        source="all",
        create_only=frozenset({"Key", "Hidden", "Zone", "ZoneId"}),
        write_only=frozenset({"Hidden"}),
        compare_as={"Key": KEY, "Hidden.Key": KEY, "Seal": KEY},
        synonyms=(("Zone", "ZoneId"),),
        bears_data=True,
    ),
}
"""Beside the types of random compositions one that bears data, and names keys: some for good, one in place."""


class CountingIds:
    """Ids from one counter for each kind."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}

    def new(self, kind: str) -> str:
        self.counts[kind] = self.counts.get(kind, 0) + 1
        return f"{kind}-{self.counts[kind]}"


def process(*, commanded: bool = True, next_command: Command | None = None, **changes: object) -> Process:
    """A process whose command still stands, unless `commanded` is false, and waits when `next_command` is given."""
    stage = IntentStage.SERVED if commanded else IntentStage.DONE
    base = Process(
        intent=Intent(
            command=next_command or Command.RUN,
            given_at=NOW,
            stage=stage if next_command is None else IntentStage.WAITING,
        ),
        fid=Fid("f"),
        alias="web",
        name="web",
        partition=HOME,
        provider="pure",
        state=ProcessState.RUNNING,
        composition_digest="d",
        composition_name="c",
        created_at=NOW,
        updated_at=NOW,
        next_job_at=NOW,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def composition(*declarations: Declaration) -> Composition:
    return Composition(name="c", digest="d", region="here", resources=tuple(declarations))


def declare(name: str, type_name: str = "T::A", *needs: str, **properties: object) -> Declaration:
    """A declaration that refers to `needs` by property and so depends on them."""
    references = {f"Ref{need}": {"Ref": need} for need in needs}
    policy = DeletionPolicy(properties.pop("policy", "Delete"))  # type: ignore[arg-type]
    return Declaration(
        logical_id=LogicalId(name),
        type=TypeName(type_name),
        properties=references | properties,
        depends_on=tuple(sorted(LogicalId(need) for need in needs)),
        deletion_policy=policy,
    )


@st.composite
def compositions(draw: st.DrawFn, names: tuple[str, ...] = ("a", "b", "c", "d", "e", "f")) -> Composition:
    """Any composition over a few names: references only to earlier names, so that there are no circles."""
    chosen = sorted(draw(st.sets(st.sampled_from(names))))
    declarations = []
    for position, name in enumerate(chosen):
        needs = sorted(draw(st.sets(st.sampled_from(chosen[:position]), max_size=2))) if position else []
        properties: dict[str, object] = {}
        for key in ("Fixed", "Soft", "Name"):
            value = draw(st.none() | st.sampled_from(["1", "2"]))
            if value is not None:
                properties[key] = f"{value}-{name}" if key == "Name" else value
        tags = draw(st.lists(st.sampled_from(["x", "y"]), unique=True))
        if tags:
            properties["Tags"] = tags
        kind = draw(st.sampled_from(sorted(ALL_TYPES.keys() - {DISK} if needs else TYPES)))
        if kind not in TYPES:
            properties = {"In": {"Ref": needs[0]}, "Slot": name, "Holds": [{"Ref": need} for need in needs]}
            properties.pop("Holds" if kind == PART else "In")
            one = replace(declare(name, kind, **properties), depends_on=tuple(LogicalId(need) for need in needs))
            declarations.append(one)
            continue
        declarations.append(declare(name, kind, *needs, **properties))
    return composition(*declarations)


class World:
    """Objects and what is really there. Everything that a plan asks for happens at once."""

    def __init__(self) -> None:
        self.objects: dict[ObjectId, ManagedObject] = {}
        self.real: dict[PhysicalId, dict[str, object]] = {}
        self.ids = CountingIds()
        self.trace: list[tuple[StepKind, str]] = []
        self.names = ANYTHING
        self.shown: frozenset[Thing] = frozenset()

    def snapshot(self, wanted: Composition | None, **changes: object) -> Snapshot:
        state = ProcessState.KILLING if wanted is None else ProcessState.RUNNING
        return Snapshot(
            process=process(**({"state": state} | changes)),
            composition=wanted,
            objects=tuple(self.objects.values()),
            observations={key: self.observe(found) for key, found in self.objects.items()},
            types=ALL_TYPES,
            names=self.names,
            shown=self.shown,
            context=Context(account_id="1"),
            now=NOW,
        )

    def observe(self, found: ManagedObject) -> Observation:
        if found.physical_id is None:
            return Observation(presence=Presence.UNSEEN)
        if found.physical_id not in self.real:
            return Observation(presence=Presence.ABSENT)
        item = ObservedItem(physical_id=found.physical_id, properties=self.real[found.physical_id])
        return Observation(presence=Presence.PRESENT, item=item)

    def plan(self, wanted: Composition | None, **changes: object) -> Planning:
        return plan(self.snapshot(wanted, **changes), self.ids)

    def execute(self, made: Plan, wanted: Composition | None) -> None:
        """Begin and finish steps in rounds until the plan is done."""
        for _ in range(len(made.steps) + 1):
            where = advance(made, self.objects)
            if where.is_finished:
                return
            assert where.begin, f"stuck with {[step.logical_id for step in made.steps]}"
            for step in where.begin:
                self.trace.append((step.kind, step.logical_id))
                self._do(made, wanted, step.object_id)
        raise AssertionError("a plan that does not come to its end")

    def _do(self, made: Plan, wanted: Composition | None, object_id: ObjectId) -> None:
        step = next(step for step in made.steps if step.object_id == object_id)
        staying = [found for found in self.objects.values() if found.target == "Started"]
        properties = resolve.resolve(step.properties, environment(process(), staying, Context(account_id="1"), {}))
        match step.kind:
            case StepKind.MAKE:
                assert resolve.is_resolved(properties)
                physical_id = PhysicalId(str(properties.get("Name", f"p-{object_id}")))
                self.real[physical_id] = dict(properties)
                self.objects[object_id] = ManagedObject(
                    object_id=object_id,
                    lifecycle="resource",
                    type=step.type,
                    provider="pure",
                    partition=HOME,
                    fid=Fid("f"),
                    logical_id=step.logical_id,
                    incarnation=step.incarnation,
                    state="Started",
                    target="Started",
                    created_at=NOW,
                    moved_at=NOW,
                    touched_at=NOW,
                    physical_id=physical_id,
                    desired=properties,
                    desired_digest=digest_of(properties, wanted),
                    depends_on=step.depends_on,
                    deletion_policy=step.deletion_policy,
                    plan_id=made.plan_id,
                )
            case StepKind.CHANGE:
                assert resolve.is_resolved(properties)
                found = self.objects[object_id]
                assert found.physical_id is not None
                self.real[found.physical_id] = dict(properties)
                self.objects[object_id] = replace(
                    found,
                    desired=properties,
                    desired_digest=digest_of(properties, wanted),
                    depends_on=step.depends_on,
                    plan_id=made.plan_id,
                    state="Started",
                    target="Started",
                    phases={},
                )
            case StepKind.RELEASE:
                self._end(object_id, made, "Released")
            case _:
                found = self.objects[object_id]
                standing = [
                    one.logical_id
                    for one in self.live()
                    if one.physical_id in self.real and found.physical_id in self.real[one.physical_id].values()
                ]
                is_named = "Name" in found.desired
                assert not standing or is_named or step.kind is StepKind.FORGET, f"{found.logical_id} under {standing}"
                if found.physical_id is not None:
                    self.real.pop(found.physical_id, None)
                    self._leave(found.physical_id)
                self._end(object_id, made, "Terminated")

    def _leave(self, gone: PhysicalId) -> None:
        """Let what is part of a thing that is gone go with it, and what holds it let go."""
        for physical_id, properties in list(self.real.items()):
            if properties.get("In") == gone:
                del self.real[physical_id]
            elif gone in (holds := properties.get("Holds") or ()):  # type: ignore[operator]
                properties["Holds"] = [one for one in holds if one != gone]  # type: ignore[attr-defined]

    def _end(self, object_id: ObjectId, made: Plan, state: str) -> None:
        found = self.objects[object_id]
        self.objects[object_id] = replace(found, state=state, target=state, plan_id=made.plan_id)

    def live(self) -> Iterable[ManagedObject]:
        return [found for found in self.objects.values() if found.state not in ("Terminated", "Released")]


def built(wanted: Composition) -> World:
    """A world in which it stands."""
    world = World()
    world.execute(world.plan(wanted).plan, wanted)
    world.trace.clear()
    return world
