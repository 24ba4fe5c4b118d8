"""The attributes of an instance that can be changed, each in its states."""

from collections.abc import Callable, Mapping
from typing import Any

from tenuto_testing.cloud.call import Call, needed
from tenuto_testing.cloud.families import ec2_interface
from tenuto_testing.cloud.families.ec2_instance import standing
from tenuto_testing.cloud.families.ec2_instance_birth import check_groups
from tenuto_testing.cloud.families.kinds import INSTANCE, INTERFACE, SECURITY_GROUP
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

_HIDDEN = ("DisableApiStop", "DisableApiTermination", "InstanceInitiatedShutdownBehavior", "UserData")
_WHILE_STOPPED = ("EbsOptimized", "InstanceType", "UserData", "Kernel", "Ramdisk")


def _describe_attribute(call: Call) -> Data:
    instance, wanted = call.get(INSTANCE, call.want("InstanceId")), call.want("Attribute")
    name = wanted[0].upper() + wanted[1:]
    if name == "GroupSet":
        return {"InstanceId": instance.id, "Groups": instance["SecurityGroups"]}
    value = instance.hidden.get(name) if name in _HIDDEN else instance.get(name)
    return {"InstanceId": instance.id, name: {} if value is None else {"Value": value}}


def _modify_attribute(call: Call) -> Data:
    instance, (name, value) = standing(call), _wanted(call)
    if name in _WHILE_STOPPED and instance["State"]["Name"] != "stopped":
        raise Refusal(
            "IncorrectInstanceState",
            f"The instance '{instance.id}' is not in the 'stopped' state.",
        )
    if name == "Groups":
        _regroup(call, instance, value)
    elif name == "SourceDestCheck":
        call.edit(instance)[name] = value
        call.edit(call.all(INTERFACE, instance.id)[0])[name] = value
    elif name in _HIDDEN:
        instance.hidden[name] = value
    elif name in _WHILE_STOPPED:
        call.edit(instance)[name] = value
    else:
        raise Refusal("InvalidParameterValue", f"The attribute {name} of an instance cannot be changed here.")
    return {}


def _wanted(call: Call) -> tuple[str, Any]:
    """The one attribute, given as a parameter of its own or as a pair of name and value."""
    if call.want("Attribute"):
        name = call.want("Attribute")
        return name[0].upper() + name[1:], call.need("Value")
    given = [name for name in call.parameters if name not in ("InstanceId", "DryRun")]
    if len(given) != 1:
        raise Refusal("InvalidParameterCombination", "Fields for multiple attribute types specified, or none.")
    value = call.want(given[0])
    return given[0], value.get("Value") if isinstance(value, dict) else value


def _regroup(call: Call, instance: Thing, ids: list[str]) -> None:
    if not ids:
        raise Refusal("InvalidParameterValue", "You must specify at least one security group.")
    groups = tuple(call.get(SECURITY_GROUP, one) for one in ids)
    check_groups(groups, instance["VpcId"], instance["SubnetId"])
    ec2_interface.regroup(call, call.all(INTERFACE, instance.id)[0], groups)
    shown = [{"GroupId": group.id, "GroupName": group["GroupName"]} for group in groups]
    data = call.edit(instance)
    data["SecurityGroups"] = shown
    data["NetworkInterfaces"] = [{**one, "Groups": shown} for one in data["NetworkInterfaces"]]


def _options(name: str, renamed: Mapping[str, str]) -> Callable[[Call], Data]:
    def handler(call: Call) -> Data:
        instance = standing(call)
        given = {
            renamed.get(key, key): value
            for key, value in call.parameters.items()
            if key not in ("InstanceId", "DryRun")
        }
        data = call.edit(instance)
        data[name] = {**(data.get(name) or {}), **given}
        return (
            {"Return": True} if name == "PrivateDnsNameOptions" else {"InstanceId": instance.id, f"Instance{name}": {}}
        )

    return handler


def _modify_credits(call: Call) -> Data:
    done = []
    for one in call.want("InstanceCreditSpecifications"):
        instance = call.get(INSTANCE, needed(one, "InstanceId"))
        instance.hidden["CpuCredits"] = needed(one, "CpuCredits")
        done.append({"InstanceId": instance.id})
    return {"SuccessfulInstanceCreditSpecifications": done, "UnsuccessfulInstanceCreditSpecifications": []}


HANDLERS: Mapping[str, Any] = {
    "DescribeInstanceAttribute": _describe_attribute,
    "ModifyInstanceAttribute": _modify_attribute,
    "ModifyInstanceCreditSpecification": _modify_credits,
    "ModifyInstanceMetadataOptions": _options("MetadataOptions", {}),
    "ModifyPrivateDnsNameOptions": _options("PrivateDnsNameOptions", {"PrivateDnsHostnameType": "HostnameType"}),
}
