"""The strict cloud and an independent emulator get the same calls: what differs is listed here, with the reason."""

import json
from fnmatch import fnmatchcase

import pytest
from side_by_side import Side, Step, differences

from tenuto.bootstrap.clock import SystemClock
from tenuto.bootstrap.tools.emulator import Emulator
from tenuto_testing.cloud import ClosedSession, Cloud, InProcessSession

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
QUEUE_URL = {"QueueUrl": "$queue"}
MESSAGES = (
    Step("sqs.CreateQueue", {"QueueName": "front", "Attributes": {"DelaySeconds": "5"}}, {"queue": "QueueUrl"}),
    Step("sqs.CreateQueue", {"QueueName": "front", "Attributes": {"DelaySeconds": "5"}}),
    Step("sqs.CreateQueue", {"QueueName": "front.fifo", "Attributes": {"FifoQueue": "true"}}, {"fifo": "QueueUrl"}),
    Step("sqs.GetQueueUrl", {"QueueName": "front"}),
    Step("sqs.TagQueue", {**QUEUE_URL, "Tags": {"team": "web"}}),
    Step("sqs.ListQueueTags", QUEUE_URL),
    Step("sqs.SetQueueAttributes", {**QUEUE_URL, "Attributes": {"VisibilityTimeout": "60"}}),
    Step("sqs.GetQueueAttributes", {**QUEUE_URL, "AttributeNames": ["All"]}),
    Step("sqs.GetQueueAttributes", {"QueueUrl": "$fifo", "AttributeNames": ["All"]}),
    Step("sqs.UntagQueue", {**QUEUE_URL, "TagKeys": ["team"]}),
    Step("sqs.ListQueueTags", QUEUE_URL),
    Step("sqs.ListQueues", {"QueueNamePrefix": "front"}),
    Step("sns.CreateTopic", {"Name": "front", "Attributes": {"DisplayName": "f"}, "Tags": TAGS}, {"topic": "TopicArn"}),
    Step("sns.CreateTopic", {"Name": "front", "Attributes": {"DisplayName": "f"}, "Tags": TAGS}),
    Step("sns.GetTopicAttributes", {"TopicArn": "$topic"}),
    Step("sns.ListTagsForResource", {"ResourceArn": "$topic"}),
    Step(
        "sns.Subscribe",
        {
            "TopicArn": "$topic",
            "Protocol": "sqs",
            "Endpoint": "arn:aws:sqs:us-east-1:123456789012:front",
            "Attributes": {"RawMessageDelivery": "true", "FilterPolicy": '{"kind": ["order"]}'},
            "ReturnSubscriptionArn": True,
        },
        {"subscription": "SubscriptionArn"},
    ),
    Step("sns.GetSubscriptionAttributes", {"SubscriptionArn": "$subscription"}),
    Step("sns.ListSubscriptionsByTopic", {"TopicArn": "$topic"}),
    Step("sns.ListSubscriptions"),
    Step("sns.ListTopics"),
)
SETTINGS = (
    Step("ssm.PutParameter", {"Name": "/front/n", "Value": "1", "Type": "String", "Description": "d", "Tags": TAGS}),
    Step("ssm.PutParameter", {"Name": "/front/n", "Value": "2", "Type": "String", "Overwrite": True}),
    Step("ssm.DescribeParameters", {"ParameterFilters": [{"Key": "Name", "Values": ["/front/n"]}]}),
    Step("ssm.ListTagsForResource", {"ResourceType": "Parameter", "ResourceId": "/front/n"}),
    Step("logs.CreateLogGroup", {"logGroupName": "front", "tags": {"team": "web"}}),
    Step("logs.PutRetentionPolicy", {"logGroupName": "front", "retentionInDays": 7}),
    Step("logs.DescribeLogGroups", {"logGroupNamePrefix": "front"}),
    Step("logs.ListTagsForResource", {"resourceArn": "arn:aws:logs:us-east-1:123456789012:log-group:front"}),
)
KEY = {
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
}
BY_OWNER = {
    "IndexName": "owners",
    "KeySchema": [{"AttributeName": "owner", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}
OWNED = {
    **KEY,
    "AttributeDefinitions": [*KEY["AttributeDefinitions"], {"AttributeName": "owner", "AttributeType": "S"}],
}
TABLES = (
    Step("dynamodb.CreateTable", {"TableName": "front", **KEY, "BillingMode": "PAY_PER_REQUEST", "Tags": TAGS}),
    Step("dynamodb.DescribeTable", {"TableName": "front"}, {"orders": "Table.TableArn"}),
    Step("dynamodb.ListTagsOfResource", {"ResourceArn": "$orders"}),
    Step("dynamodb.DescribeTimeToLive", {"TableName": "front"}),
    Step(
        "dynamodb.UpdateTimeToLive",
        {"TableName": "front", "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "until"}},
    ),
    Step("dynamodb.DescribeTimeToLive", {"TableName": "front"}),
    Step("dynamodb.DescribeContinuousBackups", {"TableName": "front"}),
    Step(
        "dynamodb.CreateTable",
        {
            "TableName": "other",
            **OWNED,
            "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
            "GlobalSecondaryIndexes": [
                {**BY_OWNER, "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}}
            ],
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
        },
    ),
    Step("dynamodb.DescribeTable", {"TableName": "other"}),
    Step("dynamodb.ListTables"),
)
DISKS = (
    Step("ec2.CreateVolume", {"AvailabilityZone": "us-east-1a", "Size": 8, "VolumeType": "gp3"}, {"disk": "VolumeId"}),
    Step("ec2.DescribeVolumes", {"VolumeIds": ["$disk"]}),
    Step("ec2.CreateSnapshot", {"VolumeId": "$disk", "Description": "d"}, {"snap": "SnapshotId"}),
    Step("ec2.DescribeSnapshots", {"SnapshotIds": ["$snap"]}),
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
    Step("sqs.GetQueueUrl", {"QueueName": "nobody"}),
    Step("sqs.CreateQueue", {"QueueName": "front", "Attributes": {"DelaySeconds": "6"}}),
    Step("sqs.CreateQueue", {"QueueName": "bad name"}),
    Step("sqs.SetQueueAttributes", {**QUEUE_URL, "Attributes": {"VisibilityTimeout": "43201"}}),
    Step("sqs.DeleteQueue", QUEUE_URL),
    Step("sqs.CreateQueue", {"QueueName": "front"}),
    Step("sns.GetTopicAttributes", {"TopicArn": "arn:aws:sns:us-east-1:123456789012:nobody"}),
    Step("sns.CreateTopic", {"Name": "front", "Tags": [{"Key": "other", "Value": "1"}]}),
    Step("sns.CreateTopic", {"Name": "bad name"}),
    Step("sns.ListTagsForResource", {"ResourceArn": "arn:aws:sns:us-east-1:123456789012:nobody"}),
    Step("sns.Subscribe", {"TopicArn": "$topic", "Protocol": "sqs", "Endpoint": "front"}),
    Step("logs.CreateLogGroup", {"logGroupName": "front"}),
    Step("logs.DeleteLogGroup", {"logGroupName": "nobody"}),
    Step("logs.PutRetentionPolicy", {"logGroupName": "front", "retentionInDays": 8}),
    Step("logs.CreateLogGroup", {"logGroupName": "aws/front"}),
    Step("dynamodb.CreateTable", {"TableName": "front", **KEY, "BillingMode": "PAY_PER_REQUEST"}),
    Step("dynamodb.CreateTable", {"TableName": "no", **KEY, "BillingMode": "PAY_PER_REQUEST"}),
    Step("dynamodb.CreateTable", {"TableName": "third", **OWNED, "BillingMode": "PAY_PER_REQUEST"}),
    Step("dynamodb.CreateTable", {"TableName": "third", **KEY, "BillingMode": "PROVISIONED"}),
    Step("dynamodb.DescribeTable", {"TableName": "nobody"}),
    Step("dynamodb.DeleteTable", {"TableName": "nobody"}),
    Step(
        "dynamodb.UpdateTimeToLive",
        {"TableName": "front", "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "until"}},
    ),
    Step("dynamodb.DescribeContinuousBackups", {"TableName": "nobody"}),
    Step("ec2.AttachVolume", {"VolumeId": "$disk", "InstanceId": "$instance", "Device": "/dev/sda1"}),
    Step("ec2.DetachVolume", {"VolumeId": "$disk"}),
    Step("ec2.DescribeVolumes", {"VolumeIds": [f"vol-{NOBODY}"]}),
    Step("ec2.CreateVolume", {"AvailabilityZone": "us-east-1a", "Size": 8, "VolumeType": "io1"}),
)
SCRIPT = NETWORK + COMPUTE + IDENTITY + STORAGE + MESSAGES + SETTINGS + TABLES + DISKS + REFUSED


ALLOWED: tuple[tuple[str, str], ...] = (
    ("sts.GetCallerIdentity *", "each has a made-up caller"),
    ("ec2.* *DhcpOptionsId: *", "the emulator has no DHCP options"),
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
    ("sqs.GetQueueAttributes *Timestamp: *", "AWS writes whole seconds"),
    ("sns.GetTopicAttributes *Policy: *", "the text of JSON, in one way or another"),
    ("sns.GetSubscriptionAttributes *SubscriptionPrincipal: * | -", "the emulator leaves it out"),
    ("ssm.DescribeParameters *.ARN: * | -", "newer than the emulator"),
    ("ssm.DescribeParameters *.LastModifiedUser: *", "each has a made-up caller"),
    ("ssm.DescribeParameters *.Policies: '[[]]' | -", "AWS shows the empty list"),
    ("logs.DescribeLogGroups *.creationTime: *", "the moment, as a number"),
    ("logs.DescribeLogGroups *.deletionProtectionEnabled: False | -", "newer than the emulator"),
    ("logs.DescribeLogGroups *.logGroupClass: 'STANDARD' | -", "newer than the emulator"),
    ("dynamodb.* *.LastUpdateToPayPerRequestDateTime: *", "the emulator leaves it out"),
    ("dynamodb.* *SecondaryIndexes: - | '[[]]'", "AWS leaves the empty lists out"),
    ("dynamodb.* *.TableId: * | -", "the emulator leaves it out"),
    ("dynamodb.* *Status: 'CREATING' | 'ACTIVE'", "AWS takes a moment"),
    ("dynamodb.* *WarmThroughput.*: - | *", "the strict cloud has no warm throughput"),
    ("dynamodb.* *.BillingModeSummary.BillingMode: - | 'PROVISIONED'", "AWS shows it when it was on demand once"),
    ("dynamodb.* *.GlobalSecondaryIndexes.0.*: * | -", "the emulator leaves out what was not ordered"),
    ("dynamodb.* *LatestStream*: *", "the moment of its making"),
    ("ec2.*Volume* *MultiAttachEnabled: False | -", "the emulator leaves it out"),
    ("ec2.*Volume* *SnapshotId: '' | -", "the emulator leaves it out"),
    ("ec2.*Volume* *Tags: '[[]]' | -", "AWS shows the empty list"),
    ("ec2.*Volume* *Throughput: 125 | -", "the emulator does not know what a volume can do"),
    ("ec2.CreateVolume State: 'creating' | 'available'", "AWS takes a moment"),
    ("ec2.CreateSnapshot *: * | *", "AWS takes a minute"),
    ("ec2.AttachVolume DeleteOnTermination: False | -", "the emulator leaves it out"),
    ("ec2.DetachVolume *", "the emulator must be told which instance"),
    ("sqs.SetQueueAttributes code: 'InvalidAttributeValue' | -", "the emulator takes any value"),
    ("sns.CreateTopic code: 'InvalidParameter' | -", "the emulator takes other tags for the same topic"),
    ("sns.CreateTopic TopicArn: - | *", "the emulator takes other tags for the same topic"),
    ("logs.PutRetentionPolicy code: * | -", "the emulator takes any number of days"),
    ("logs.CreateLogGroup code: * | -", "the emulator takes names that are AWS's"),
    ("dynamodb.CreateTable TableDescription.*: - | *", "the emulator takes names that are too short"),
    ("dynamodb.CreateTable code: 'ValidationException' | -", "the emulator takes names that are too short"),
    ("dynamodb.UpdateTimeToLive *", "the emulator takes one change after the other"),
)
"""Patterns of differences, and why each is one."""


def told(url: str) -> list[str]:
    """Every difference between the two, in the order of the script."""
    services = ("dynamodb", "ec2", "iam", "logs", "s3", "sns", "sqs", "ssm", "sts")
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
