"""The parts that the phases of all types of the local cloud share: their definitions, orders and removals."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tenuto.core.language.resolve import is_resolved
from tenuto.errors import TransientError
from tenuto.lifecycles.roles import stands
from tenuto.model.ids import Json, JsonMap, ObjectId, PhaseName, PhysicalId, TypeName
from tenuto.model.observation import Owner
from tenuto.model.phase_map import Heading, PhaseDefinition
from tenuto.model.resource import ManagedObject
from tenuto.ports.phase import Phase, PhaseResource, PhaseRun
from tenuto.providers.local.driver import Driver, Problem, Spec, Wire
from tenuto.providers.local.reservations import Reservations
from tenuto.providers.local.types import PROVIDER, completed, kind_problem

RETRY_S = 5.0
"""Seconds until a host that did not answer, or an object that is still needed, is asked about again."""
UNDER_WAY_S = 1.0
"""Seconds until a host that has an order is asked about its end. It told most ends at once."""
HOST_FULL = "HostFull"
"""The code of a thing that a host has no room for: another host may have."""
Failing = Callable[[PhaseRun, PhaseResource, str, str], None]
"""The verdict that a thing has failed, with its message and its code."""
Described = tuple[PhaseDefinition, Phase]


@dataclass(frozen=True, slots=True)
class Handler:
    """A function as a phase. Implements `ports.phase.Phase`."""

    act: Callable[[PhaseRun], None]

    def handle(self, run: PhaseRun) -> None:
        self.act(run)


def _none_is_lost(zone: str, host: str) -> bool:
    return False


def refuse(run: PhaseRun, one: PhaseResource, message: str, code: str) -> None:
    """Fail a thing that is made. The failure of one that serves stays in the phase, and the thing serves on as it was:
    a wrong update must never take down the thing that it was to change. A host that is full is asked again: the thing
    cannot go to another one."""
    if code == HOST_FULL:
        run.sleep(one, RETRY_S, f"{message}; it is asked again", code=code)
        return
    run.fail(one, message, code=code, keeps_state=stands(one.object))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """The means of every phase."""

    driver: Driver
    reservations: Reservations
    is_lost: Callable[[str, str], bool] = _none_is_lost
    """The question whether a host, by zone and name, is lost: the things on it count as gone then."""


def described(
    name: str,
    act: Callable[[PhaseRun], None],
    type_name: TypeName,
    states: Sequence[str],
    summary: str,
    *,
    heading: Heading | None = None,
    after: str = "",
    acts: bool = True,
    applies: Callable[[Any], object] | None = None,
) -> Described:
    """The definition of one phase, and its handler."""
    definition = PhaseDefinition(
        name=PhaseName(name),
        states=tuple(states),
        types=(type_name,),
        provider=PROVIDER,
        description=summary,
        dependencies=(PhaseName(after),) if after else (),
        heading=heading,
        acts=acts,
        applies=applies,
    )
    return definition, Handler(act)


def kept_up(
    name: str,
    act: Callable[[PhaseRun], None],
    types: Sequence[TypeName],
    states: Sequence[str],
    summary: str,
    *,
    heading: Heading | None = None,
    every_s: float | None = None,
    applies: Callable[[Any], object] | None = None,
    batch: int = 1000,
) -> Described:
    """The definition of a phase of things that the Conductor itself keeps, and its handler. No host has a part in
    it."""
    definition = PhaseDefinition(
        name=PhaseName(f"local.{name}"),
        states=tuple(states),
        types=tuple(types),
        provider=PROVIDER,
        description=summary,
        heading=heading,
        every_s=every_s,
        applies=applies,
        batch=batch,
        acts=False,
    )
    return definition, Handler(act)


def spec_of(
    run: PhaseRun,
    one: PhaseResource,
    host: str,
    attributes: JsonMap,
    *,
    wiring: Sequence[Wire] = (),
    **shown: object,
) -> Spec:
    """The order for the thing of an object, as it is desired. `shown` are properties that need not be declared."""
    return spec_for(one.object, host, attributes, wiring=wiring, **shown)


def spec_for(
    found: ManagedObject, host: str, attributes: JsonMap, *, wiring: Sequence[Wire] = (), **shown: object
) -> Spec:
    """The order for the thing of an object, whether or not its phase runs."""
    return Spec(
        type=found.type,
        object_id=found.object_id,
        account=found.partition.account,
        owner=Owner(fid=found.fid, logical_id=found.logical_id, object_id=found.object_id) if found.fid else None,
        host=host,
        properties={**completed(found.type, found.desired), **shown},
        attributes=dict(attributes),
        wiring=tuple(wiring),
    )


def with_values(run: PhaseRun) -> Iterator[PhaseResource]:
    """The resources of a run whose every value is known, and of its kind. The others fail: a host keeps its orders in a
    file, so it gets no secret; and a wrong value must not end the phase of all others.
    """
    for one in run.resources:
        if not is_resolved(one.object.desired):
            refuse(
                run,
                one,
                "one of its properties has a secret parameter (NoEcho), which hosts do not take. Use one without it",
                "SecretNotTaken",
            )
        elif problem := kind_problem(one.object.type, one.object.desired):
            refuse(run, one, problem, "BadProperty")
        else:
            yield one


def host_name_of(machine: ManagedObject) -> str:
    """The name of a machine, also inside of it and on its networks."""
    return str(machine.desired.get("Name", machine.logical_id.lower()))


def wire_of(
    interface: ObjectId,
    attributes: Mapping[str, Json],
    network: ManagedObject,
    *,
    floating: str = "",
    routed: tuple[str, ...] = (),
) -> Wire:
    """The facts that a host must know of an interface, by its attributes, and of its network."""
    return Wire(
        interface=interface,
        vni=int(network.attributes["Vni"]),
        cidr=str(network.desired["CidrBlock"]),
        mac=str(attributes["MacAddress"]),
        address=str(attributes["Address"]),
        gateway_host=str(network.attributes["GatewayHost"]),
        floating=floating,
        routed=routed,
    )


def order(
    tools: Tools, run: PhaseRun, specs: Sequence[tuple[PhaseResource, Spec]], fails: Failing = refuse
) -> frozenset[ObjectId]:
    """Give the orders, and complete each that was taken. One that a host cannot take now is given again. Returns the
    objects whose orders were taken.

    `fails` gives the verdict on one that no host will take.
    """
    asked = [spec for _, spec in specs]
    ids = [spec.object_id for spec in asked]
    problems = problems_of(ids, lambda: tools.driver.ensure(run.partition.region, asked))
    for one, spec in specs:
        if (problem := problems.get(spec.object_id)) is not None:
            _tell(run, one, problem, fails)
            continue
        one.physical_id = PhysicalId(spec.object_id)
        one.attributes.update(spec.attributes)
        run.complete(one)
    return frozenset(ids) - problems.keys()


def remove(tools: Tools, run: PhaseRun, resources: Iterable[PhaseResource]) -> None:
    """Remove the things of objects of a run, each after everything that needs it is gone."""
    free: list[PhaseResource] = []
    for one in resources:
        users = tools.reservations.users_of(one.object.object_id)
        if users:
            names = ", ".join(f"{user.type} {user.logical_id}" for user in users)
            run.sleep(one, RETRY_S, f"it is used by {names}; it goes when they are gone", code="InUse")
        else:
            free.append(one)
    asked = [one.object.object_id for one in free]
    problems = problems_of(asked, lambda: tools.driver.remove(run.partition.region, asked))
    for one in free:
        if (problem := problems.get(one.object.object_id)) is not None:
            _tell(run, one, problem)
        else:
            run.complete(one)


def problems_of(ids: Sequence[ObjectId], give: Callable[[], Mapping[ObjectId, Problem]]) -> Mapping[ObjectId, Problem]:
    """The problems with an order. A zone that cannot be reached is a problem of each thing."""
    try:
        return give() if ids else {}
    except TransientError as error:
        return dict.fromkeys(ids, Problem(message=str(error), is_silent=True))


def _tell(run: PhaseRun, one: PhaseResource, problem: Problem, fails: Failing = refuse) -> None:
    if problem.is_full:
        fails(run, one, problem.message, HOST_FULL)
    elif problem.is_final:
        fails(run, one, problem.message, "HostRefused")
    elif problem.is_under_way:
        run.sleep(one, UNDER_WAY_S, problem.message)
    else:
        run.sleep(one, RETRY_S, f"{problem.message}; it is asked again", code=code_of(problem))


def code_of(problem: Problem) -> str:
    """The code of a problem that may pass: a silent host is looked for elsewhere than one that answers."""
    return "HostSilent" if problem.is_silent else "HostFailed"
