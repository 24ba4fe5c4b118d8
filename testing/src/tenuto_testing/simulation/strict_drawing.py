"""The types of the strict cloud by short names, and the helpers for drawing any of them."""

from random import Random

from tenuto.model.ids import Json, TypeName
from tenuto_testing.simulation.compositions import Resources


def _name(text: str) -> TypeName:
    return TypeName(f"AWS::{text}")


VPC = _name("EC2::VPC")
SUBNET = _name("EC2::Subnet")
GROUP = _name("EC2::SecurityGroup")
RULE = _name("EC2::SecurityGroupIngress")
RULE_OUT = _name("EC2::SecurityGroupEgress")
GATEWAY = _name("EC2::InternetGateway")
ATTACHMENT = _name("EC2::VPCGatewayAttachment")
TABLE = _name("EC2::RouteTable")
ROUTE = _name("EC2::Route")
ASSOCIATION = _name("EC2::SubnetRouteTableAssociation")
NETWORK_ACL = _name("EC2::NetworkAcl")
NETWORK_ACL_ENTRY = _name("EC2::NetworkAclEntry")
ASSOCIATED_ACL = _name("EC2::SubnetNetworkAclAssociation")
ADDRESS = _name("EC2::EIP")
ASSOCIATED_ADDRESS = _name("EC2::EIPAssociation")
NAT = _name("EC2::NatGateway")
INSTANCE = _name("EC2::Instance")
KEY = _name("EC2::KeyPair")
VOLUME = _name("EC2::Volume")
ATTACHED_VOLUME = _name("EC2::VolumeAttachment")
ROLE = _name("IAM::Role")
ROLE_POLICY = _name("IAM::RolePolicy")
MANAGED_POLICY = _name("IAM::ManagedPolicy")
PROFILE = _name("IAM::InstanceProfile")
BUCKET = _name("S3::Bucket")
BUCKET_POLICY = _name("S3::BucketPolicy")
QUEUE = _name("SQS::Queue")
TOPIC = _name("SNS::Topic")
SUBSCRIPTION = _name("SNS::Subscription")
PARAMETER = _name("SSM::Parameter")
LOG = _name("Logs::LogGroup")
DATABASE = _name("DynamoDB::Table")
HOME = "Net1"
"""The network in which all lies that lies in one; the other network stands alone."""


def trust(service: str) -> Json:
    statement = {"Effect": "Allow", "Principal": {"Service": [service]}, "Action": ["sts:AssumeRole"]}
    return {"Version": "2012-10-17", "Statement": [statement]}


def allowing(action: str) -> Json:
    return {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": action, "Resource": ["*"]}]}


def tags(rng: Random) -> dict[str, Json]:
    return {"Tags": [{"Key": "stage", "Value": rng.choice("ab")}]} if rng.random() < 0.4 else {}


def one_of(rng: Random, found: Resources, type_name: TypeName) -> str | None:
    """The slot of one of the resources of a type; None when there is none."""
    known = [slot for slot, declaration in found.items() if declaration.type == type_name]
    return rng.choice(known) if known else None
