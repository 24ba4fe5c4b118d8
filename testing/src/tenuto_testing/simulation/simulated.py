"""The simulated cloud as a ground of the simulator, and all that is drawn for it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from tenuto.core.pacing.visibility import VISIBILITY_S
from tenuto.errors import PermanentError
from tenuto.model.ids import JsonMap, Partition, PhysicalId, TypeName
from tenuto.model.resource import ManagedObject
from tenuto.ports.accounts import AccountBook
from tenuto.ports.clock import Clock
from tenuto.ports.provider import OpSink, Provider
from tenuto.providers.simulated.behaviour import Behaviour
from tenuto.providers.simulated.cloud import Cloud
from tenuto.providers.simulated.faults import WHOLE, Fault, FaultKind, Faults
from tenuto.providers.simulated.provider import SimulatedProvider
from tenuto.providers.simulated.things import as_list
from tenuto.providers.simulated.types import BUCKET, NETWORK, TYPES
from tenuto_testing.simulation.ground import Gate, Real, Standing
from tenuto_testing.simulation.scenery import Scenery, Traits
from tenuto_testing.simulation.simulated_properties import REPERTOIRE
from tenuto_testing.simulation.steps import Add, Trouble

_HOME = Partition(account="default", region=REPERTOIRE.region)
_VISIBLE_AFTER = (0.0, 0.0, 1.0, 5.0, 12.0, 31.0, VISIBILITY_S - 0.5)
"""A thing without a token that stays invisible for longer than `VISIBILITY_S` may exist twice when the answer to its
creation was lost (decision 6 of the kernel); no program can know better."""
_OPERATIONS = frozenset({"create", "modify", "delete", "find", "sweep", "context"})
_OBJECTS = 3
_OTHER = "999999999999"


class SimulatedGround:
    """Implements `simulation.ground.Ground`."""

    def __init__(self, clock: Clock, traits: Traits, seed: int) -> None:
        behaviour = Behaviour(honours_tokens=bool(traits["honours_tokens"]), visible_after_s=traits["visible_after_s"])
        self._clock = clock
        self._cloud = Cloud(clock, behaviour)
        self._faults = Faults()
        self._has_ignored = False

    def enter(self, account: str) -> None:
        raise PermanentError("the simulated cloud knows only swapped credentials", code="NoAccounts")

    def swap(self, account: str) -> None:
        self._cloud.lead(_HOME.account, _OTHER if account == "other" else None)

    def provider(self, ops: OpSink, clock: Clock, gate: Gate, accounts: AccountBook) -> Provider:
        return SimulatedProvider(self._cloud, clock=clock, ops=ops, faults=self._faults)

    def standing(self) -> Sequence[Standing]:
        now = self._clock.now()
        return [
            Standing(
                kind=thing.type.facts.name,
                cloud_id=thing.physical_id,
                physical_id=thing.physical_id,
                owner=thing.owner,
                state=thing.properties,
                is_elsewhere=thing.partition.account == _OTHER,
                is_hidden=not thing.is_visible(now),
            )
            for thing in self._cloud.things()
            if thing.is_standing(now)
        ]

    def read(self, tracked: Mapping[TypeName, frozenset[PhysicalId]]) -> Mapping[tuple[TypeName, PhysicalId], Real]:
        now = self._clock.now()
        return {
            (thing.type.facts.name, thing.physical_id): Real(
                facts=thing.type.facts,
                item=replace(thing.item(now), properties=dict(thing.properties), owner=thing.owner),
            )
            for thing in self._cloud.things()
            if thing.is_standing(now)
        }

    def one(self, type_name: TypeName, physical_id: PhysicalId) -> Real | None:
        return self.read({}).get((type_name, physical_id))

    def strike(self, act: str, found: ManagedObject, path: str, value: Any) -> None:
        physical_id = str(found.physical_id)
        match act:
            case "tamper":
                if not self._may_be(physical_id, path, value):
                    raise PermanentError(f"no stranger can give {path} that value", code="NoValue")
                self._cloud.tamper(physical_id, path, value)
            case "vanish":
                self._cloud.vanish(physical_id)
            case "terminate":
                self._cloud.terminate(physical_id)
            case "disown":
                for thing in self._cloud.things():
                    thing.owner = None if thing.physical_id == physical_id else thing.owner
            case "break":
                self._cloud.break_down(physical_id, "it broke")
            case _:
                self._cloud.fill(physical_id, _OBJECTS)

    def _may_be(self, physical_id: str, path: str, value: Any) -> bool:
        """Whether the cloud would let another user give the property this value: one of the same kind, or none."""
        thing = next((one for one in self._cloud.things() if one.physical_id == physical_id), None)
        if thing is None:
            return True
        if value is None:
            return path in thing.type.optional and path not in thing.type.facts.attributes
        if path in thing.type.references and not all(isinstance(name, str) for name in as_list(value)):
            return False
        present = thing.properties.get(path)
        return path in thing.type.properties and (present is None or isinstance(value, type(present)))

    def add(self, type_name: TypeName, properties: JsonMap) -> None:
        if type_name not in TYPES:
            raise PermanentError(f"there is no type {type_name}", code="UnknownType")
        self._cloud.add(_HOME, type_name, properties)

    def trouble(self, kind: str, operation: str, subject: str, times: int, seconds: float) -> None:
        self._has_ignored |= (kind, operation) == (FaultKind.IGNORED, "modify")
        self._faults.add(
            Fault(kind=FaultKind(kind), operation=operation, subject=subject, times=times, seconds=seconds)
        )

    def has_repeated(self) -> bool:
        return False

    def has_ignored(self) -> bool:
        return self._has_ignored

    def calm(self) -> None:
        self._faults.clear()
        for thing in self._cloud.things():
            thing.holds = 0

    def purge(self, one: Standing) -> None:
        self._cloud.vanish(one.physical_id)


def _draw_traits(rng: Random) -> Traits:
    return {"honours_tokens": float(rng.random() < 0.5), "visible_after_s": rng.choice(_VISIBLE_AFTER)}


def _draw_fault(rng: Random) -> Trouble:
    kind = rng.choice(sorted(FaultKind))
    operations = ["create", "create", "modify", "delete"]
    if kind in WHOLE:
        operations += ["find", "sweep", "context"]
    operation = rng.choice(operations)
    slots = REPERTOIRE.slots
    kinds = sorted({name.rpartition("::")[2] for names in slots.values() for name in names})
    subjects = ["*"] if operation in ("sweep", "context") else ["*", rng.choice(sorted(slots)), rng.choice(kinds)]
    return Trouble(
        kind=kind.value,
        operation=operation,
        subject=rng.choice(subjects),
        times=rng.choice((1, 1, 2, 5)),
        seconds=rng.choice((3.0, 30.0, 150.0)),
    )


def _draw_add(rng: Random) -> Add:
    number = rng.randrange(100, 200)
    if rng.random() < 0.5:
        return Add(type=NETWORK, properties={"CidrBlock": f"10.{number}.0.0/16", "Label": "not yours"})
    return Add(type=BUCKET, properties={"Name": f"not-yours-{number}"})


SIMULATED = Scenery(
    name="simulated",
    types={name: kind.facts for name, kind in TYPES.items()},
    repertoire=REPERTOIRE,
    traits={"honours_tokens": 1.0, "visible_after_s": 0.0},
    acts=frozenset({"tamper", "vanish", "terminate", "break", "disown", "fill"}),
    faults=frozenset(kind.value for kind in FaultKind),
    has_operation=_OPERATIONS.__contains__,
    tampered=(
        ("Net1", "Label", ("a stranger's", None)),
        ("Net1", "CidrBlock", ("10.1.0.0/17",)),
        ("Net2", "Tags", ([], [{"Key": "x", "Value": "y"}])),
        ("Sub1", "IsPublic", (True, False)),
        ("Sub2", "Tags", ([{"Key": "x", "Value": "y"}],)),
        ("Sub3", "Label", ("x",)),
        ("Grp1", "Ingress", ([{"Protocol": "all", "Cidr": "0.0.0.0/0"}], [])),
        ("Grp2", "Egress", ([],)),
        ("Grp3", "GuardId", (None,)),
        ("Srv1", "Size", ("small", "large", "huge")),
        ("Srv2", "GroupIds", ([],)),
        ("Srv3", "Image", ("img-9",)),
        ("Rul1", "Note", ("graffiti", None)),
        ("Adr1", "ServerId", (None,)),
        ("Adr2", "Tags", ([{"Key": "x", "Value": "y"}],)),
        ("Bkt1", "Versioning", (True, False)),
        ("Bkt2", "Name", ("renamed-by-a-stranger",)),
        ("Nod1", "Rack", (7, None)),
        ("Nod2", "Image", ("img-9",)),
    ),
    filled=("Bkt1", "Bkt2"),
    accounts=frozenset(),
    credentials=frozenset({"own", "other"}),
    deaths=("now", "commit", "commit", "commit", "create", "modify", "delete", "find"),
    draw_traits=_draw_traits,
    draw_fault=_draw_fault,
    draw_add=_draw_add,
    ground=SimulatedGround,
)
