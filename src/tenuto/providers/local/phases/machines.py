"""The phases of instances: a host, the machine itself, its changes, its end, and the clean-up after a failure."""

import json
from collections.abc import Sequence

from tenuto.errors import BugError, ConflictError
from tenuto.lifecycles.instance import InstanceState
from tenuto.lifecycles.roles import stands
from tenuto.model.ids import ObjectId
from tenuto.model.observation import Condition
from tenuto.model.phase_map import Heading
from tenuto.model.resource import ManagedObject
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.providers.local.driver import Spec, Wire
from tenuto.providers.local.phases.common import (
    RETRY_S,
    Described,
    Tools,
    described,
    host_name_of,
    order,
    refuse,
    remove,
    spec_of,
    wire_of,
    with_values,
)
from tenuto.providers.local.phases.disks import Disks
from tenuto.providers.local.rules.bases import BASES, for_host
from tenuto.providers.local.rules.placement import Assigned, Machine, PlacementRules
from tenuto.providers.local.rules.replacement import (
    LOSSES,
    ON_ERROR,
    WAITS_S,
    is_fenced,
    losses_before,
    policy_of,
    wait_of,
)
from tenuto.providers.local.types import INSTANCE, INTERFACE

NO_ROOM_S = 120.0
"""Seconds for which a machine waits for room before its placement fails."""
OFFERED_WITH = {"qemu": ("ns",)}
"""The drivers that a host of a driver has besides."""
_PLUGGED = "interface"
_AWAIT_S = 1.0
_CLEANED = (
    InstanceState.INITIAL_ERROR,
    InstanceState.PREFLIGHT_ERROR,
    InstanceState.CREATING_ERROR,
    InstanceState.CREATED_ERROR,
)


class Machines:
    """Makes the definitions and their handlers."""

    def __init__(self, tools: Tools, rules: PlacementRules, disks: Disks) -> None:
        self._tools = tools
        self._rules = rules
        self._disks = disks

    def phases(self) -> Sequence[Described]:
        ready = Heading.READY
        made = "local.machine.make"
        return (
            described(
                "local.place",
                self._place,
                INSTANCE,
                (InstanceState.PREFLIGHT,),
                "Choosing a host",
                heading=ready,
                acts=False,
            ),
            described(made, self._order, INSTANCE, (InstanceState.CREATING,), "Making the machine", heading=ready),
            described(
                "local.machine.await",
                self._await,
                INSTANCE,
                (InstanceState.CREATING,),
                "Waiting until it runs",
                heading=ready,
                after=made,
                acts=False,
            ),
            described(
                "local.machine.change", self._order, INSTANCE, (InstanceState.CREATED,), "Changing it", heading=ready
            ),
            described("local.machine.delete", self._remove, INSTANCE, (InstanceState.DELETE_WAIT,), "Deleting it"),
            described("local.machine.clean", self._clean, INSTANCE, _CLEANED, "Removing what was made"),
        )

    def _place(self, run: PhaseRun) -> None:
        known = [one for one in with_values(run) if self._has_driver(run, one)]
        needs = [(one, machine) for one in known if (machine := _needs(run, one)) is not None]
        placing = self._tools.driver.assign(run.partition.region, [machine for _, machine in needs], self._rules)
        for one, _ in needs:
            answer, data = placing[one.object.object_id], run.data(one)
            since = float(str(data.setdefault("since", run.now)))
            if isinstance(answer, Assigned):
                one.attributes.update({"Host": answer.host, "Driver": self._driver_of(run, one)})
                data["trail"] = list(answer.trail)
                run.complete(one)
            elif answer.is_final or run.now >= since + NO_ROOM_S:
                self._fail(run, one, f"{answer.message}. Ask for less, or add a host", "NoRoom")
            else:
                run.sleep(one, RETRY_S, f"{answer.message}; it waits for room", code="NoRoom")

    def _driver_of(self, run: PhaseRun, one: PhaseResource) -> str:
        return str(one.object.desired.get("Driver") or self._tools.driver.name_in(run.partition.region))

    def _has_driver(self, run: PhaseRun, one: PhaseResource) -> bool:
        """Whether the hosts of the zone have the driver that a machine asks for. None takes the place of another."""
        wanted, zone = one.object.desired.get("Driver"), run.partition.region
        offered = self._tools.driver.name_in(zone)
        if not offered or wanted in (None, offered, *OFFERED_WITH.get(offered, ())):
            return True
        run.fail(
            one,
            f"it asks for the driver {wanted}, and the hosts of the zone {zone} have the driver {offered}: leave "
            "Driver out, or choose a zone whose hosts have it",
            code="NoDriver",
        )
        return False

    def _order(self, run: PhaseRun) -> None:
        taken = [
            one
            for one in with_values(run)
            if _needs(run, one) is not None
            and self._has_plugged(run, one)
            and self._disks.has_taken(run, one, str(one.attributes["Driver"]))
        ]
        order(self._tools, run, [(one, self._spec(run, one)) for one in taken], self._fail)

    def _fail(self, run: PhaseRun, one: PhaseResource, message: str, code: str) -> None:
        """Let a machine fail: for a person, or acknowledged in advance by its composition."""
        if stands(one.object) or policy_of(one.object) != ON_ERROR:
            refuse(run, one, message, code)
            return
        losses = losses_before(one.object, self._tools.reservations.incarnations(one.object), run.now)
        run.data(one)[LOSSES] = [*losses, run.now]
        run.fail(one, message, code=code, is_acknowledged=len(losses) < len(WAITS_S))

    def _has_plugged(self, run: PhaseRun, one: PhaseResource) -> bool:
        """Take the interfaces for this machine, each of which fits into one; False after the phase said why not."""
        reservations, object_id = self._tools.reservations, one.object.object_id
        wanted = [ObjectId(str(name)) for name in one.object.desired.get("Interfaces", ())]
        for name in wanted:
            found = reservations.find(name)
            if found is None or found.type != INTERFACE or found.partition != run.partition:
                self._fail(
                    run, one, f"there is no interface {name} here: Interfaces takes Refs of interfaces", "NoInterface"
                )
                return False
            if taken := reservations.take(object_id, _PLUGGED, name):
                self._fail(
                    run, one, f"the interface {name} is in the instance {taken.holder}: take it out there", "InUse"
                )
                return False
        try:
            reservations.need(object_id, _PLUGGED, wanted)
        except ConflictError as error:
            self._fail(run, one, f"its interfaces cannot be used: {error}", "InterfaceGoing")
            return False
        unplugged = [key for key in reservations.keys_of(object_id, _PLUGGED) if key not in wanted]
        reservations.let_go(object_id, _PLUGGED, unplugged)
        return True

    def _spec(self, run: PhaseRun, one: PhaseResource) -> Spec:
        known = {
            "InstanceId": one.object.object_id,
            "Host": one.attributes["Host"],
            "Driver": one.attributes["Driver"],
            BASES: one.attributes[BASES],
        }
        disks = for_host(one.object.desired.get("Disks", ()), one.attributes[BASES])
        name = host_name_of(one.object)
        wiring = [self._wire(ObjectId(str(found))) for found in one.object.desired.get("Interfaces", ())]
        return spec_of(run, one, str(known["Host"]), known, wiring=wiring, Name=name, Host=known["Host"], Disks=disks)

    def _wire(self, interface: ObjectId) -> Wire:
        """The wire of an interface that this machine has taken, so that it and its network stay."""
        plugged = self._tools.reservations.find(interface)
        network = self._tools.reservations.find(ObjectId(str(plugged.desired["Network"]))) if plugged else None
        if plugged is None or network is None:
            raise BugError(f"the interface {interface} was taken, and it or its network is gone")
        return wire_of(interface, plugged.attributes, network)

    def _await(self, run: PhaseRun) -> None:
        seen = {one.object_id: one for one in self._tools.driver.observe(run.partition.region, INSTANCE)}
        for one in run.resources:
            machine = seen.get(one.object.object_id)
            if machine is None:
                self._fail(run, one, "its machine is gone before it ran: 'tenuto resume' makes another", "Gone")
            elif machine.silence:
                run.sleep(one, RETRY_S, machine.silence, code="HostSilent")
            elif machine.condition is Condition.READY:
                one.attributes.update(machine.attributes)
                run.complete(one)
            else:
                run.sleep(one, _AWAIT_S, machine.message)

    def _remove(self, run: PhaseRun) -> None:
        remove(self._tools, run, run.resources)

    def _clean(self, run: PhaseRun) -> None:
        """Remove what was made. A machine on a lost host that waits for a person stays there: its disk may be saved."""
        gone: list[PhaseResource] = []
        for one in run.resources:
            host = str(one.object.attributes.get("Host", ""))
            if (until := wait_of(one.object)) > run.now and not one.object.is_phase_failed:
                run.sleep(one, until - run.now, f"another one is made in its place (Replace: {ON_ERROR})")
                continue
            if self._tools.is_lost(run.partition.region, host) and not is_fenced(policy_of(one.object)):
                run.complete(one)
            else:
                gone.append(one)
        remove(self._tools, run, gone)


def _needs(run: PhaseRun, one: PhaseResource) -> Machine | None:
    """The needs of a machine; it fails where they are none. A value that came from another resource is known only now,
    and a wrong one must not keep the other machines of the run from their places."""
    try:
        return machine_of(one.object)
    except (KeyError, TypeError, ValueError, AttributeError):
        given = {name: one.object.desired.get(name) for name in ("Vcpus", "MemoryMiB", "Affinity", "Tags")}
        refuse(
            run,
            one,
            "Vcpus, MemoryMiB and the weights of Affinity must be whole numbers, and Affinity and Tags mappings; "
            f"resolved they are {json.dumps(given, sort_keys=True)}. Correct the composition",
            "BadProperty",
        )
        return None


def machine_of(found: ManagedObject) -> Machine:
    """The needs of the machine of an object. Raises KeyError, TypeError, ValueError or AttributeError for no needs."""
    desired = found.desired
    return Machine(
        object_id=found.object_id,
        namespace=found.partition.account,
        vcpus=int(desired["Vcpus"]),
        memory_mib=int(desired["MemoryMiB"]),
        host=str(desired.get("Host", "")),
        affinity={tag: int(weight) for tag, weight in desired.get("Affinity", {}).items()},
        tags=frozenset(f"{key}={value}" for key, value in desired.get("Tags", {}).items()),
    )
