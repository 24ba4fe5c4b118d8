"""The phases of instances: the machine itself, its changes, its end, and the clean-up after a failure."""

from collections.abc import Sequence

from tenuto.errors import BugError, ConflictError
from tenuto.lifecycles.instance import InstanceState
from tenuto.lifecycles.roles import stands
from tenuto.model.cloud_node import PROVIDER as MADE_BY
from tenuto.model.ids import ObjectId
from tenuto.model.observation import Condition
from tenuto.model.phase_map import Heading
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.providers.local.driver import Spec, Wire
from tenuto.providers.local.phases.common import (
    HOST_FULL,
    RETRY_S,
    Described,
    Failing,
    Tools,
    described,
    host_name_of,
    order,
    remove,
    spec_of,
    wire_of,
    with_values,
)
from tenuto.providers.local.phases.disks import Disks
from tenuto.providers.local.phases.placing import ORDERED, Placement
from tenuto.providers.local.rules.machines.bases import BASES, BELOW, for_host
from tenuto.providers.local.rules.machines.placement import PlacementRules
from tenuto.providers.local.rules.machines.replacement import ON_ERROR, is_fenced, policy_of, wait_of
from tenuto.providers.local.types import INSTANCE, INTERFACE

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
        self._disks = disks
        self._placement = Placement(tools, rules, disks)

    def phases(self) -> Sequence[Described]:
        ready = Heading.READY
        made = "local.machine.make"
        return (
            described(
                "local.place",
                self.place,
                INSTANCE,
                (InstanceState.PREFLIGHT,),
                "Choosing a host",
                heading=ready,
                acts=False,
            ),
            described(made, self._make, INSTANCE, (InstanceState.CREATING,), "Making the machine", heading=ready),
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

    def place(self, run: PhaseRun) -> None:
        """Give machines their hosts."""
        self._placement.place(run)

    def let_go(self, one: PhaseResource) -> None:
        """Let a machine that is gone need no content and no interface any more, though its object stays."""
        reservations, object_id = self._tools.reservations, one.object.object_id
        self._disks.let_go(one.object)
        reservations.need(object_id, _PLUGGED, ())
        reservations.let_go(object_id, _PLUGGED, reservations.keys_of(object_id, _PLUGGED))

    def _make(self, run: PhaseRun) -> None:
        """Order machines, each once it is sure that its host still takes it. That an order was given is stored before
        it is given: from then on the host may have something of the machine."""
        placed = self._placement.still_placed(run, self._with_needs(run))
        taken = [one for one in placed if self._has_all(run, one)]
        fresh = [one for one in taken if not one.attributes.get(ORDERED)]
        for one in fresh:
            one.attributes[ORDERED] = one.attributes["Host"]
        if fresh:
            run.checkpoint(fresh)
        order(self._tools, run, [(one, self._spec(run, one)) for one in taken], self._refused)

    def _order(self, run: PhaseRun) -> None:
        self.order(run, self._refused)

    def order(self, run: PhaseRun, fails: Failing) -> None:
        """Order machines that have their hosts, as they are declared. `fails` gives the verdict on one that its host
        refuses."""
        taken = [one for one in self._placement.with_room(run, self._with_needs(run)) if self._has_all(run, one)]
        changed = order(self._tools, run, [(one, self._spec(run, one)) for one in taken], fails)
        self._read_again(run, [one for one in taken if one.object.object_id in changed])

    def _read_again(self, run: PhaseRun, taken: Sequence[PhaseResource]) -> None:
        """Keep the facts that the machines show once they are changed: their addresses, and when they were started.
        They change without an order, too."""
        if not taken:
            return
        seen = {one.object_id: one for one in self._tools.driver.observe(run.partition.region, INSTANCE)}
        for one in taken:
            machine = seen.get(one.object.object_id)
            if machine is not None and not machine.silence:
                one.attributes.update(machine.attributes)

    def _with_needs(self, run: PhaseRun) -> list[PhaseResource]:
        return [one for one in with_values(run) if self._placement.needs(run, one) is not None]

    def _has_all(self, run: PhaseRun, one: PhaseResource) -> bool:
        return self._has_plugged(run, one) and self._disks.has_taken(run, one, str(one.attributes["Driver"]))

    def _refused(self, run: PhaseRun, one: PhaseResource, message: str, code: str) -> None:
        """The verdict on a machine that its host refuses. One that is full may make room, or another one has it."""
        if code != HOST_FULL:
            self._placement.fail(run, one, message, code)
        elif stands(one.object):
            run.sleep(one, RETRY_S, f"{message}; it is asked again", code=code)
        else:
            self._placement.leave(run, one, message)

    def _has_plugged(self, run: PhaseRun, one: PhaseResource) -> bool:
        """Take the interfaces for this machine, each of which fits into one; False after the phase said why not."""
        reservations, object_id = self._tools.reservations, one.object.object_id
        wanted = [ObjectId(str(name)) for name in one.object.desired.get("Interfaces", ())]
        for name in wanted:
            found = reservations.find(name)
            if found is None or found.type != INTERFACE or found.partition != run.partition:
                self._placement.fail(
                    run, one, f"there is no interface {name} here: Interfaces takes Refs of interfaces", "NoInterface"
                )
                return False
            if taken := reservations.take(object_id, _PLUGGED, name):
                self._placement.fail(
                    run, one, f"the interface {name} is in the instance {taken.holder}: take it out there", "InUse"
                )
                return False
        try:
            reservations.need(object_id, _PLUGGED, wanted)
        except ConflictError as error:
            self._placement.fail(run, one, f"its interfaces cannot be used: {error}", "InterfaceGoing")
            return False
        unplugged = [key for key in reservations.keys_of(object_id, _PLUGGED) if key not in wanted]
        reservations.let_go(object_id, _PLUGGED, unplugged)
        return True

    def _spec(self, run: PhaseRun, one: PhaseResource) -> Spec:
        known = {
            "InstanceId": one.object.object_id,
            "Host": one.attributes["Host"],
            "Driver": one.attributes["Driver"],
            **{name: one.attributes[name] for name in (BASES, BELOW, MADE_BY) if name in one.attributes},
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
                why = "its machine is gone before it ran: 'tenuto resume' makes another"
                self._placement.fail(run, one, why, "Gone")
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
        """Remove the machines that were made. A machine on a lost host that waits for a person stays there: its disk
        may be saved."""
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
