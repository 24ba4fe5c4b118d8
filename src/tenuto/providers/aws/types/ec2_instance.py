"""AWS::EC2::Instance: the block, creation and deletion. The instance that a sweep shows is in ec2_instance_read,
changes in …_change.
"""

from collections.abc import Sequence

from tenuto.errors import ProviderError
from tenuto.model.ids import JsonMap
from tenuto.model.outcome import Done, Outcome, Pending, Request
from tenuto.model.resource import Comparison
from tenuto.providers.aws.absence import completed
from tenuto.providers.aws.client.answers.answers import only
from tenuto.providers.aws.client.answers.faults import is_gone, is_of_the_call
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.names import client_token
from tenuto.providers.aws.client.owner import birth_tags, declared_tags
from tenuto.providers.aws.kind import AwsType, IdFilter, Source, Work, by_owner
from tenuto.providers.aws.naming import INSTANCE_PROFILE, KMS_KEY
from tenuto.providers.aws.outcomes import outcome_of
from tenuto.providers.aws.question import by_ids
from tenuto.providers.aws.types import ec2_instance_change, ec2_instance_read, ec2_instance_ssm, ec2_instance_volumes
from tenuto.providers.aws.types.facts import calls, facts, unsaid

_PLACEMENT = {
    "Affinity": "Affinity",
    "AvailabilityZone": "AvailabilityZone",
    "HostId": "HostId",
    "HostResourceGroupArn": "HostResourceGroupArn",
    "PlacementGroupName": "GroupName",
    "Tenancy": "Tenancy",
}
_AS_DECLARED = (
    "AdditionalInfo",
    "CpuOptions",
    "DisableApiTermination",
    "EbsOptimized",
    "EnclaveOptions",
    "HibernationOptions",
    "ImageId",
    "InstanceInitiatedShutdownBehavior",
    "InstanceType",
    "Ipv6AddressCount",
    "Ipv6Addresses",
    "KernelId",
    "KeyName",
    "LaunchTemplate",
    "LicenseSpecifications",
    "MetadataOptions",
    "PrivateDnsNameOptions",
    "PrivateIpAddress",
    "RamdiskId",
    "SecurityGroupIds",
    "SecurityGroups",
    "SubnetId",
)
_QUESTION = by_ids("DescribeInstances", "InstanceIds", "Reservations")
_ENDING = ("shutting-down", "terminated")
_READ_AGAIN_S = 5.0
IDS_PER_CALL = 1000
"""The number of ids that TerminateInstances takes in one call."""


def _create(work: Work) -> Outcome:
    parameters = work.given(*_AS_DECLARED)
    placement = {theirs: work.want(ours) for ours, theirs in _PLACEMENT.items() if work.want(ours) is not None}
    if placement:
        parameters["Placement"] = placement
    if work.want("UserData") is not None:
        parameters["UserData"] = ec2_instance_change.decoded(work.want("UserData"))
    if work.want("IamInstanceProfile"):
        parameters["IamInstanceProfile"] = ec2_instance_change.profile_of(work.want("IamInstanceProfile"))
    if work.want("Monitoring") is not None:
        parameters["Monitoring"] = {"Enabled": work.want("Monitoring")}
    if work.want("CreditSpecification"):
        parameters["CreditSpecification"] = ec2_instance_change.credits_of(work.want("CreditSpecification"))
    if work.want("BlockDeviceMappings"):
        parameters["BlockDeviceMappings"] = [_device(one) for one in work.want("BlockDeviceMappings")]
    if work.want("NetworkInterfaces"):
        parameters["NetworkInterfaces"] = [_interface(one) for one in work.want("NetworkInterfaces")]
    answer = work.change(
        "ec2",
        "RunInstances",
        **parameters,
        MinCount=1,
        MaxCount=1,
        ClientToken=client_token(work.request),
        TagSpecifications=_tag_specifications(work.request),
    )
    made = only(answer, "Instances")
    names = {"InstanceId": "InstanceId", "PrivateIp": "PrivateIpAddress", "PrivateDnsName": "PrivateDnsName"}
    return Done(
        physical_id=made["InstanceId"],
        attributes={ours: made[theirs] for ours, theirs in names.items() if made.get(theirs)}
        | ec2_instance_change.kept(work),
    )


def _tag_specifications(request: Request) -> list[JsonMap]:
    found: list[JsonMap] = [{"ResourceType": "instance", "Tags": birth_tags(request)}]
    declared = declared_tags(request.properties)
    if declared and str(request.properties.get("PropagateTagsToVolumeOnCreation")).casefold() == "true":
        found.append({"ResourceType": "volume", "Tags": [{"Key": key, "Value": declared[key]} for key in declared]})
    return found


def _device(device: JsonMap) -> JsonMap:
    """Return a block device for EC2, which wants an empty text where CloudFormation writes `NoDevice: {}`."""
    return {**device, "NoDevice": ""} if "NoDevice" in device else device


def _interface(interface: JsonMap) -> JsonMap:
    """Return an interface for EC2: CloudFormation calls its groups GroupSet."""
    return {"Groups" if name == "GroupSet" else name: value for name, value in interface.items()}


def _delete_all(client: AccountClient, requests: Sequence[Request]) -> list[Outcome]:
    """One TerminateInstances for all that stand; then a read of their states."""
    ids = [str(request.physical_id) for request in requests]
    states = _states(client, ids)
    standing = [request for request in requests if states.get(str(request.physical_id), "terminated") not in _ENDING]
    outcomes: dict[str, Outcome] = {}
    standing = [request for request in standing if _is_bare(client, request, outcomes)]
    for start in range(0, len(standing), IDS_PER_CALL):
        _terminate(client, standing[start : start + IDS_PER_CALL], outcomes)
    states = _states(client, ids) if standing else states
    return [outcomes.get(request.object_id) or _end(request, states) for request in requests]


def _is_bare(client: AccountClient, request: Request, outcomes: dict[str, Outcome]) -> bool:
    """Take away everything that would stay behind when the instance goes; False, with the outcome, when that fails."""
    try:
        ec2_instance_ssm.take_away(client, request)
    except ProviderError as error:
        outcomes[request.object_id] = outcome_of(error)
        return False
    return True


def _states(client: AccountClient, ids: list[str]) -> dict[str, str]:
    return completed(client, _QUESTION, ids, ec2_instance_read.states(client, ids))


def _terminate(client: AccountClient, requests: Sequence[Request], outcomes: dict[str, Outcome]) -> None:
    """Terminate all in one call; when AWS refuses it because of some, each on its own. An error that is not about any
    of them (a throttle above all) is told to all: a call for each would be the worst that could be sent then.
    """
    try:
        client.change(
            "ec2",
            "TerminateInstances",
            [request.object_id for request in requests],
            InstanceIds=[str(request.physical_id) for request in requests],
        )
    except ProviderError as error:
        if len(requests) == 1 and is_gone(error):
            # An endpoint that shows something else in its place says no more than this of an instance that is gone.
            outcomes[requests[0].object_id] = Done(physical_id=requests[0].physical_id, was_absent=True)
            return
        if len(requests) == 1 or is_of_the_call(error):
            outcomes.update((request.object_id, outcome_of(error)) for request in requests)
            return
        for request in requests:
            _terminate(client, [request], outcomes)


def _end(request: Request, states: JsonMap) -> Outcome:
    state = states.get(str(request.physical_id), "terminated")
    if state == "terminated":
        return Done(physical_id=request.physical_id, was_absent=request.physical_id not in states)
    return Pending(message=f"{request.physical_id} is {state}", delay_s=_READ_AGAIN_S)


SOURCE = Source(
    name="ec2.DescribeInstances",
    read=ec2_instance_read.read,
    by_id={
        ec2_instance_read.NAME: IdFilter(name="instance-id"),
    },
)

INSTANCE = AwsType(
    facts=facts(
        ec2_instance_read.NAME,
        SOURCE,
        refused={
            "ElasticGpuSpecifications": "AWS has ended Elastic Graphics: no instance can have it any more. "
            "Take it out.",
            "ElasticInferenceAccelerators": "AWS has ended Elastic Inference: no instance can have it any "
            "more. Take it out.",
        },
        goes_in_steps=True,
        calls=calls(
            "ec2:RunInstances",
            "ec2:TerminateInstances/1000",
            changes=ec2_instance_change.CALLS,
            members=ec2_instance_volumes.MEMBERS,
            is_tagged=True,
        ),
        makes_once=True,
        exclusive=[
            ("SubnetId", "PrivateIpAddress"),
            ("NetworkInterfaces.NetworkInterfaceId",),
            ("NetworkInterfaces.SubnetId", "NetworkInterfaces.PrivateIpAddress"),
        ],
        create_only="AdditionalInfo Affinity BlockDeviceMappings HostId KernelId RamdiskId Tenancy",
        interrupting=" ".join(ec2_instance_read.CHANGED_WHILE_STOPPED),
        write_only="BlockDeviceMappings CreditSpecification HostResourceGroupArn LaunchTemplate NetworkInterfaces",
        attributes="AvailabilityZone State.Code State.Name",
        costly=(*ec2_instance_read.DETAILS, ec2_instance_ssm.ASSOCIATIONS),
        compare_as={
            "Affinity": Comparison.SHOWN,
            "BlockDeviceMappings.Ebs.KmsKeyId": KMS_KEY,
            "CpuOptions": Comparison.SHOWN,
            "CpuOptions.AmdSevSnp": Comparison.SHOWN,
            "EnclaveOptions": Comparison.SHOWN,
            "HibernationOptions": Comparison.SHOWN,
            "IamInstanceProfile": INSTANCE_PROFILE,
            "KernelId": Comparison.SHOWN,
            # A template is named by one of the two, and no instance shows the other one.
            "LaunchTemplate.LaunchTemplateId": Comparison.SHOWN,
            "LaunchTemplate.LaunchTemplateName": Comparison.SHOWN,
            "PrivateDnsNameOptions": Comparison.SHOWN,
            "RamdiskId": Comparison.SHOWN,
            "SecurityGroupIds": Comparison.SET,
            "SecurityGroups": Comparison.SET,
            **ec2_instance_ssm.RULES,
            **ec2_instance_volumes.RULES,
        },
        # A launch template may set other properties of an instance that declares none.
        defaults={"SourceDestCheck": True, ec2_instance_ssm.ASSOCIATIONS: [], ec2_instance_volumes.VOLUMES: []},
        synonyms=[("SecurityGroupIds", "SecurityGroups")],
        # Some types take no CPU options at all, not even their own.
        unsaid=[
            unsaid(f"CpuOptions PrivateIpAddress {ec2_instance_volumes.VOLUMES}"),
            unsaid("AvailabilityZone", beside="SubnetId"),
        ],
        bears_data=True,
    ),
    source=SOURCE,
    question=_QUESTION,
    create=_create,
    modify=ec2_instance_change.modify,
    delete_all=_delete_all,
    is_found=by_owner,
    tagged_as="instance",
)
TYPES = (INSTANCE,)
