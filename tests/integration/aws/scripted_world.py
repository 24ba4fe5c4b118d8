"""A provider of AWS before a scripted endpoint, in virtual time."""

from aws_sessions import open_session
from scripted_endpoint import ScriptedEndpoint, answer

from tenuto.model.ids import Fid, JsonMap, LogicalId, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.outcome import Outcome, Request
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.clock import VirtualClock
from tenuto_testing.ops import RecordedOps

HERE = Partition(account="default", region="us-east-1")
VPC = TypeName("AWS::EC2::VPC")
MADE = answer("CreateVpc", "<vpc><vpcId>vpc-1</vpcId></vpc>")


class World:
    """A provider before a scripted endpoint."""

    def __init__(self, endpoint: ScriptedEndpoint) -> None:
        self.endpoint = endpoint
        self.clock = VirtualClock()
        self.ops = RecordedOps()
        session = open_session()
        session.set_credentials("test", "test")
        self.provider = AwsProvider(session=session, ops=self.ops, clock=self.clock)

    def create(self, request: Request) -> Outcome:
        return self.provider.create(HERE, [request])[0]

    def delete(self, request: Request) -> Outcome:
        return self.provider.delete(HERE, [request])[0]


def a_request(type_name: str = VPC, properties: JsonMap | None = None, physical_id: str | None = None) -> Request:
    return Request(
        object_id=ObjectId("object-1"),
        fid=Fid("process-1"),
        process_name="web",
        logical_id=LogicalId("Thing"),
        type=TypeName(type_name),
        token="object-1",
        properties={"CidrBlock": "10.0.0.0/16"} if properties is None else properties,
        physical_id=PhysicalId(physical_id) if physical_id else None,
    )
