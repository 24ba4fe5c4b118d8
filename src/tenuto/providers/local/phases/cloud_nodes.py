"""`Cloud.Node` on hosts: the calls of its four phases, and the phases of the local cloud beside them.

Theory of operation. A node walks its own table through the phases of every resource, which call the provider. Each call
is carried out by the code of instances (`rules.machines.cloud_nodes`, `phases.asking`). Two things are left to phases
of the local cloud, since no call covers them. The *host* is chosen in Validation and stored with the node before
anything is ordered: from then on the books of the hosts expect the machine there, also after a restart. The *room*, the
base of the disk and the interface are given back in Deallocation, after the machine: a node that rests holds nothing on
a host, and is placed anew when it comes back. A node is never released (`ResourceType.can_be_released`): a machine
without an object would be a stray of its host, and be removed there.

An order may be repeated at any time, and the object id names the machine. So a creation without an answer is repeated,
and makes nothing twice: the host is stored already.
"""

from collections.abc import Callable, Sequence

from tenuto.errors import TransientError
from tenuto.lifecycles.cloud_node import CloudNodeState
from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.cloud_node import PROVIDER as MADE_BY
from tenuto.model.ids import Partition, PhaseName
from tenuto.model.outcome import Done, Outcome, Pending, Refused, Request
from tenuto.ports.clock import Clock
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.providers.local.driver import Seen
from tenuto.providers.local.phases.asking import AskedMachine, Asking
from tenuto.providers.local.phases.common import Described, Tools, described, refuse, remove
from tenuto.providers.local.phases.machines import Machines
from tenuto.providers.local.phases.placing import RESERVED
from tenuto.providers.local.rules.machines.bases import BASES, BELOW
from tenuto.providers.local.rules.machines.cloud_nodes import as_instance, size_of, told_size
from tenuto.providers.local.rules.machines.placement import DISK_GIB
from tenuto.providers.local.types import INSTANCE, PROVIDER

_CALL = "local.node"
_PLACED = frozenset({"Host", "Driver"})
DELETED = PhaseName("resource.delete")
"""The phase that ends with the machine: Tenuto's own, of every resource."""


class CloudNodes:
    """Makes the definitions and their handlers, and answers the calls about nodes."""

    def __init__(self, tools: Tools, machines: Machines, clock: Clock) -> None:
        self._tools = tools
        self._machines = machines
        self._clock = clock

    def phases(self) -> Sequence[Described]:
        _s = CloudNodeState
        return (
            described("local.node.place", self._place, CLOUD_NODE, (_s.VALIDATION,), "Choosing a host", acts=False),
            described(
                "local.node.leave", self._leave, CLOUD_NODE, (_s.DEALLOCATION,), "Giving its room back", after=DELETED
            ),
        )

    # The calls.

    def order(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        """Bring machines about as their nodes are declared: one that is there is changed."""
        return self._asked(partition, requests, lambda run: self._machines.order(run, refuse), needed=_PLACED)

    def delete(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._asked(partition, requests, lambda run: remove(self._tools, run, run.resources))

    def disclaim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return [_NOT_RELEASED for _ in requests]

    def find(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Seen | None]:
        """Return the machine of each request that is on a host. Raises TransientError when its host cannot tell."""
        seen = {one.object_id: one for one in self._tools.driver.observe(partition.region, INSTANCE)}
        found = [seen.get(one.object_id) for one in requests]
        if silence := next((one.silence for one in found if one is not None and one.silence), ""):
            raise TransientError(silence, code="HostSilent")
        return found

    def _asked(
        self,
        partition: Partition,
        requests: Sequence[Request],
        act: Callable[[Asking], None],
        needed: frozenset[str] = frozenset(),
    ) -> Sequence[Outcome]:
        """Carry a call out as a run of the phases of instances, for the nodes that have the `needed` attributes.

        The stored objects count, and not the requests: these have secrets in clear, and a host keeps its orders in a
        file.
        """
        objects = {one.object_id: self._tools.reservations.find(one.object_id) for one in requests}
        machines = [
            AskedMachine(object=as_instance(found), attributes=dict(one.attributes), physical_id=one.physical_id)
            for one in requests
            if (found := objects[one.object_id]) is not None and needed <= one.attributes.keys()
        ]
        run = Asking(_CALL, partition, self._clock.now(), machines)
        act(run)
        asked = {one.object.object_id for one in machines}
        return [run.outcome(one.object_id) if one.object_id in asked else _unplaced(one) for one in requests]

    # The phases.

    def _place(self, run: PhaseRun) -> None:
        fit = []
        for one in run.resources:
            declared = one.object.desired.get("MachineType")
            if size_of(declared) is None:
                run.fail(one, told_size(declared), code="BadProperty")
            else:
                fit.append(one)
        self._as_instances(run, fit, self._machines.place)
        for one in fit:
            if "Host" in one.attributes:
                one.attributes[MADE_BY] = PROVIDER

    def _leave(self, run: PhaseRun) -> None:
        left = self._as_instances(run, run.resources, lambda asked: remove(self._tools, asked, asked.resources))
        for one in left:
            self._machines.let_go(one)
            for name in _OF_PLACE:
                one.attributes.pop(name, None)

    def _as_instances(
        self, run: PhaseRun, resources: Sequence[PhaseResource], act: Callable[[Asking], None]
    ) -> list[PhaseResource]:
        """Let a phase of instances work on nodes, and tell its verdicts. Return the nodes that it completed."""
        machines = [
            AskedMachine(object=as_instance(one.object), attributes=one.attributes, data=run.data(one))
            for one in resources
        ]
        asked = Asking(run.phase, run.partition, run.now, machines)
        act(asked)
        done = []
        for one in resources:
            match asked.outcome(one.object.object_id):
                case Done():
                    done.append(one)
                    run.complete(one)
                case Pending() as wait:
                    run.sleep(one, wait.delay_s, wait.message, code=wait.code)
                case Refused() as refused:
                    run.fail(one, refused.message, code=refused.code)
        return done


_OF_PLACE = ("Host", "Driver", DISK_GIB, RESERVED, BASES, BELOW)
"""The attributes with the place of a machine on its host: a stored node that has them holds room there."""


_NOT_RELEASED = Refused(
    code="NotReleased",
    message="a node on your own hosts cannot be released: without it, its host would remove the machine as a stray",
    hint="'resume' keeps the node. To delete it and its machine, give it DeletionPolicy: Delete, and kill the process.",
    is_unsent=True,
)


def _unplaced(request: Request) -> Outcome:
    return Refused(
        code="NotPlaced",
        message=f"the node {request.logical_id} has no host (its machine was given back meanwhile)",
        hint="Let it rest (TargetState: Deallocated) and come back, or kill it and run it again.",
        is_unsent=True,
    )
