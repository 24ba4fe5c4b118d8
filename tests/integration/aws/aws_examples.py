"""One example of every AWS type, in the order of dependency, as people write them."""

from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.ids import LogicalId, TypeName
from tenuto_testing.provider_conformance import Example


def _example(
    name: str,
    type_name: str,
    properties: dict[str, object] | None = None,
    *,
    drift: dict[str, object] | None = None,
    copies: bool = False,
) -> Example:
    return Example(
        name=LogicalId(name),
        type=TypeName(f"AWS::{type_name}"),
        properties=properties or {},
        drift=drift or {},
        copies=copies,
    )


TAGS = [{"Key": "Name", "Value": "front"}, {"Key": "team", "Value": "web"}]
OTHER_TAGS = [{"Key": "Name", "Value": "changed"}, {"Key": "new", "Value": "1"}]
NETWORK = (
    _example(
        "Vpc",
        "EC2::VPC",
        {"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": "true", "EnableDnsHostnames": "true", "Tags": TAGS},
        drift={"EnableDnsHostnames": False, "EnableDnsSupport": False, "Tags": OTHER_TAGS},
        copies=True,
    ),
    _example(
        "Subnet",
        "EC2::Subnet",
        {
            "VpcId": {"Ref": "Vpc"},
            "CidrBlock": "10.0.0.0/24",
            "AvailabilityZone": {"Fn::Select": [1, {"Fn::GetAZs": ""}]},
            "MapPublicIpOnLaunch": "true",
            "Tags": TAGS,
        },
        drift={"MapPublicIpOnLaunch": False, "Tags": []},
    ),
    _example(
        "Group",
        "EC2::SecurityGroup",
        {
            "GroupDescription": "Front",
            "VpcId": {"Ref": "Vpc"},
            "SecurityGroupIngress": [
                {"IpProtocol": "6", "FromPort": "443", "ToPort": "443", "CidrIp": "0.0.0.0/0", "Description": "web"},
                {"IpProtocol": "-1", "FromPort": 0, "ToPort": 65535, "CidrIp": "10.0.0.0/8"},
                {"IpProtocol": "udp", "FromPort": 53, "ToPort": 53, "CidrIpv6": "::/0"},
                {
                    "IpProtocol": "tcp",
                    "FromPort": 22,
                    "ToPort": 22,
                    "SourceSecurityGroupId": {"Fn::GetAtt": ["Vpc", "DefaultSecurityGroup"]},
                },
            ],
            "Tags": TAGS,
        },
        drift={
            "SecurityGroupIngress": [
                {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "CidrIp": "0.0.0.0/0", "Description": "site"},
                {"IpProtocol": "icmp", "FromPort": -1, "ToPort": -1, "CidrIp": "10.0.0.0/8"},
            ],
            "SecurityGroupEgress": [{"IpProtocol": "tcp", "FromPort": 80, "ToPort": 80, "CidrIp": "0.0.0.0/0"}],
        },
    ),
    _example(
        "Ingress",
        "EC2::SecurityGroupIngress",
        {
            "GroupId": {"Fn::GetAtt": ["Group", "GroupId"]},
            "IpProtocol": "tcp",
            "FromPort": 8080,
            "ToPort": 8081,
            "CidrIp": "10.1.0.0/16",
            "Description": "peers",
        },
        drift={"Description": "changed"},
    ),
    _example(
        "Egress",
        "EC2::SecurityGroupEgress",
        {"GroupId": {"Ref": "Group"}, "IpProtocol": -1, "CidrIp": "10.0.0.0/8"},
    ),
)
ROUTING = (
    _example("Gateway", "EC2::InternetGateway", {"Tags": TAGS}, drift={"Tags": OTHER_TAGS}, copies=True),
    _example(
        "Attachment", "EC2::VPCGatewayAttachment", {"InternetGatewayId": {"Ref": "Gateway"}, "VpcId": {"Ref": "Vpc"}}
    ),
    _example("Table", "EC2::RouteTable", {"VpcId": {"Ref": "Vpc"}, "Tags": TAGS}, drift={"Tags": OTHER_TAGS}),
    _example("Address", "EC2::EIP", {"Domain": "vpc", "Tags": TAGS}, drift={"Tags": OTHER_TAGS}, copies=True),
    _example(
        "Nat",
        "EC2::NatGateway",
        {
            "AllocationId": {"Fn::GetAtt": ["Address", "AllocationId"]},
            "SubnetId": {"Ref": "Subnet"},
            "ConnectivityType": "public",
            "Tags": TAGS,
        },
        drift={"Tags": OTHER_TAGS},
    ),
    _example(
        "Route",
        "EC2::Route",
        {"RouteTableId": {"Ref": "Table"}, "DestinationCidrBlock": "0.0.0.0/0", "GatewayId": {"Ref": "Gateway"}},
    ),
    _example(
        "Association",
        "EC2::SubnetRouteTableAssociation",
        {"RouteTableId": {"Ref": "Table"}, "SubnetId": {"Ref": "Subnet"}},
    ),
    _example("Acl", "EC2::NetworkAcl", {"VpcId": {"Ref": "Vpc"}, "Tags": TAGS}, drift={"Tags": OTHER_TAGS}),
    _example(
        "Entry",
        "EC2::NetworkAclEntry",
        {
            "NetworkAclId": {"Ref": "Acl"},
            "RuleNumber": "100",
            "Protocol": "-1",
            "RuleAction": "allow",
            "Egress": "false",
            "CidrBlock": "0.0.0.0/0",
            "PortRange": {"From": "0", "To": "65535"},
        },
        drift={"RuleAction": "deny", "Protocol": 6, "PortRange": {"From": 80, "To": 81}},
    ),
    _example(
        "Egress6",
        "EC2::NetworkAclEntry",
        {
            "NetworkAclId": {"Ref": "Acl"},
            "RuleNumber": 200,
            "Protocol": 58,
            "RuleAction": "ALLOW",
            "Egress": True,
            "Ipv6CidrBlock": "::/0",
            "Icmp": {"Code": -1, "Type": -1},
        },
    ),
    _example(
        "AclAssociation",
        "EC2::SubnetNetworkAclAssociation",
        {"SubnetId": {"Ref": "Subnet"}, "NetworkAclId": {"Ref": "Acl"}},
    ),
)
COMPUTE = (
    _example(
        "Key", "EC2::KeyPair", {"KeyName": "front-key", "KeyType": "rsa", "Tags": TAGS}, drift={"Tags": OTHER_TAGS}
    ),
    _example(
        "Instance",
        "EC2::Instance",
        {
            "ImageId": "ami-12c6146b",
            "InstanceType": "t3.micro",
            "KeyName": {"Ref": "Key"},
            "SubnetId": {"Ref": "Subnet"},
            "SecurityGroupIds": [{"Ref": "Group"}],
            "UserData": {"Fn::Base64": "#!/bin/sh\necho hello\n"},
            "SourceDestCheck": "true",
            "Monitoring": False,
            "Tags": TAGS,
        },
        drift={
            "DisableApiTermination": "false",
            "InstanceInitiatedShutdownBehavior": "terminate",
            "InstanceType": "t3.large",
            "SecurityGroupIds": [{"Fn::GetAtt": ["Vpc", "DefaultSecurityGroup"]}],
            "SourceDestCheck": False,
            "Tags": OTHER_TAGS,
            "UserData": {"Fn::Base64": "#!/bin/sh\n"},
        },
    ),
    _example(
        "OtherAddress",
        "EC2::EIP",
        {"Domain": "vpc", "InstanceId": {"Ref": "Instance"}},
    ),
    _example("LooseAddress", "EC2::EIP"),
    _example("OtherInstance", "EC2::Instance", {"ImageId": "ami-12c6146b", "SubnetId": {"Ref": "Subnet"}}),
    Example(
        name=LogicalId("Node"),
        type=CLOUD_NODE,
        properties={
            "MachineType": "t3.micro",
            "Image": "ami-12c6146b",
            "Network": {"Ref": "Subnet"},
            "SecurityGroupIds": [{"Ref": "Group"}],
            "SshKey": {"Ref": "Key"},
            "Tags": TAGS,
        },
        drift={"SecurityGroupIds": [{"Fn::GetAtt": ["Vpc", "DefaultSecurityGroup"]}], "Tags": OTHER_TAGS},
    ),
    _example(
        "AddressAssociation",
        "EC2::EIPAssociation",
        {"AllocationId": {"Fn::GetAtt": ["LooseAddress", "AllocationId"]}, "InstanceId": {"Ref": "OtherInstance"}},
    ),
)


def _trust(service: str) -> dict[str, object]:
    statement = {"Effect": "Allow", "Principal": {"Service": [service]}, "Action": ["sts:AssumeRole"]}
    return {"Version": "2012-10-17", "Statement": [statement]}


TRUST = _trust("ec2.amazonaws.com")


def _allow(action: str) -> dict[str, object]:
    return {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": action, "Resource": ["*"]}]}


def _protection(operation: str) -> dict[str, object]:
    """A policy of protected data."""
    statement = {
        "Sid": "addresses",
        "DataDirection": "Inbound",
        "Principal": ["*"],
        "DataIdentifier": ["arn:aws:dataprotection::aws:data-identifier/Address"],
        "Operation": {operation: {}},
    }
    return {"Name": "front", "Version": "2021-06-01", "Statement": [statement]}


LOGGING_ROLE = "arn:aws:iam::123456789012:role/front-logging"
READING = _allow("s3:GetObject")
IDENTITY = (
    _example(
        "Policy",
        "IAM::ManagedPolicy",
        {"Description": "read", "PolicyDocument": READING},
        drift={"PolicyDocument": _allow("s3:*")},
    ),
    _example(
        "Role",
        "IAM::Role",
        {
            "AssumeRolePolicyDocument": TRUST,
            "Description": "front",
            "MaxSessionDuration": "7200",
            "ManagedPolicyArns": [],
            "Policies": [{"PolicyName": "list", "PolicyDocument": _allow("s3:ListBucket")}],
            "Tags": TAGS,
        },
        drift={
            "Description": "changed",
            "MaxSessionDuration": 3600,
            "ManagedPolicyArns": [{"Ref": "Policy"}],
            "Policies": [
                {"PolicyName": "list", "PolicyDocument": _allow("s3:*")},
                {"PolicyName": "more", "PolicyDocument": _allow("ec2:*")},
            ],
            "AssumeRolePolicyDocument": _trust("lambda.amazonaws.com"),
            "Tags": OTHER_TAGS,
        },
    ),
    _example(
        "RolePolicy",
        "IAM::RolePolicy",
        {"RoleName": {"Ref": "Role"}, "PolicyName": "alone", "PolicyDocument": _allow("sns:Publish")},
        drift={"PolicyDocument": _allow("sns:*")},
    ),
    _example("OtherRole", "IAM::Role", {"AssumeRolePolicyDocument": TRUST, "RoleName": "front-other", "Path": "/web/"}),
    _example(
        "Profile",
        "IAM::InstanceProfile",
        {"Roles": [{"Ref": "Role"}], "Path": "/"},
        drift={"Roles": [{"Ref": "OtherRole"}]},
    ),
)


def _only_encrypted(action: str) -> dict[str, object]:
    statement = {
        "Effect": "Deny",
        "Principal": {"AWS": "*"},
        "Action": action,
        "Resource": [{"Fn::GetAtt": ["Bucket", "Arn"]}],
        "Condition": {"Bool": {"aws:SecureTransport": False}},
    }
    return {"Version": "2012-10-17", "Statement": [statement]}


STORAGE = (
    _example(
        "Logs",
        "S3::Bucket",
        {
            "BucketName": "front-logs-tenuto",
            "AccessControl": "LogDeliveryWrite",
            "OwnershipControls": {"Rules": [{"ObjectOwnership": "BucketOwnerPreferred"}]},
        },
    ),
    _example(
        "Bucket",
        "S3::Bucket",
        {
            "BucketEncryption": {
                "ServerSideEncryptionConfiguration": [{"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]
            },
            "VersioningConfiguration": {"Status": "Enabled"},
            "PublicAccessBlockConfiguration": {
                "BlockPublicAcls": "true",
                "BlockPublicPolicy": True,
                "IgnorePublicAcls": True,
                "RestrictPublicBuckets": True,
            },
            "OwnershipControls": {"Rules": [{"ObjectOwnership": "BucketOwnerPreferred"}]},
            "LifecycleConfiguration": {
                "Rules": [
                    {"Id": "old", "Status": "Enabled", "Prefix": "tmp/", "ExpirationInDays": "30"},
                    {
                        "Id": "cold",
                        "Status": "Enabled",
                        "Transitions": [{"StorageClass": "GLACIER", "TransitionInDays": 90}],
                        "NoncurrentVersionExpiration": {"NoncurrentDays": 7},
                        "TagFilters": [{"Key": "class", "Value": "cold"}],
                        "Prefix": "a/",
                    },
                ]
            },
            "CorsConfiguration": {
                "CorsRules": [{"AllowedMethods": ["GET", "HEAD"], "AllowedOrigins": ["*"], "MaxAge": "300"}]
            },
            "WebsiteConfiguration": {"IndexDocument": "index.html", "ErrorDocument": "error.html"},
            "InventoryConfigurations": [
                {
                    "Id": "all",
                    "Enabled": "true",
                    "IncludedObjectVersions": "Current",
                    "ScheduleFrequency": "Weekly",
                    "OptionalFields": ["Size", "ETag"],
                    "Prefix": "in/",
                    "Destination": {"BucketArn": "arn:aws:s3:::front-logs-tenuto", "Format": "CSV", "Prefix": "seen"},
                }
            ],
            "AnalyticsConfigurations": [
                {
                    "Id": "all",
                    "TagFilters": [{"Key": "class", "Value": "cold"}],
                    "StorageClassAnalysis": {
                        "DataExport": {
                            "Destination": {"BucketArn": "arn:aws:s3:::front-logs-tenuto", "Format": "CSV"},
                            "OutputSchemaVersion": "V_1",
                        }
                    },
                }
            ],
            "MetricsConfigurations": [{"Id": "all"}, {"Id": "in", "Prefix": "in/"}],
            "IntelligentTieringConfigurations": [
                {
                    "Id": "old",
                    "Status": "Enabled",
                    "Prefix": "old/",
                    "TagFilters": [{"Key": "class", "Value": "cold"}, {"Key": "use", "Value": "rare"}],
                    "Tierings": [
                        {"AccessTier": "DEEP_ARCHIVE_ACCESS", "Days": "180"},
                        {"AccessTier": "ARCHIVE_ACCESS", "Days": 125},
                    ],
                }
            ],
            "Tags": TAGS,
        },
        drift={
            "VersioningConfiguration": {"Status": "Suspended"},
            "PublicAccessBlockConfiguration": {
                "BlockPublicAcls": False,
                "BlockPublicPolicy": True,
                "IgnorePublicAcls": True,
                "RestrictPublicBuckets": True,
            },
            "CorsConfiguration": {"CorsRules": [{"AllowedMethods": ["PUT"], "AllowedOrigins": ["https://a.example"]}]},
            "LifecycleConfiguration": {"Rules": [{"Id": "old", "Status": "Disabled", "ExpirationInDays": 3}]},
            "WebsiteConfiguration": {"IndexDocument": "home.html"},
            "InventoryConfigurations": [],
            "AnalyticsConfigurations": [{"Id": "all", "StorageClassAnalysis": {}}],
            "MetricsConfigurations": [{"Id": "all", "Prefix": "out/"}],
            "IntelligentTieringConfigurations": [
                {"Id": "old", "Status": "Disabled", "Tierings": [{"AccessTier": "ARCHIVE_ACCESS", "Days": 125}]}
            ],
            "Tags": OTHER_TAGS,
        },
    ),
    _example(
        "BucketPolicy",
        "S3::BucketPolicy",
        {
            "Bucket": {"Ref": "Bucket"},
            "PolicyDocument": _only_encrypted("s3:*"),
        },
        drift={"PolicyDocument": _only_encrypted("s3:GetObject")},
    ),
)
DISKS = (
    _example(
        "Disk",
        "EC2::Volume",
        {"AvailabilityZone": {"Fn::GetAtt": ["Instance", "AvailabilityZone"]}, "Size": "8", "Tags": TAGS},
        drift={"Tags": OTHER_TAGS},
    ),
    _example(
        "DiskAttachment",
        "EC2::VolumeAttachment",
        {"Device": "/dev/sdh", "InstanceId": {"Ref": "Instance"}, "VolumeId": {"Ref": "Disk"}},
    ),
)
MESSAGES = (
    _example(
        "DeadLetters", "SQS::Queue", {"FifoQueue": "true", "ContentBasedDeduplication": True}, drift={}, copies=True
    ),
    _example(
        "Queue",
        "SQS::Queue",
        {
            "QueueName": "front-queue",
            "VisibilityTimeout": "60",
            "DelaySeconds": 5,
            "MessageRetentionPeriod": 86400,
            "Tags": TAGS,
        },
        drift={"VisibilityTimeout": 30, "DelaySeconds": 0, "Tags": OTHER_TAGS},
    ),
    _example(
        "Topic",
        "SNS::Topic",
        {
            "DisplayName": "front",
            "DataProtectionPolicy": _protection("Deny"),
            "DeliveryStatusLogging": [{"Protocol": "sqs", "FailureFeedbackRoleArn": LOGGING_ROLE}],
            "MaximumMessageSize": "131072",
            "Subscription": [{"Protocol": "sqs", "Endpoint": {"Fn::GetAtt": ["Queue", "Arn"]}}],
            "Tags": TAGS,
        },
        drift={
            "DisplayName": "changed",
            "DataProtectionPolicy": _protection("Audit"),
            "DeliveryStatusLogging": [{"Protocol": "http/s", "SuccessFeedbackSampleRate": 5}],
            "MaximumMessageSize": 1024,
            "Subscription": [],
            "Tags": OTHER_TAGS,
        },
    ),
    _example("OtherTopic", "SNS::Topic", {"TopicName": "front-other"}),
    _example(
        "Subscription",
        "SNS::Subscription",
        {
            "TopicArn": {"Ref": "OtherTopic"},
            "Protocol": "sqs",
            "Endpoint": {"Fn::GetAtt": ["Queue", "Arn"]},
            "FilterPolicy": {"kind": ["order"]},
            "RawMessageDelivery": "true",
        },
        drift={"FilterPolicy": {"kind": ["bill"]}, "RawMessageDelivery": False},
    ),
)
SETTINGS = (
    _example(
        "Setting",
        "SSM::Parameter",
        {"Name": "/front/setting", "Type": "String", "Value": "1", "Description": "how many", "Tags": {"team": "web"}},
        drift={"Value": "2", "Description": "how few", "Tags": {"team": "db"}},
    ),
    _example("NamelessSetting", "SSM::Parameter", {"Type": "StringList", "Value": "a,b"}, copies=True),
    _example(
        "LogGroup",
        "Logs::LogGroup",
        {
            "RetentionInDays": "7",
            "DataProtectionPolicy": _protection("Deidentify"),
            "FieldIndexPolicies": [{"Fields": ["user", "request"]}],
            "Tags": TAGS,
        },
        drift={
            "RetentionInDays": 30,
            "DataProtectionPolicy": _protection("Audit"),
            "FieldIndexPolicies": [{"Fields": ["user"]}],
            "Tags": OTHER_TAGS,
        },
        copies=True,
    ),
)
TABLES = (
    _example(
        "Orders",
        "DynamoDB::Table",
        {
            "AttributeDefinitions": [
                {"AttributeName": "id", "AttributeType": "S"},
                {"AttributeName": "at", "AttributeType": "N"},
            ],
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}],
            "BillingMode": "PAY_PER_REQUEST",
            "StreamSpecification": {"StreamViewType": "NEW_IMAGE"},
            "TimeToLiveSpecification": {"AttributeName": "until", "Enabled": "true"},
            "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
            "Tags": TAGS,
        },
        drift={
            "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": False},
            "Tags": OTHER_TAGS,
        },
    ),
    _example(
        "IndexedTable",
        "DynamoDB::Table",
        {
            "TableName": "front-indexed",
            "AttributeDefinitions": [
                {"AttributeName": "id", "AttributeType": "S"},
                {"AttributeName": "owner", "AttributeType": "S"},
            ],
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "ProvisionedThroughput": {"ReadCapacityUnits": "5", "WriteCapacityUnits": 5},
            "GlobalSecondaryIndexes": [
                {
                    "IndexName": "owners",
                    "KeySchema": [{"AttributeName": "owner", "KeyType": "HASH"}],
                    "Projection": {"ProjectionType": "ALL"},
                    "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": "5"},
                }
            ],
        },
        drift={"ProvisionedThroughput": {"ReadCapacityUnits": 6, "WriteCapacityUnits": 6}},
    ),
)
EXAMPLES = NETWORK + ROUTING + COMPUTE + IDENTITY + STORAGE + DISKS + MESSAGES + SETTINGS + TABLES
IMPOSSIBLE = _example("Bad", "EC2::VPC", {"CidrBlock": "10.0.0.0/8"})
