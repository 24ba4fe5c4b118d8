"""The resource types of AWS that the strict cloud serves: each of their calls, with its difficulties.

Types that are declared as data are tried in front of another emulator (tests/integration/aws/test_blocks.py). A type
that gets its handlers here is added to the list.
"""

from collections.abc import Mapping

from tenuto.model.ids import TypeName
from tenuto.providers.aws.kind import AwsType
from tenuto.providers.aws.types.catalogue import CATALOGUE

_NAMES = (
    *("AWS::DynamoDB::Table", "AWS::EC2::EIP", "AWS::EC2::EIPAssociation", "AWS::EC2::Instance"),
    *("AWS::EC2::InternetGateway", "AWS::EC2::KeyPair", "AWS::EC2::NatGateway", "AWS::EC2::NetworkAcl"),
    *("AWS::EC2::NetworkAclEntry", "AWS::EC2::Route", "AWS::EC2::RouteTable", "AWS::EC2::SecurityGroup"),
    *("AWS::EC2::SecurityGroupEgress", "AWS::EC2::SecurityGroupIngress", "AWS::EC2::Subnet"),
    *("AWS::EC2::SubnetNetworkAclAssociation", "AWS::EC2::SubnetRouteTableAssociation", "AWS::EC2::VPC"),
    *("AWS::EC2::VPCGatewayAttachment", "AWS::EC2::Volume", "AWS::EC2::VolumeAttachment"),
    *("AWS::IAM::InstanceProfile", "AWS::IAM::ManagedPolicy", "AWS::IAM::Role", "AWS::IAM::RolePolicy"),
    *("AWS::Logs::LogGroup", "AWS::S3::Bucket", "AWS::S3::BucketPolicy", "AWS::SNS::Subscription", "AWS::SNS::Topic"),
    *("AWS::SQS::Queue", "AWS::SSM::Parameter", "Cloud.Node"),
)
SERVED: Mapping[TypeName, AwsType] = {TypeName(name): CATALOGUE[TypeName(name)] for name in _NAMES}
