"""The strict cloud and an independent emulator get the same calls: what differs is listed here, with the reason."""

import json
from fnmatch import fnmatchcase

import pytest
from side_by_side import Side, Step, differences

from tenuto.bootstrap.clock import SystemClock
from tenuto.testing.cloud import ClosedSession, Cloud, InProcessSession
from tenuto.testing.emulator import Emulator

REGION = "us-east-1"
NOBODY = "0123456789abcdef0"


def _policy(**statement: object) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **statement}]})


TRUST = _policy(Principal={"Service": "ec2.amazonaws.com"}, Action="sts:AssumeRole")
ALLOW = _policy(Action="s3:GetObject", Resource="*")
TAGS = [{"Key": "Name", "Value": "front"}]


def _tagged(kind: str) -> list[dict[str, object]]:
    return [{"ResourceType": kind, "Tags": TAGS}]


IN_VPC = [{"Name": "vpc-id", "Values": ["$vpc"]}]
WEB = {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "IpRanges": [{"CidrIp": "0.0.0.0/0", "Description": "web"}]}
NETWORK = (
    Step("sts.GetCallerIdentity"),
    Step("ec2.CreateVpc", {"CidrBlock": "10.0.0.0/16", "TagSpecifications": _tagged("vpc")}, {"vpc": "Vpc.VpcId"}),
    Step("ec2.ModifyVpcAttribute", {"VpcId": "$vpc", "EnableDnsHostnames": {"Value": True}}),
    Step("ec2.DescribeVpcAttribute", {"VpcId": "$vpc", "Attribute": "enableDnsHostnames"}),
    Step("ec2.DescribeVpcs", {"VpcIds": ["$vpc"]}),
    Step("ec2.DescribeRouteTables", {"Filters": IN_VPC}),
    Step("ec2.DescribeNetworkAcls", {"Filters": IN_VPC}),
    Step("ec2.DescribeSecurityGroups", {"Filters": IN_VPC}),
    Step(
        "ec2.CreateSubnet",
        {"VpcId": "$vpc", "CidrBlock": "10.0.0.0/24", "TagSpecifications": _tagged("subnet")},
        {"subnet": "Subnet.SubnetId"},
    ),
    Step("ec2.ModifySubnetAttribute", {"SubnetId": "$subnet", "MapPublicIpOnLaunch": {"Value": True}}),
    Step("ec2.DescribeSubnets", {"SubnetIds": ["$subnet"]}),
    Step("ec2.CreateInternetGateway", {}, {"gateway": "InternetGateway.InternetGatewayId"}),
    Step("ec2.AttachInternetGateway", {"InternetGatewayId": "$gateway", "VpcId": "$vpc"}),
    Step("ec2.DescribeInternetGateways", {"InternetGatewayIds": ["$gateway"]}),
    Step("ec2.CreateRouteTable", {"VpcId": "$vpc"}, {"table": "RouteTable.RouteTableId"}),
    Step("ec2.CreateRoute", {"RouteTableId": "$table", "DestinationCidrBlock": "0.0.0.0/0", "GatewayId": "$gateway"}),
    Step("ec2.AssociateRouteTable", {"RouteTableId": "$table", "SubnetId": "$subnet"}, {"rtbassoc": "AssociationId"}),
    Step("ec2.DescribeRouteTables", {"RouteTableIds": ["$table"]}),
    Step("ec2.AllocateAddress", {"Domain": "vpc"}, {"address": "AllocationId"}),
    Step(
        "ec2.CreateNatGateway", {"SubnetId": "$subnet", "AllocationId": "$address"}, {"nat": "NatGateway.NatGatewayId"}
    ),
    Step("ec2.DescribeNatGateways", {"NatGatewayIds": ["$nat"]}),
    Step("ec2.DescribeAddresses", {"AllocationIds": ["$address"]}),
    Step("ec2.CreateSecurityGroup", {"GroupName": "front", "Description": "d", "VpcId": "$vpc"}, {"group": "GroupId"}),
    Step("ec2.AuthorizeSecurityGroupIngress", {"GroupId": "$group", "IpPermissions": [WEB]}),
    Step("ec2.DescribeSecurityGroups", {"GroupIds": ["$group"]}),
    Step("ec2.DescribeSecurityGroupRules", {"Filters": [{"Name": "group-id", "Values": ["$group"]}]}),
    Step("ec2.CreateNetworkAcl", {"VpcId": "$vpc"}, {"acl": "NetworkAcl.NetworkAclId"}),
    Step(
        "ec2.CreateNetworkAclEntry",
        {
            "NetworkAclId": "$acl",
            "RuleNumber": 100,
            "Egress": False,
            "Protocol": "6",
            "RuleAction": "allow",
            "CidrBlock": "0.0.0.0/0",
            "PortRange": {"From": 80, "To": 80},
        },
    ),
    Step("ec2.DescribeNetworkAcls", {"NetworkAclIds": ["$acl"]}),
    Step("ec2.DescribeTags", {"Filters": [{"Name": "resource-id", "Values": ["$vpc"]}]}),
    Step("ec2.DescribeAvailabilityZones", {"Filters": [{"Name": "zone-name", "Values": ["us-east-1a"]}]}),
)
COMPUTE = (
    Step("ec2.CreateKeyPair", {"KeyName": "front"}),
    Step("ec2.DescribeKeyPairs", {"KeyNames": ["front"]}),
    Step(
        "ec2.RunInstances",
        {
            "ImageId": "ami-12c6146b",
            "InstanceType": "t3.micro",
            "MinCount": 1,
            "MaxCount": 1,
            "SubnetId": "$subnet",
            "SecurityGroupIds": ["$group"],
            "KeyName": "front",
        },
        {"instance": "Instances.0.InstanceId"},
    ),
    Step("ec2.DescribeInstances", {"InstanceIds": ["$instance"]}),
    Step("ec2.DescribeInstanceAttribute", {"InstanceId": "$instance", "Attribute": "disableApiTermination"}),
    Step("ec2.StopInstances", {"InstanceIds": ["$instance"]}),
    Step("ec2.StartInstances", {"InstanceIds": ["$instance"]}),
)
IDENTITY = (
    Step("iam.CreateRole", {"RoleName": "front", "AssumeRolePolicyDocument": TRUST, "Tags": TAGS}),
    Step("iam.GetRole", {"RoleName": "front"}),
    Step("iam.PutRolePolicy", {"RoleName": "front", "PolicyName": "inline", "PolicyDocument": ALLOW}),
    Step("iam.GetRolePolicy", {"RoleName": "front", "PolicyName": "inline"}),
    Step("iam.CreatePolicy", {"PolicyName": "read", "PolicyDocument": ALLOW}, {"policy": "Policy.Arn"}),
    Step("iam.AttachRolePolicy", {"RoleName": "front", "PolicyArn": "$policy"}),
    Step("iam.ListAttachedRolePolicies", {"RoleName": "front"}),
    Step("iam.ListRolePolicies", {"RoleName": "front"}),
    Step("iam.CreatePolicyVersion", {"PolicyArn": "$policy", "PolicyDocument": ALLOW, "SetAsDefault": True}),
    Step("iam.ListPolicyVersions", {"PolicyArn": "$policy"}),
    Step("iam.GetPolicy", {"PolicyArn": "$policy"}),
    Step("iam.CreateInstanceProfile", {"InstanceProfileName": "front"}),
    Step("iam.AddRoleToInstanceProfile", {"InstanceProfileName": "front", "RoleName": "front"}),
    Step("iam.GetInstanceProfile", {"InstanceProfileName": "front"}),
    Step("iam.ListInstanceProfiles"),
    Step("iam.ListRoles"),
    Step("iam.ListEntitiesForPolicy", {"PolicyArn": "$policy"}),
    Step("iam.GetAccountAuthorizationDetails", {"Filter": ["Role", "LocalManagedPolicy"]}),
)
STORAGE = (
    Step("s3.CreateBucket", {"Bucket": "front-bucket-tenuto"}),
    Step("s3.HeadBucket", {"Bucket": "front-bucket-tenuto"}),
    Step("s3.ListBuckets"),
    Step("s3.PutBucketTagging", {"Bucket": "front-bucket-tenuto", "Tagging": {"TagSet": TAGS}}),
    Step("s3.GetBucketTagging", {"Bucket": "front-bucket-tenuto"}),
    Step("s3.GetBucketVersioning", {"Bucket": "front-bucket-tenuto"}),
    Step("s3.GetBucketAcl", {"Bucket": "front-bucket-tenuto"}),
    Step("s3.GetBucketEncryption", {"Bucket": "front-bucket-tenuto"}),
    Step("s3.GetPublicAccessBlock", {"Bucket": "front-bucket-tenuto"}),
    Step("s3.GetBucketCors", {"Bucket": "front-bucket-tenuto"}),
    Step("s3.GetBucketPolicy", {"Bucket": "front-bucket-tenuto"}),
    Step("s3.GetBucketWebsite", {"Bucket": "front-bucket-tenuto"}),
    Step("s3.GetBucketLifecycleConfiguration", {"Bucket": "front-bucket-tenuto"}),
    Step("ssm.PutParameter", {"Name": "/front/key", "Value": "v", "Type": "SecureString", "Tags": TAGS}),
    Step("ssm.GetParameter", {"Name": "/front/key", "WithDecryption": True}),
    Step("ssm.GetParameters", {"Names": ["/front/key", "/front/none"], "WithDecryption": True}),
)
REFUSED = (
    Step("ec2.CreateVpc", {"CidrBlock": "10.0.0.0/8"}),
    Step("ec2.CreateVpc", {"CidrBlock": "ten"}),
    Step("ec2.DescribeVpcs", {"VpcIds": [f"vpc-{NOBODY}"]}),
    Step("ec2.DeleteVpc", {"VpcId": f"vpc-{NOBODY}"}),
    Step("ec2.CreateSubnet", {"VpcId": "$vpc", "CidrBlock": "10.0.0.0/25"}),
    Step("ec2.CreateSubnet", {"VpcId": "$vpc", "CidrBlock": "10.9.0.0/24"}),
    Step("ec2.CreateSubnet", {"VpcId": "$vpc", "CidrBlock": "10.0.9.0/24", "AvailabilityZone": "us-east-1z"}),
    Step("ec2.DeleteSubnet", {"SubnetId": f"subnet-{NOBODY}"}),
    Step("ec2.AttachInternetGateway", {"InternetGatewayId": "$gateway", "VpcId": "$vpc"}),
    Step("ec2.DeleteInternetGateway", {"InternetGatewayId": "$gateway"}),
    Step("ec2.CreateRoute", {"RouteTableId": "$table", "DestinationCidrBlock": "0.0.0.0/0", "GatewayId": "$gateway"}),
    Step("ec2.DeleteRoute", {"RouteTableId": "$table", "DestinationCidrBlock": "10.77.0.0/16"}),
    Step("ec2.DeleteRouteTable", {"RouteTableId": "$table"}),
    Step("ec2.CreateSecurityGroup", {"GroupName": "front", "Description": "d", "VpcId": "$vpc"}),
    Step("ec2.AuthorizeSecurityGroupIngress", {"GroupId": "$group", "IpPermissions": [WEB]}),
    Step(
        "ec2.RevokeSecurityGroupIngress", {"GroupId": "$group", "IpPermissions": [{**WEB, "FromPort": 1, "ToPort": 1}]}
    ),
    Step("ec2.DeleteSecurityGroup", {"GroupId": "$group"}),
    Step("ec2.ReleaseAddress", {"AllocationId": "$address"}),
    Step("ec2.DescribeNatGateways", {"NatGatewayIds": [f"nat-{NOBODY}"]}),
    Step("ec2.DescribeInstances", {"InstanceIds": [f"i-{NOBODY}"]}),
    Step("ec2.CreateKeyPair", {"KeyName": "front"}),
    Step("ec2.CreateTags", {"Resources": ["$vpc"], "Tags": [{"Key": "aws:x", "Value": "y"}]}),
    Step("ec2.CreateTags", {"Resources": ["$vpc"], "Tags": [{"Key": f"k{n}", "Value": "y"} for n in range(51)]}),
    Step("ec2.DeleteSubnet", {"SubnetId": "$subnet"}),
    Step("ec2.DeleteVpc", {"VpcId": "$vpc"}),
    Step("iam.CreateRole", {"RoleName": "front", "AssumeRolePolicyDocument": TRUST}),
    Step("iam.CreateRole", {"RoleName": "bad", "AssumeRolePolicyDocument": "{}"}),
    Step("iam.GetRole", {"RoleName": "nobody"}),
    Step("iam.DeleteRole", {"RoleName": "front"}),
    Step("iam.DeletePolicy", {"PolicyArn": "$policy"}),
    Step("iam.DeleteInstanceProfile", {"InstanceProfileName": "front"}),
    Step("iam.AddRoleToInstanceProfile", {"InstanceProfileName": "front", "RoleName": "front"}),
    Step("s3.HeadBucket", {"Bucket": "nobodys-bucket-tenuto"}),
    Step("s3.DeleteBucket", {"Bucket": "nobodys-bucket-tenuto"}),
    Step("s3.CreateBucket", {"Bucket": "Bad_Name"}),
    Step("ssm.PutParameter", {"Name": "/front/key", "Value": "w", "Type": "String"}),
    Step("ssm.GetParameter", {"Name": "/front/none"}),
    Step("ssm.DeleteParameter", {"Name": "/front/none"}),
)
SCRIPT = NETWORK + COMPUTE + IDENTITY + STORAGE + REFUSED


ALLOWED: tuple[tuple[str, str], ...] = (
    ("sts.GetCallerIdentity *", "each has a made-up caller"),
    ("ec2.* *DhcpOptionsId: *", "the emulator has no DHCP options"),
    ("ec2.DescribeRouteTables *PropagatingVgws: *", "AWS shows the empty list"),
    ("ec2.CreateRouteTable *PropagatingVgws: *", "AWS shows the empty list"),
    ("ec2.DescribeSecurityGroups *.0.IpPermissions*", "a default group lets in what comes from itself"),
    ("ec2.* *AvailabilityZone*: *", "each picks a zone, and AWS maps zone ids by account"),
    ("ec2.* *EnableDns64: *", "newer than the emulator"),
    ("ec2.* *MapCustomerOwnedIpOnLaunch: *", "the emulator leaves it out"),
    ("ec2.AssociateRouteTable AssociationState.State: 'associating' | 'associated'", "AWS takes a moment"),
    ("ec2.* *NetworkBorderGroup: *", "the emulator leaves it out"),
    ("ec2.* *PublicIpv4Pool: *", "the emulator leaves it out"),
    ("ec2.*NatGateway* *.AvailabilityMode: *", "newer than the emulator"),
    ("ec2.*NatGateway* *.ConnectivityType: *", "the emulator shows it for private ones only"),
    ("ec2.*NatGateway* *NatGatewayAddresses.0.*", "AWS says which address is the primary one, and how it is"),
    ("ec2.CreateNatGateway NatGateway.State: 'pending' | 'available'", "AWS takes minutes"),
    ("ec2.* *PrivateIp*: *", "each gives out other addresses"),
    ("ec2.DescribeAddresses Addresses.0.InstanceId: - | ''", "AWS leaves it out"),
    ("ec2.Create* *State: 'pending' | 'available'", "AWS takes a moment"),
    ("ec2.CreateSecurityGroup Tags: '[[]]' | -", "AWS shows the empty list"),
    ("ec2.*SecurityGroupRule*.GroupOwnerId: *", "the emulator leaves it out"),
    ("ec2.*SecurityGroup* *SecurityGroupRules.*.GroupOwnerId: *", "the emulator leaves it out"),
    ("ec2.*SecurityGroup* *SecurityGroupRuleArn: *", "newer than the emulator"),
    ("ec2.*NetworkAcl* *Entries*", "AWS shows the last entries, which deny everything, of every ACL"),
    ("ec2.DescribeAvailabilityZones *", "the emulator leaves most of it out"),
    ("ec2.CreateKeyPair Key*: *", "keys are random"),
    ("ec2.CreateKeyPair Tags: '[[]]' | -", "AWS shows the empty list"),
    ("ec2.DescribeKeyPairs *.KeyFingerprint: *", "keys are random"),
    ("ec2.DescribeKeyPairs *.KeyType: 'rsa' | -", "the emulator leaves it out"),
    ("ec2.*Instances *.BlockDeviceMappings.0.*", "the emulator's root is of an older virtualization"),
    ("ec2.*Instances *.RootDeviceName: *", "the emulator's root is of an older virtualization"),
    ("ec2.*Instances *.VirtualizationType: *", "the emulator's root is of an older virtualization"),
    ("ec2.*Instances *.SriovNetSupport: *", "instances of today do not show it"),
    ("ec2.*Instances *.ClientToken: *", "each SDK call makes one up"),
    ("ec2.*Instances *Options.*: * | -", "the emulator leaves the options of newer instances out"),
    ("ec2.*Instances *.KernelId: - | 'None'", "the emulator writes nothing as a word"),
    ("ec2.*Instances *.NetworkInterfaces.0.*", "each describes the interface in other detail"),
    ("ec2.*Instances *.StateReason.*: - | ''", "AWS gives a reason where there is one"),
    ("ec2.*Instances *.Tags: '[[]]' | -", "AWS shows the empty list"),
    ("iam.* *PermissionsBoundaryUsageCount: *", "the emulator leaves it out"),
    ("iam.* *PolicyId: *", "the emulator's ids have another shape"),
    ("iam.CreatePolicy Policy.Tags: '[[]]' | -", "AWS shows the empty list"),
    ("iam.* *Version*.Document.*", "AWS shows documents of versions only in GetPolicyVersion"),
    ("iam.List* IsTruncated: False | -", "the emulator leaves it out"),
    ("iam.* *InstanceProfileId: *", "the emulator's ids have another shape"),
    ("iam.* *Tags*: - | *", "AWS shows the tags of a thing only where the thing itself is asked for"),
    (
        "iam.GetAccountAuthorizationDetails Policies.0.*: *",
        "the emulator leaves names out, and shows no description as one",
    ),
    ("s3.* Owner.*: *", "each has a made-up owner"),
    ("s3.GetBucketEncryption *", "AWS encrypts every bucket since 2023"),
    ("s3.GetPublicAccessBlock *", "AWS blocks public access to every new bucket since 2023"),
    ("ec2.DeleteSecurityGroup code: 'DependencyViolation' | -", "the emulator deletes groups that are used"),
    ("ec2.ReleaseAddress code: 'InvalidIPAddress.InUse' | -", "the emulator takes addresses from NAT gateways"),
    ("ec2.DescribeNatGateways NatGateways: - | *", "the emulator does not say that there is no such gateway"),
    (
        "ec2.DescribeNatGateways code: 'NatGatewayNotFound' | -",
        "the emulator does not say that there is no such gateway",
    ),
    ("ec2.CreateTags code: 'InvalidParameterValue' | -", "the emulator takes tags of AWS"),
    ("ec2.DeleteSubnet code: 'DependencyViolation' | -", "the emulator deletes subnets that are used"),
    ("iam.CreateRole *", "the emulator takes an empty document for a trust policy"),
    ("iam.DeletePolicy code: 'DeleteConflict' | -", "the emulator deletes policies that are attached"),
    ("s3.CreateBucket *", "the emulator takes names that are none"),
)
"""Patterns of differences, and why each is one."""


def told(url: str) -> list[str]:
    """Every difference between the two, in the order of the script."""
    services = ("ec2", "iam", "s3", "ssm", "sts")
    near, far = InProcessSession(Cloud(SystemClock())), ClosedSession(endpoint=url)
    ours = Side({name: near.create_client(name, REGION) for name in services})
    theirs = Side({name: far.create_client(name, REGION) for name in services})
    found: list[str] = []
    for step in SCRIPT:
        found += differences(step, ours.take(step), theirs.take(step))
    return found


@pytest.fixture(scope="module")
def differing() -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOTO_IAM_LOAD_MANAGED_POLICIES", "true")
        with Emulator() as emulator:
            return told(emulator.url)


@pytest.mark.slow
def test_the_strict_cloud_differs_from_an_emulator_only_where_it_is_meant_to(differing: list[str]) -> None:
    unexpected = [line for line in differing if not any(fnmatchcase(line, pattern) for pattern, _ in ALLOWED)]
    assert unexpected == []


@pytest.mark.slow
def test_every_difference_that_is_allowed_is_there(differing: list[str]) -> None:
    unused = [pattern for pattern, _ in ALLOWED if not any(fnmatchcase(line, pattern) for line in differing)]
    assert unused == []
