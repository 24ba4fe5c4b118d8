"""The parts that the phases of all types of the local cloud share: their definitions, orders and removals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tenuto.errors import TransientError
from tenuto.model.ids import JsonMap, PhaseName, PhysicalId, TypeName
from tenuto.model.observation import Owner
from tenuto.model.phase_map import Heading, PhaseDefinition
from tenuto.ports.phase import Phase, PhaseResource, PhaseRun
from tenuto.providers.local.driver import Driver, Spec
from tenuto.providers.local.reservations import Reservations
from tenuto.providers.local.types import PROVIDER, completed

RETRY_S = 5.0
"""Seconds until a host that did not answer, or an object that is still needed, is asked about again."""
Described = tuple[PhaseDefinition, Phase]


@dataclass(frozen=True, slots=True)
class Handler:
    """A function as a phase. Implements `ports.phase.Phase`."""

    act: Callable[[PhaseRun], None]

    def handle(self, run: PhaseRun) -> None:
        self.act(run)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """The means of every phase."""

    driver: Driver
    reservations: Reservations


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
    )
    return definition, Handler(act)


def order(tools: Tools, run: PhaseRun, one: PhaseResource, host: str, attributes: JsonMap, **shown: object) -> bool:
    """Order the thing of an object to be as it is desired; True when the order was taken. A host that does not answer
    is asked again."""
    found = one.object
    spec = Spec(
        type=found.type,
        object_id=found.object_id,
        account=run.partition.account,
        owner=Owner(fid=found.fid, logical_id=found.logical_id, object_id=found.object_id) if found.fid else None,
        host=host,
        properties={**completed(found.type, found.desired), **shown},
        attributes=dict(attributes),
    )
    if not _is_taken(run, one, lambda: tools.driver.ensure(run.partition.region, spec)):
        return False
    one.physical_id = PhysicalId(found.object_id)
    one.attributes.update(attributes)
    return True


def remove(tools: Tools, run: PhaseRun, one: PhaseResource) -> None:
    """Remove the thing of an object, after everything that needs it is gone."""
    users = tools.reservations.users_of(one.object.object_id)
    if users:
        names = ", ".join(f"{user.type} {user.logical_id}" for user in users)
        run.sleep(one, RETRY_S, f"it is used by {names}; it goes when they are gone", code="InUse")
        return
    if _is_taken(run, one, lambda: tools.driver.remove(run.partition.region, one.object.object_id)):
        run.complete(one)


def _is_taken(run: PhaseRun, one: PhaseResource, give: Callable[[], str]) -> bool:
    """Whether an order was taken; one that was not is given again later."""
    try:
        silence = give()
    except TransientError as error:
        silence = str(error)
    if silence:
        run.sleep(one, RETRY_S, f"{silence}; it is asked again", code="HostSilent")
    return not silence
