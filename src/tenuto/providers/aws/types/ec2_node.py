"""`Cloud.Node` on AWS: a machine that is an EC2 instance.

Theory of operation. Nothing here calls EC2 in a way of its own. A request about a node is read as one about an
AWS::EC2::Instance, with EC2's names for the properties that have a meaning to it (`_NAMES`), and the block of that type
makes, changes and terminates it; so client tokens, marks, throttles and answers in doubt are the same for both. The
properties of an instance that a sweep shows are read back into the names of a node. The other properties are free: no
instance has them, they are for phases to read, and they are compared with those that were last declared
(`ResourceType.shown`).

Two things differ. A node is to be `Started`, so an instance that was stopped is drift, and is started again. And a node
that rests (`TargetState: Deallocated`) gives its instance back by a termination like any other, so its next machine is
another instance (decision 0047). Nodes have a source of their own: an account without nodes pays for no sweep of them.
"""

from collections.abc import Mapping
from dataclasses import replace

from tenuto.errors import PermanentError
from tenuto.lifecycles.cloud_node import CLOUD_NODE as TABLE
from tenuto.model.cloud_node import CLOUD_NODE, PROVIDER, STARTED, TARGET_STATE
from tenuto.model.ids import Json, JsonMap
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Pending
from tenuto.model.resource import Comparison
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, IdFilter, Scope, Seen, Source, Work, by_owner
from tenuto.providers.aws.naming import INSTANCE_PROFILE
from tenuto.providers.aws.types import ec2_instance_change, ec2_instance_read
from tenuto.providers.aws.types.ec2_instance import INSTANCE
from tenuto.providers.aws.types.facts import calls, facts, unsaid

_NAMES: Mapping[str, str] = {
    "MachineType": "InstanceType",
    "Image": "ImageId",
    "Network": "SubnetId",
    "SecurityGroupIds": "SecurityGroupIds",
    "InstanceProfile": "IamInstanceProfile",
    "SshKey": "KeyName",
    "UserData": "UserData",
    "Tags": "Tags",
}
"""The properties of a node that EC2 takes, and its names for them."""
_ATTRIBUTES: Mapping[str, str] = {
    "InstanceId": "InstanceId",
    "PrivateIp": "PrivateIp",
    "PublicIp": "PublicIp",
    "Hostname": "PrivateDnsName",
    "AvailabilityZone": "AvailabilityZone",
}
_NEEDED = frozenset({"MachineType", "Image"})
_IN_PLACE = frozenset({"SecurityGroupIds", "Tags"})
_AWS = "aws"
_STOPPED = "Stopped"
"""The target state that a stopped instance shows: none that can be declared."""
_READ_AGAIN_S = 5.0


def _create(work: Work) -> Outcome:
    for name in sorted(_NEEDED):
        work.need(name)
    made = INSTANCE.create(_as_instance(work, frozenset(_NAMES)))
    if not isinstance(made, Done):
        return made
    return replace(made, attributes=_attributes(made.attributes))


def _modify(work: Work) -> Outcome:
    instance = ec2_instance_read.one_instance(work.client, work.id)
    if instance is None:
        raise PermanentError(f"ec2 DescribeInstances does not show {work.id}.", code="InvalidInstanceID.NotFound")
    state = str(instance["State"]["Name"])
    if state == "stopped":
        work.change("ec2", "StartInstances", InstanceIds=[work.id])
        return Pending(message=f"starting {work.id}, which was stopped", delay_s=_READ_AGAIN_S)
    if state in ("pending", "stopping"):
        return Pending(message=f"{work.id} is {state}", delay_s=_READ_AGAIN_S)
    return ec2_instance_change.modify(_as_instance(work, _IN_PLACE))


def _as_instance(work: Work, names: frozenset[str]) -> Work:
    """Rename the request of some work to one about an AWS::EC2::Instance with these of its properties."""
    request = work.request
    observed = None if request.observed is None else _renamed(request.observed, names)
    asked = replace(request, properties=_renamed(request.properties, names), observed=observed)
    return replace(work, request=asked, type=INSTANCE)


def _renamed(properties: JsonMap, names: frozenset[str]) -> dict[str, Json]:
    return {_NAMES[name]: properties[name] for name in sorted(names) if name in properties}


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    """All instances, as nodes. No property that costs a call for each of them is read."""
    seen = ec2_instance_read.read(client, replace(scope, tracked={}))
    return [(CLOUD_NODE, _as_node(item)) for _, item in seen]


def _as_node(item: ObservedItem) -> ObservedItem:
    is_stopped = item.attributes["State.Name"] in ("stopping", "stopped")
    properties = {ours: item.properties[theirs] for ours, theirs in _NAMES.items() if theirs in item.properties}
    return replace(
        item,
        properties=properties | {PROVIDER: _AWS, TARGET_STATE: _STOPPED if is_stopped else STARTED},
        attributes=_attributes(item.attributes),
        message=f"{item.attributes['State.Name']} outside of Tenuto" if is_stopped else item.message,
    )


def _attributes(shown: JsonMap) -> dict[str, Json]:
    return {ours: shown[theirs] for ours, theirs in _ATTRIBUTES.items() if theirs in shown} | {PROVIDER: _AWS}


SOURCE = Source(name="ec2.DescribeInstances as nodes", read=_read, by_id={CLOUD_NODE: IdFilter(name="instance-id")})

NODE = AwsType(
    facts=replace(
        facts(
            CLOUD_NODE,
            SOURCE,
            goes_in_steps=True,
            calls=calls(
                "ec2:RunInstances",
                "ec2:TerminateInstances/1000",
                changes={"SecurityGroupIds": "ec2:ModifyInstanceAttribute", TARGET_STATE: "ec2:StartInstances"},
                is_tagged=True,
            ),
            makes_once=True,
            create_only="Provider MachineType Image Network InstanceProfile SshKey UserData",
            write_only="UserData",
            attributes=" ".join([*_ATTRIBUTES, PROVIDER]),
            when_absent={TARGET_STATE: STARTED},
            compare_as={"InstanceProfile": INSTANCE_PROFILE, "SecurityGroupIds": Comparison.SET},
            unsaid=[unsaid(f"{PROVIDER} {TARGET_STATE}")],
            bears_data=True,
        ),
        required=_NEEDED,
        lifecycle=TABLE.name,
        shown=frozenset(_NAMES) | {PROVIDER, TARGET_STATE},
    ),
    source=SOURCE,
    question=INSTANCE.question,
    create=_create,
    modify=_modify,
    delete_all=INSTANCE.delete_all,
    is_found=by_owner,
    tagged_as=INSTANCE.tagged_as,
)
TYPES = (NODE,)
