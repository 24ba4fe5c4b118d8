"""What a storm rages over: two compositions in two versions, and everything in the account that they could make."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from live import Live

TEXTS = {name: (Path(__file__).parent / f"storm_{name}.yaml").read_text() for name in ("net", "apps")}
FIRST = {"net": {"Second": "10.0.2.0/24", "Name": "one"}, "apps": {"Days": "7", "Title": "storm-one"}}
SECOND = {"net": {"Second": "10.0.3.0/24", "Name": "two"}, "apps": {"Days": "14", "Title": "storm-two"}}


def inventory(live: Live) -> Counter[str]:
    """Everything in the account that the compositions could have made, without ids."""
    return Counter([*_networks(live), *_in_networks(live), *_named(live), *_messages(live)])


def _networks(live: Live) -> Iterator[str]:
    ec2 = live.aws("ec2")
    for vpc in ec2.describe_vpcs()["Vpcs"]:
        yield f"vpc {vpc['CidrBlock']} {_name(vpc)}"
    for subnet in ec2.describe_subnets()["Subnets"]:
        yield f"subnet {subnet['CidrBlock']} {_name(subnet)} {subnet['MapPublicIpOnLaunch']}"
    for gateway in ec2.describe_internet_gateways()["InternetGateways"]:
        yield f"internet gateway {len(gateway['Attachments'])}"
    for table in ec2.describe_route_tables()["RouteTables"]:
        routes = sorted(route.get("DestinationCidrBlock", "") for route in table["Routes"])
        yield f"route table {routes} {sum(not one['Main'] for one in table['Associations'])}"
    for _ in ec2.describe_addresses()["Addresses"]:
        yield "address"
    for nat in ec2.describe_nat_gateways()["NatGateways"]:
        if nat["State"] != "deleted":
            yield "nat gateway"


def _in_networks(live: Live) -> Iterator[str]:
    ec2 = live.aws("ec2")
    for acl in ec2.describe_network_acls()["NetworkAcls"]:
        # The emulator keeps the default ones of networks that are gone.
        if not acl["IsDefault"]:
            yield f"network acl {len(acl['Entries'])}"
    for group in ec2.describe_security_groups()["SecurityGroups"]:
        ports = sorted(
            (one.get("FromPort", 0), len(one["IpRanges"]), len(one["UserIdGroupPairs"]))
            for one in group["IpPermissions"]
        )
        yield f"security group {group['Description']} {ports} {len(group['IpPermissionsEgress'])}"
    for pair in ec2.describe_key_pairs()["KeyPairs"]:
        yield f"key pair {pair['KeyName']}"
    for reservation in ec2.describe_instances()["Reservations"]:
        for instance in reservation["Instances"]:
            if instance["State"]["Name"] != "terminated":
                yield f"instance {_name(instance)}"
    for _ in ec2.describe_volumes()["Volumes"]:
        yield "volume"


def _named(live: Live) -> Iterator[str]:
    iam, s3 = live.aws("iam"), live.aws("s3")
    for role in iam.list_roles()["Roles"]:
        yield f"role {iam.list_role_policies(RoleName=role['RoleName'])['PolicyNames']}"
    for profile in iam.list_instance_profiles()["InstanceProfiles"]:
        yield f"profile {len(profile['Roles'])}"
    for bucket in s3.list_buckets()["Buckets"]:
        yield f"bucket {s3.get_bucket_versioning(Bucket=bucket['Name']).get('Status')}"


def _messages(live: Live) -> Iterator[str]:
    sqs, sns = live.aws("sqs"), live.aws("sns")
    for url in sqs.list_queues().get("QueueUrls", ()):
        given = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
        yield f"queue {given['VisibilityTimeout']} {'RedrivePolicy' in given}"
    for topic in sns.list_topics()["Topics"]:
        yield f"topic {topic['TopicArn'].rpartition(':')[2]}"
    for _ in sns.list_subscriptions()["Subscriptions"]:
        yield "subscription"
    for group in live.aws("logs").describe_log_groups()["logGroups"]:
        yield f"log group {group.get('retentionInDays')}"
    for parameter in live.aws("ssm").describe_parameters()["Parameters"]:
        yield f"parameter {parameter.get('Description')}"
    for _ in live.aws("dynamodb").list_tables()["TableNames"]:
        yield "table"


def _name(thing: dict[str, Any]) -> str:
    return next((tag["Value"] for tag in thing.get("Tags", ()) if tag["Key"] == "Name"), "-")
