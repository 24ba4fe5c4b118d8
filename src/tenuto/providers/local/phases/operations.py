"""The phases of agent operations: checked, their files on the host, in the line of their instance, carried out at most
once, forgotten.

Theory of operation. An operation is an order for the host of its instance, like any other: a host that has it goes on
with it, and never begins it a second time. Its outcome is seen, like everything else that a host has. Its results are
stored before the host forgets them, so a crash in between costs a repetition of the forgetting alone.

The line of an instance is the operations of it that have not ended, by the moment at which they were asked for. The
first of them is carried out. One that has failed or was deleted is in no line, so it holds nothing up. One whose file
is not on the host yet keeps its place, for as long as its deadline allows.
"""

from collections.abc import Sequence

from tenuto.errors import ConflictError
from tenuto.lifecycles.agent_operation import AgentOperationState
from tenuto.lifecycles.network import NetworkState
from tenuto.model.ids import Json, ObjectId
from tenuto.model.observation import Condition
from tenuto.model.phase_map import Heading
from tenuto.model.resource import ManagedObject
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.providers.local.driver import Spec
from tenuto.providers.local.objects import OPERATION
from tenuto.providers.local.phases.common import RETRY_S, UNDER_WAY_S, Described, Tools, code_of, described, problems_of
from tenuto.providers.local.phases.operation_files import NoFileError, OperationFiles, has_files
from tenuto.providers.local.phases.snapshots import (
    ORDERED_COMMANDS,
    SnapshotLostError,
    Snapshots,
    SnapshotUnderWayError,
)
from tenuto.providers.local.rules.machines.bases import BASES
from tenuto.providers.local.rules.machines.cloud_nodes import as_instance, is_machine, is_up
from tenuto.providers.local.rules.machines.operations import (
    Command,
    UnusableCommandError,
    commands_of,
    deadline_of,
    for_host,
    is_for_network,
    outside,
)
from tenuto.providers.local.types import NETWORK

POLL_S = 0.5
RESULTS = "Results"
_IS_KEPT = "IsKept"
"""The mark of an operation whose snapshots have become versions."""
_S = AgentOperationState
_IN_LINE = (_S.INITIAL, _S.PREFLIGHT, _S.QUEUED, _S.EXECUTING)


class Operations:
    """Makes the definitions and their handlers."""

    def __init__(self, tools: Tools, files: OperationFiles, snapshots: Snapshots) -> None:
        self._tools = tools
        self._files = files
        self._snapshots = snapshots

    def phases(self) -> Sequence[Described]:
        ready = Heading.READY
        return (
            described(
                "local.operation.admit", self._admit, OPERATION, (_S.INITIAL,), "Checking it", heading=ready, acts=False
            ),
            described(
                "local.operation.stage",
                self._stage,
                OPERATION,
                (_S.PREFLIGHT,),
                "Bringing its files to the host",
                heading=ready,
                applies=has_files,
            ),
            described(
                "local.operation.queue",
                self._queue,
                OPERATION,
                (_S.QUEUED,),
                "Waiting for those before it",
                heading=ready,
                acts=False,
            ),
            described(
                "local.operation.execute", self._execute, OPERATION, (_S.EXECUTING,), "Carrying it out", heading=ready
            ),
            described(
                "local.operation.cancel",
                self._cancel,
                OPERATION,
                (*_IN_LINE, _S.COMPLETE, _S.ERROR),
                "Forgetting it",
                heading=Heading.GONE,
            ),
        )

    def _admit(self, run: PhaseRun) -> None:
        for one in run.resources:
            if _is_for_network(one.object):
                self._admit_ping(run, one)
                continue
            wanted = str(one.object.desired["Instance"])
            instance = self._tools.reservations.find(ObjectId(wanted))
            # Whose instance it is was decided by the account for which the operation was asked.
            if instance is None or not is_machine(instance) or instance.partition != run.partition:
                run.fail(one, f"there is no instance {wanted[:80]} in {run.partition.account}", code="NoInstance")
            elif not is_up(instance):
                where = f"the instance {instance.logical_id} is in the state {instance.state}"
                run.fail(one, f"{where}: ask again when it is created", code="NotReady")
            elif (why := _unusable(one.object)) is not None:
                run.fail(one, why, code="Unusable")
            else:
                self._take(run, one, as_instance(instance))

    def _admit_ping(self, run: PhaseRun, one: PhaseResource) -> None:
        """Let the gateway of a network carry an operation out: there the network has an address."""
        wanted = str(one.object.desired["Instance"])
        network = self._tools.reservations.find(ObjectId(wanted))
        if network is None or network.type != NETWORK or network.partition != run.partition:
            run.fail(one, f"there is no network {wanted[:80]} in {run.partition.account}", code="NoNetwork")
        elif network.state != NetworkState.CREATED:
            run.fail(one, f"the network {network.logical_id} is in the state {network.state}", code="NotReady")
        elif why := next((told for cmd in _commands(one.object) if (told := outside(cmd, network.desired))), ""):
            run.fail(one, why, code="Unusable")
        else:
            one.attributes.update({"Instance": network.object_id, "Host": network.attributes["GatewayHost"]})
            run.complete(one)

    def _take(self, run: PhaseRun, one: PhaseResource, instance: ManagedObject) -> None:
        """Let an operation have the blobs that it needs, and the host of its instance."""
        try:
            self._snapshots.check(one.object, instance)
            self._files.take(one)
        except (NoFileError, SnapshotLostError) as why:
            run.fail(one, str(why), code="NoFile" if isinstance(why, NoFileError) else "NoSnapshot")
            return
        disks = len(instance.desired.get("Disks", ()))
        one.attributes.update(
            {
                "Instance": instance.object_id,
                "Host": instance.attributes["Host"],
                ORDERED_COMMANDS: for_host(one.object.desired["Commands"], one.attributes.get(BASES) or {}, disks),
            }
        )
        run.complete(one)

    def _stage(self, run: PhaseRun) -> None:
        """Order the files alone. A host that has them is done with that."""
        specs = [_spec(run, one, commands=[], IsStaged=True) for one in run.resources]
        ids = [spec.object_id for spec in specs]
        problems = problems_of(ids, lambda: self._tools.driver.ensure(run.partition.region, specs))
        for one in run.resources:
            problem = problems.get(one.object.object_id)
            if problem is None:
                run.complete(one)
            elif problem.is_final or (why := self._files.damage(one.object)):
                run.fail(one, problem.message if problem.is_final else why, code="NoFile")
            elif run.now > one.object.created_at + deadline_of(one.object.desired):
                run.fail(one, f"it has expired before its file was on the host: {problem.message}", code="Expired")
            else:
                run.sleep(one, POLL_S if problem.is_under_way else RETRY_S, problem.message)

    def _queue(self, run: PhaseRun) -> None:
        line = [one for one in self._tools.reservations.live(OPERATION) if one.state in _IN_LINE]
        for one in run.resources:
            instance = one.attributes["Instance"]
            first = min((other for other in line if other.desired["Instance"] == instance), key=_place, default=None)
            if first is None or _place(one.object) <= _place(first):
                one.attributes["StartedAt"] = run.now
                run.complete(one)
            else:
                run.sleep(one, POLL_S, f"the operation {first.object_id} of the same instance is before it")

    def _execute(self, run: PhaseRun) -> None:
        open_ = [one for one in run.resources if RESULTS not in one.attributes]
        for one in run.resources:
            if one not in open_:
                self._finish(run, one)
        zone = run.partition.region
        problems = (
            self._tools.driver.ensure(zone, [_spec(run, one, commands=_ordered(one)) for one in open_]) if open_ else {}
        )
        seen = {one.object_id: one for one in self._tools.driver.observe(zone, OPERATION)} if open_ else {}
        for one in open_:
            problem, found = problems.get(one.object.object_id), seen.get(one.object.object_id)
            if problem is not None and problem.is_final:
                run.fail(one, problem.message, code="HostRefused")
            elif found is not None and not found.silence and found.condition is Condition.READY:
                one.attributes[RESULTS] = found.attributes[RESULTS]
                run.checkpoint(one)
                self._finish(run, one)
            elif found is not None and not found.silence and found.condition is Condition.BROKEN:
                one.attributes[f"{RESULTS}BeforeTheError"] = found.attributes[RESULTS]
                run.fail(one, found.message, code="Failed")
            elif run.now > float(one.attributes["StartedAt"]) + deadline_of(one.object.desired) + RETRY_S:
                run.fail(one, "it has expired; it may still run in the guest", code="Expired")
            elif found is not None and found.silence:
                run.sleep(one, RETRY_S, found.silence, code="HostSilent")
            else:
                told = problem.message if problem else found.message if found else ""
                run.sleep(one, POLL_S, told or "the guest is at work on it")

    def _finish(self, run: PhaseRun, one: PhaseResource) -> None:
        """Make versions of the snapshots of an operation that the host has carried out, and let the host forget it."""
        if not one.attributes.get(_IS_KEPT):
            try:
                results = self._snapshots.kept(run, one, _ordered(one), one.attributes[RESULTS])
            except SnapshotLostError as why:
                one.attributes.pop(RESULTS)
                self._snapshots.let_go(one.object)
                run.fail(one, str(why), code="NoSnapshot")
                return
            except SnapshotUnderWayError as reading:
                run.sleep(one, UNDER_WAY_S, str(reading))
                return
            except ConflictError as faster:
                run.sleep(one, RETRY_S, str(faster))
                return
            one.attributes.update({RESULTS: results, _IS_KEPT: True})
            run.checkpoint(one)
        self._snapshots.let_go(one.object)
        self._forget(run, one)

    def _forget(self, run: PhaseRun, one: PhaseResource) -> None:
        """Let the host forget an operation whose results are stored."""
        object_id = one.object.object_id
        problem = self._tools.driver.remove(run.partition.region, [object_id]).get(object_id)
        if problem is None:
            run.complete(one)
        else:
            run.sleep(one, RETRY_S, f"its results are here, and the host does not forget it: {problem.message}")

    def _cancel(self, run: PhaseRun) -> None:
        problems = self._tools.driver.remove(run.partition.region, [one.object.object_id for one in run.resources])
        for one in run.resources:
            problem = problems.get(one.object.object_id)
            if problem is None:
                self._snapshots.drop(one.object)
                run.complete(one)
            else:
                run.sleep(one, RETRY_S, problem.message, code=code_of(problem))


def _spec(run: PhaseRun, one: PhaseResource, *, commands: list[Json], **more: Json) -> Spec:
    desired = one.object.desired
    return Spec(
        type=OPERATION,
        object_id=one.object.object_id,
        account=run.partition.account,
        owner=None,
        host=str(one.attributes["Host"]),
        properties={
            "Instance": one.attributes["Instance"],
            "Commands": commands,
            "DeadlineSeconds": desired["DeadlineSeconds"],
            **more,
        },
        attributes={name: one.attributes[name] for name in ("Host", BASES) if name in one.attributes},
    )


def _ordered(one: PhaseResource) -> list[Json]:
    """The commands as the host is told them. An operation that an earlier release admitted has them as they came."""
    return list(one.attributes.get(ORDERED_COMMANDS) or one.object.desired["Commands"])


def _commands(item: ManagedObject) -> tuple[Command, ...]:
    """The commands of an operation; none where they cannot be read, which is told elsewhere."""
    try:
        return commands_of(item.desired["Commands"])
    except UnusableCommandError:
        return ()


def _is_for_network(item: ManagedObject) -> bool:
    return is_for_network(_commands(item))


def _unusable(item: ManagedObject) -> str | None:
    try:
        commands_of(item.desired["Commands"])
        deadline_of(item.desired)
    except UnusableCommandError as error:
        return str(error)
    return None


def _place(item: ManagedObject) -> tuple[float, str]:
    return item.created_at, item.object_id
