"""An AWS::EC2::Instance as a sweep shows it.

Some properties are not in DescribeInstances and cost a call each; they are read where they are declared. An instance
that Tenuto stopped in order to change it carries a mark until it runs again, and does not show the properties that can
only be changed while it is stopped: so it counts as not yet as declared, even if the Conductor dies between stop and
start.
"""

from collections.abc import Mapping, Sequence

from tenuto.model.ids import Json, JsonMap
from tenuto.model.observation import Condition
from tenuto.providers.aws.client.answers.pages import any_of, ec2
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Scope, Seen
from tenuto.providers.aws.observed import narrowed, seen
from tenuto.providers.aws.types import ec2_instance_ssm, ec2_instance_volumes
from tenuto.providers.aws.types.ec2_instance_ssm import ASSOCIATIONS

NAME = "AWS::EC2::Instance"
STOPPED_MARK = "tenuto:stopped"
"""The tag that says that we stopped it for a change and owe it a start."""
CHANGED_WHILE_STOPPED = ("InstanceType", "EbsOptimized", "UserData")
_RESERVATIONS = ec2("DescribeInstances", "Reservations")
PROFILE_ASSOCIATIONS = ec2("DescribeIamInstanceProfileAssociations", "IamInstanceProfileAssociations")
PROFILE_STATES = ("associating", "associated")
DETAILS = {
    "DisableApiTermination": "disableApiTermination",
    "InstanceInitiatedShutdownBehavior": "instanceInitiatedShutdownBehavior",
    "UserData": "userData",
}
_CONDITIONS = {"pending": Condition.PENDING, "shutting-down": Condition.GOING, "terminated": Condition.GONE}


def read(client: AccountClient, scope: Scope) -> list[Seen]:
    """The source's reading function."""
    instances = _instances(client, **narrowed(scope.filters))
    ids = [one["InstanceId"] for one in instances if _condition(one) not in (Condition.GOING, Condition.GONE)]
    details = scope.details(client, NAME, ids, lambda asked: _details(client, asked))
    profiles = _profiles(client, scope) if details else {}
    return [
        _seen({**one, **profiles.get(one["InstanceId"], {})}, details.get(one["InstanceId"]))
        for one in instances
        if one["InstanceId"] not in (client.unread or {})
    ]


def _profiles(client: AccountClient, scope: Scope) -> dict[str, JsonMap]:
    """The profile that each instance has by its association: DescribeInstances is late to show another one."""
    return {
        one["InstanceId"]: {"IamInstanceProfile": one.get("IamInstanceProfile") or {}}
        for one in client.pages(PROFILE_ASSOCIATIONS, **narrowed(scope.filters))
        if one.get("State") in PROFILE_STATES
    }


def _instances(client: AccountClient, **parameters: Json) -> list[JsonMap]:
    return [one for found in client.pages(_RESERVATIONS, **parameters) for one in found.get("Instances") or ()]


def states(client: AccountClient, ids: Sequence[str]) -> dict[str, str]:
    """The state of each instance that EC2 still knows. Filters, because one unknown id would fail a sweep by id."""
    found: dict[str, str] = {}
    for filters in any_of("instance-id", ids):
        for one in _instances(client, Filters=filters):
            found[one["InstanceId"]] = str(one["State"]["Name"])
    return found


def one_instance(client: AccountClient, instance_id: str) -> JsonMap | None:
    """Read one instance anew."""
    within = [{"Name": "instance-id", "Values": [instance_id]}]
    return next(iter(_instances(client, Filters=within)), None)


def is_marked(instance: JsonMap) -> bool:
    """Whether we stopped it and have not started it again."""
    return any(tag["Key"] == STOPPED_MARK for tag in instance.get("Tags") or ())


def _details(client: AccountClient, asked: Mapping[str, frozenset[str]]) -> dict[str, JsonMap]:
    """The attributes that cost a call each."""
    found = client.each_there(lambda instance_id: _attributes_of(client, instance_id, asked[instance_id]), asked)
    # An instance that went away meanwhile has none: the next sweep tells.
    return {
        instance_id: found.get(instance_id, {}) for instance_id in asked if instance_id not in (client.unread or {})
    }


def _attributes_of(client: AccountClient, instance_id: str, names: frozenset[str]) -> JsonMap:
    found: dict[str, Json] = {}
    for name in sorted(names - {ASSOCIATIONS}):
        answer = client.read("ec2", "DescribeInstanceAttribute", InstanceId=instance_id, Attribute=DETAILS[name])
        found[name] = (answer.get(name) or {}).get("Value")
    if ASSOCIATIONS in names:
        found[ASSOCIATIONS] = ec2_instance_ssm.read(client, instance_id)
    return found


def _condition(instance: JsonMap) -> Condition:
    return _CONDITIONS.get(str(instance["State"]["Name"]), Condition.READY)


def _seen(instance: JsonMap, details: JsonMap | None) -> Seen:
    state = str(instance["State"]["Name"])
    shown = {**_properties(instance), **_placement(instance), **(details or {})}
    message = "" if state == "running" else state
    if is_marked(instance):
        message = f"{state}: stopped for a change, to be started again"
        shown |= dict.fromkeys(CHANGED_WHILE_STOPPED)
    elif state == "stopped":
        message = "stopped outside of Tenuto; CloudFormation has no property that says it should run"
    return seen(
        NAME,
        instance["InstanceId"],
        shown,
        attributes=_attributes(instance),
        tags=instance.get("Tags") or (),
        condition=_condition(instance),
        message=message,
    )


def _properties(instance: JsonMap) -> dict[str, Json]:
    names = (
        "CpuOptions",
        "EbsOptimized",
        "EnclaveOptions",
        "ImageId",
        "InstanceType",
        "KernelId",
        "KeyName",
        "MetadataOptions",
        "PrivateDnsNameOptions",
        "PrivateIpAddress",
        "RamdiskId",
        "SourceDestCheck",
        "SubnetId",
    )
    groups = instance.get("SecurityGroups") or _interface(instance).get("Groups") or ()
    profile = instance.get("IamInstanceProfile") or {}
    found = {name: instance.get(name) for name in names}
    metadata = {name: value for name, value in (instance.get("MetadataOptions") or {}).items() if name != "State"}
    return found | {
        "MetadataOptions": metadata or None,
        "HibernationOptions": instance.get("HibernationOptions") or None,
        "IamInstanceProfile": str(profile["Arn"]).rsplit("/", 1)[-1] if profile.get("Arn") else None,
        "Monitoring": (instance.get("Monitoring") or {}).get("State") in ("enabled", "pending"),
        ec2_instance_volumes.VOLUMES: ec2_instance_volumes.shown(instance),
        "SecurityGroupIds": sorted(group["GroupId"] for group in groups),
        "SecurityGroups": sorted(str(group.get("GroupName")) for group in groups),
    }


def _placement(instance: JsonMap) -> dict[str, Json]:
    placement = instance.get("Placement") or {}
    return {
        "Affinity": placement.get("Affinity"),
        "AvailabilityZone": placement.get("AvailabilityZone"),
        "HostId": placement.get("HostId"),
        "PlacementGroupName": placement.get("GroupName") or None,
        "Tenancy": placement.get("Tenancy"),
    }


def _interface(instance: JsonMap) -> JsonMap:
    interfaces: Sequence[JsonMap] = instance.get("NetworkInterfaces") or ()
    primary = [one for one in interfaces if (one.get("Attachment") or {}).get("DeviceIndex") == 0]
    return next(iter(primary or interfaces), {})


def _attributes(instance: JsonMap) -> dict[str, Json]:
    placement = instance.get("Placement") or {}
    return {
        "InstanceId": instance["InstanceId"],
        "AvailabilityZone": placement.get("AvailabilityZone"),
        "PrivateDnsName": instance.get("PrivateDnsName"),
        "PrivateIp": instance.get("PrivateIpAddress"),
        "PublicDnsName": instance.get("PublicDnsName"),
        "PublicIp": instance.get("PublicIpAddress"),
        "VpcId": instance.get("VpcId"),
        "State.Code": str(instance["State"].get("Code", "")),
        "State.Name": str(instance["State"]["Name"]),
    }
