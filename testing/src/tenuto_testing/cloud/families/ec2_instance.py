"""Instances: run, stopped, started and terminated, each taking its time; and the refusals in each state."""

from collections.abc import Callable, Mapping
from typing import Any

from tenuto_testing.cloud.call import Call, unknown
from tenuto_testing.cloud.describing import Listing, select
from tenuto_testing.cloud.families import ec2_address, ec2_instance_birth, ec2_interface, ec2_volume
from tenuto_testing.cloud.families.kinds import ADDRESS, INSTANCE, INTERFACE, PROFILE_ASSOCIATION
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

STATES = {"pending": 0, "running": 16, "shutting-down": 32, "terminated": 48, "stopping": 64, "stopped": 80}
_ENDED = ("shutting-down", "terminated")

INSTANCES = Listing(
    kind=INSTANCE,
    members="Reservations",
    ids="InstanceIds",
    filters={
        "availability-zone": "Placement.AvailabilityZone",
        "image-id": "ImageId",
        "instance-id": "InstanceId",
        "instance-state-code": "State.Code",
        "instance-state-name": "State.Name",
        "instance-type": "InstanceType",
        "instance.group-id": "SecurityGroups.GroupId",
        "key-name": "KeyName",
        "network-interface.network-interface-id": "NetworkInterfaces.NetworkInterfaceId",
        "private-ip-address": "PrivateIpAddress",
        "subnet-id": "SubnetId",
        "vpc-id": "VpcId",
    },
    ids_exclude_pages=True,
)


def _describe(call: Call) -> Data:
    views, token = select(call, INSTANCES)
    reservations: dict[str, Data] = {}
    for view in views:
        reservation_id = view.thing.hidden["reservation"]
        found = reservations.setdefault(
            reservation_id,
            {"ReservationId": reservation_id, "OwnerId": call.account, "Groups": [], "Instances": []},
        )
        found["Instances"].append(view)
    answer: Data = {"Reservations": list(reservations.values())}
    return {**answer, "NextToken": token} if token else answer


def put(call: Call, instance: Thing, state: str) -> None:
    """Bring an instance into a state from any other."""
    call.edit(instance)["State"] = {"Code": STATES[state], "Name": state}


def _run(call: Call) -> Data:
    made = ec2_instance_birth.run(call)
    for instance in made:
        call.later(call.cloud.pace.instance_start_s, _step(instance, "pending", "running"))
    return {
        "ReservationId": made[0].hidden["reservation"],
        "OwnerId": call.account,
        "Groups": [],
        "Instances": list(made),
    }


def _step(instance: Thing, before: str, after: str) -> Callable[[Call], None]:
    def act(call: Call) -> None:
        if instance["State"]["Name"] == before:
            put(call, instance, after)

    return act


def _instances(call: Call) -> list[Thing]:
    return [call.get(INSTANCE, one) for one in dict.fromkeys(call.want("InstanceIds"))]


def _terminate(call: Call) -> Data:
    instances = _instances(call)
    for instance in instances:
        if instance.hidden["DisableApiTermination"]:
            raise Refusal(
                "OperationNotPermitted",
                f"The instance '{instance.id}' may not be terminated. Modify its 'disableApiTermination' instance "
                "attribute and try again.",
            )
    changes = []
    for instance in instances:
        before = dict(instance["State"])
        if before["Name"] not in _ENDED:
            put(call, instance, "shutting-down")
            call.later(call.cloud.pace.instance_stop_s, _ended(instance))
        changes.append(_change(instance, before))
    return {"TerminatingInstances": changes}


def _change(instance: Thing, before: Data) -> Data:
    return {"CurrentState": dict(instance["State"]), "InstanceId": instance.id, "PreviousState": before}


def _ended(instance: Thing) -> Callable[[Call], None]:
    def act(call: Call) -> None:
        put(call, instance, "terminated")
        for interface in call.all(INTERFACE, instance.id):
            for address in call.all(ADDRESS, interface.id):
                ec2_address.unbind(call, address)
            ec2_interface.remove(call, interface)
        ec2_volume.let_go(call, instance)
        for one in call.all(PROFILE_ASSOCIATION, instance.id):
            call.remove(one)
        call.edit(instance).update(NetworkInterfaces=[], BlockDeviceMappings=[], IamInstanceProfile=None)
        for name in ("SubnetId", "VpcId", "PrivateIpAddress", "PublicIpAddress"):
            instance.data.pop(name, None)
        call.later(call.cloud.pace.remembered_s, lambda then: then.remove(instance))

    return act


def _stop(call: Call) -> Data:
    return {"StoppingInstances": _turn(call, ("running",), ("stopping", "stopped"), "stopping", "stopped")}


def _start(call: Call) -> Data:
    return {"StartingInstances": _turn(call, ("stopped",), ("pending", "running"), "pending", "running")}


def _turn(call: Call, from_states: tuple[str, ...], there: tuple[str, ...], through: str, to: str) -> list[Data]:
    """Bring all from a state through one to another; those that are there, or on their way, stay as they are."""
    instances = _instances(call)
    for instance in instances:
        if instance["State"]["Name"] not in (*from_states, *there):
            raise Refusal(
                "IncorrectInstanceState",
                f"The instance '{instance.id}' is not in a state from which it can be {to}: "
                f"it is {instance['State']['Name']}.",
            )
    changes = []
    seconds = call.cloud.pace.instance_stop_s if to == "stopped" else call.cloud.pace.instance_start_s
    for instance in instances:
        before = dict(instance["State"])
        if before["Name"] in from_states:
            put(call, instance, through)
            call.later(seconds, _step(instance, through, to))
        changes.append(_change(instance, before))
    return changes


def standing(call: Call, name: str = "InstanceId") -> Thing:
    """The instance of a request that changes it. Raises Refusal when there is none, or it has ended."""
    instance = call.get(INSTANCE, call.need(name))
    if instance["State"]["Name"] == "terminated":
        raise unknown(INSTANCE, instance.id)
    return instance


def _monitor(call: Call, state: str) -> Data:
    found = []
    for instance in _instances(call):
        call.edit(instance)["Monitoring"] = {"State": state}
        found.append({"InstanceId": instance.id, "Monitoring": {"State": state}})
    return {"InstanceMonitorings": found}


HANDLERS: Mapping[str, Any] = {
    "DescribeInstances": _describe,
    "MonitorInstances": lambda call: _monitor(call, "enabled"),
    "RunInstances": _run,
    "StartInstances": _start,
    "StopInstances": _stop,
    "TerminateInstances": _terminate,
    "UnmonitorInstances": lambda call: _monitor(call, "disabled"),
}
