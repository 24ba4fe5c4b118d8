"""The parts of compositions on the strict cloud besides networks: machines with their parts, and services that know
things by their names."""

from collections.abc import Mapping
from random import Random

from tenuto.model.ids import Json, TypeName
from tenuto_testing.simulation.compositions import Drawer, Resources
from tenuto_testing.simulation.strict_drawing import (
    ADDRESS,
    ASSOCIATED_ACL,
    ASSOCIATED_ADDRESS,
    ATTACHED_VOLUME,
    BUCKET,
    BUCKET_POLICY,
    DATABASE,
    GROUP,
    HOME,
    INSTANCE,
    KEY,
    LOG,
    MANAGED_POLICY,
    NETWORK_ACL,
    NETWORK_ACL_ENTRY,
    PARAMETER,
    PROFILE,
    QUEUE,
    ROLE,
    SUBNET,
    SUBSCRIPTION,
    TOPIC,
    VOLUME,
    allowing,
    one_of,
    tags,
)

_IMAGE = "ami-12c6146b"
_READER = {"Service": "logging.s3.amazonaws.com"}
"""The principal of drawn policies. It is not every user: new buckets refuse policies that permit all."""


def _key(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    return {"KeyName": f"{owner}-{rng.choice('ab')}", **tags(rng)}


def _instance(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    subnet, group, key, profile = (one_of(rng, found, name) for name in (SUBNET, GROUP, KEY, PROFILE))
    if subnet is None:
        return None
    usual = {"Fn::GetAtt": [HOME, "DefaultSecurityGroup"]}
    drawn: dict[str, Json] = {
        "ImageId": _IMAGE,
        "InstanceType": rng.choice(("t3.micro", "t3.small")),
        "SubnetId": {"Ref": subnet},
        # Always: the group of an instance that declares none any more stays with it, and could not be deleted.
        "SecurityGroupIds": [{"Ref": group} if group and rng.random() < 0.6 else usual],
        **tags(rng),
    }
    if key and rng.random() < 0.5:
        drawn["KeyName"] = {"Ref": key}
    if profile and rng.random() < 0.6:
        drawn["IamInstanceProfile"] = {"Ref": profile}
    if rng.random() < 0.3:
        drawn["SourceDestCheck"] = rng.random() < 0.5
    if rng.random() < 0.3:
        drawn["UserData"] = rng.choice(("ZWNobw==", "dHJ1ZQ=="))
    return drawn


def _volume(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    """In the zone of an instance, where there is one. Its size is the same for ever: AWS lets no user change it twice
    in six hours, nor make it smaller."""
    machine = one_of(rng, found, INSTANCE)
    zone = {"Fn::GetAtt": [machine, "AvailabilityZone"]} if machine else "us-east-1a"
    drawn: dict[str, Json] = {"AvailabilityZone": zone, "Size": 8, **tags(rng)}
    return drawn


def _attached_volume(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    volume = one_of(rng, found, VOLUME)
    zone = found[volume].properties["AvailabilityZone"] if volume else None
    if volume is None or not isinstance(zone, dict):
        return None
    return {"VolumeId": {"Ref": volume}, "InstanceId": {"Ref": zone["Fn::GetAtt"][0]}, "Device": "/dev/sdh"}


def _associated_address(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    machine = one_of(rng, found, INSTANCE)
    if machine is None or "Adr3" not in found or "Att1" not in found:
        return None
    return {"AllocationId": {"Fn::GetAtt": ["Adr3", "AllocationId"]}, "InstanceId": {"Ref": machine}}


def _address(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    return {"Domain": "vpc", **tags(rng)}


def _profile(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    role = one_of(rng, found, ROLE)
    if role is None:
        return None
    drawn: dict[str, Json] = {"Roles": [{"Ref": role}]}
    if rng.random() < 0.4:
        drawn["InstanceProfileName"] = f"{owner}-{rng.choice('ab')}"
    return drawn


def _managed_policy(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    drawn: dict[str, Json] = {"PolicyDocument": allowing(rng.choice(("sns:Publish", "sqs:SendMessage")))}
    role = one_of(rng, found, ROLE)
    if role and rng.random() < 0.7:
        drawn["Roles"] = [{"Ref": role}]
    if rng.random() < 0.4:
        drawn["ManagedPolicyName"] = f"{owner}-{rng.choice('ab')}"
    return drawn


def _acl(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    return {"VpcId": {"Ref": HOME}, **tags(rng)} if HOME in found else None


def _acl_entry(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    acl = one_of(rng, found, NETWORK_ACL)
    if acl is None:
        return None
    return {
        "NetworkAclId": {"Ref": acl},
        "RuleNumber": rng.choice((100, 110)),
        "Protocol": 6,
        "RuleAction": rng.choice(("allow", "deny")),
        "CidrBlock": rng.choice(("10.0.0.0/8", "0.0.0.0/0")),
        "PortRange": {"From": 80, "To": rng.choice((80, 90))},
    }


def _associated_acl(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    acl, subnet = one_of(rng, found, NETWORK_ACL), one_of(rng, found, SUBNET)
    return {"NetworkAclId": {"Ref": acl}, "SubnetId": {"Ref": subnet}} if acl and subnet else None


def _bucket_policy(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    bucket = one_of(rng, found, BUCKET)
    if bucket is None:
        return None
    action = rng.choice(("s3:GetObject", "s3:PutObject"))
    objects = {"Fn::Join": ["", [{"Fn::GetAtt": [bucket, "Arn"]}, "/*"]]}
    statement = {"Effect": "Allow", "Principal": _READER, "Action": action, "Resource": objects}
    return {"Bucket": {"Ref": bucket}, "PolicyDocument": {"Version": "2012-10-17", "Statement": [statement]}}


def _queue(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    drawn: dict[str, Json] = tags(rng)
    dead = one_of(rng, found, QUEUE)
    if dead and rng.random() < 0.6:
        drawn["RedrivePolicy"] = {"deadLetterTargetArn": {"Fn::GetAtt": [dead, "Arn"]}, "maxReceiveCount": 3}
    if rng.random() < 0.5:
        drawn["VisibilityTimeout"] = rng.choice((60, 90))
    if rng.random() < 0.5:
        drawn["QueueName"] = f"{owner}-{rng.choice('ab')}"
    return drawn


def _topic(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    drawn: dict[str, Json] = tags(rng)
    if rng.random() < 0.5:
        drawn["DisplayName"] = rng.choice(("news", "olds"))
    if rng.random() < 0.5:
        drawn["TopicName"] = f"{owner}-{rng.choice('ab')}"
    return drawn


def _subscription(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    topic, queue = one_of(rng, found, TOPIC), one_of(rng, found, QUEUE)
    if topic is None or queue is None:
        return None
    drawn: dict[str, Json] = {
        "TopicArn": {"Ref": topic},
        "Protocol": "sqs",
        "Endpoint": {"Fn::GetAtt": [queue, "Arn"]},
    }
    if rng.random() < 0.5:
        drawn["RawMessageDelivery"] = rng.random() < 0.5
    return drawn


def _parameter(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    queue = one_of(rng, found, QUEUE)
    drawn: dict[str, Json] = {"Type": "String", "Value": {"Ref": queue} if queue else rng.choice(("one", "two"))}
    if rng.random() < 0.5:
        drawn["Name"] = f"/{owner}/{rng.choice('ab')}"
    if rng.random() < 0.4:
        drawn["Tags"] = {"stage": rng.choice("ab")}
    return drawn


def _log(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    drawn: dict[str, Json] = tags(rng)
    if rng.random() < 0.6:
        drawn["RetentionInDays"] = rng.choice((7, 14))
    if rng.random() < 0.5:
        drawn["LogGroupName"] = f"{owner}/{rng.choice('ab')}"
    return drawn


def _database(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    drawn: dict[str, Json] = {
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
        **tags(rng),
    }
    if rng.random() < 0.4:
        drawn["TableName"] = f"{owner}-{rng.choice('ab')}"
    if rng.random() < 0.4:
        key = [{"AttributeName": "whose", "KeyType": "HASH"}]
        drawn["AttributeDefinitions"].append({"AttributeName": "whose", "AttributeType": "S"})
        drawn["GlobalSecondaryIndexes"] = [
            {"IndexName": "by-owner", "KeySchema": key, "Projection": {"ProjectionType": "ALL"}}
        ]
    if rng.random() < 0.4:
        drawn["TimeToLiveSpecification"] = {"AttributeName": "until", "Enabled": True}
    if rng.random() < 0.3:
        drawn["StreamSpecification"] = {"StreamViewType": rng.choice(("NEW_IMAGE", "KEYS_ONLY"))}
    return drawn


DRAWERS: Mapping[TypeName, Drawer] = {
    KEY: _key,
    INSTANCE: _instance,
    VOLUME: _volume,
    ATTACHED_VOLUME: _attached_volume,
    ADDRESS: _address,
    ASSOCIATED_ADDRESS: _associated_address,
    PROFILE: _profile,
    MANAGED_POLICY: _managed_policy,
    NETWORK_ACL: _acl,
    NETWORK_ACL_ENTRY: _acl_entry,
    ASSOCIATED_ACL: _associated_acl,
    BUCKET_POLICY: _bucket_policy,
    QUEUE: _queue,
    TOPIC: _topic,
    SUBSCRIPTION: _subscription,
    PARAMETER: _parameter,
    LOG: _log,
    DATABASE: _database,
}

SLOTS: Mapping[str, tuple[TypeName, ...]] = {
    "Acl1": (NETWORK_ACL,),
    "Ent1": (NETWORK_ACL_ENTRY,),
    "Ent2": (NETWORK_ACL_ENTRY,),
    "Aca1": (ASSOCIATED_ACL,),
    "Pro1": (PROFILE,),
    "Man1": (MANAGED_POLICY,),
    "Key1": (KEY,),
    "Ins1": (INSTANCE,),
    "Ins2": (INSTANCE,),
    "Vol1": (VOLUME,),
    "Atv1": (ATTACHED_VOLUME,),
    "Adr3": (ADDRESS,),
    "Asa1": (ASSOCIATED_ADDRESS,),
    "Bpo1": (BUCKET_POLICY,),
    "Que1": (QUEUE,),
    "Que2": (QUEUE,),
    "Top1": (TOPIC,),
    "Sbs1": (SUBSCRIPTION,),
    "Par1": (PARAMETER,),
    "Log1": (LOG,),
    "Dyn1": (DATABASE,),
}
"""After those of networks, roles and buckets, which they refer to."""
SERVICES = frozenset({"Bkt2", "Bpo1", "Que1", "Que2", "Top1", "Sbs1", "Par1", "Log1", "Dyn1"})
"""The slots that need no network."""
