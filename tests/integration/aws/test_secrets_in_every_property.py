"""A NoEcho value stands in a free text of every type, and AWS refuses every call once and repeats it, in each encoding.

The values are then looked for in the whole database, the log, the notifications and the answers of the API. What names
a thing (a name, a path, the parts of an id) is no place for a secret: AWS shows it everywhere, and so does Tenuto.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any

import pytest
from aws_examples import EXAMPLES
from night import by_day
from structlog.testing import capture_logs
from test_secrets_of_every_type import ENCODINGS, persist, stored

from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.conductor.notifier import Notifier
from tenuto.core.access.masking import MASK
from tenuto.errors import PermanentError
from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.command import ProcessState
from tenuto.model.notification import Notification, Sink, SinkKind
from tenuto.ports.store_administration import CreateSink
from tenuto.service.intake.composition import Submission
from tenuto.service.views import process_view
from tenuto_testing.cloud import BOUNDLESS, Cloud
from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.served import SERVED
from tenuto_testing.cloud.services import Service
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.store_samples import a_sink
from tenuto_testing.strict_world import REGION, StrictWorld

Properties = dict[str, Any]

SECRETS = {"Any": 'Zq9/Super "Secret" & Xyzzy+42', "Plain": "Zq7/Mild-Zanzibar.Word_7="}
"""By the parameter that has it. Some texts take few characters; what they take is `Plain`."""
CORES = ("Xyzzy", "Zanzibar")
"""Parts that most encodings leave as they are."""
ANY, PLAIN = {"Ref": "Any"}, {"Ref": "Plain"}
TAGGED: Properties = {"Tags": [{"Key": "note", "Value": PLAIN}]}
_ALLOWED = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*", "Condition": {"StringEquals": {"aws:x": ANY}}}
POLICY: Properties = {"PolicyDocument": {"Version": "2012-10-17", "Statement": [_ALLOWED]}}
_OF_BUCKET = {**_ALLOWED, "Principal": "*", "Resource": {"Fn::GetAtt": ["Bucket", "Arn"]}}
TEXTS: Mapping[str, Properties] = {
    "AWS::DynamoDB::Table": TAGGED,
    "AWS::EC2::EIP": TAGGED,
    "AWS::EC2::Instance": {**TAGGED, "UserData": {"Fn::Base64": {"Fn::Sub": "#!/bin/sh\nlogin ${Any}\n"}}},
    "AWS::EC2::InternetGateway": TAGGED,
    "AWS::EC2::KeyPair": TAGGED,
    "AWS::EC2::NatGateway": TAGGED,
    "AWS::EC2::NetworkAcl": TAGGED,
    "AWS::EC2::RouteTable": TAGGED,
    "AWS::EC2::SecurityGroup": {**TAGGED, "GroupDescription": PLAIN},
    "AWS::EC2::SecurityGroupEgress": {"Description": PLAIN},
    "AWS::EC2::SecurityGroupIngress": {"Description": PLAIN},
    "AWS::EC2::Subnet": TAGGED,
    "AWS::EC2::VPC": {"Tags": [{"Key": "note", "Value": ANY}]},
    "AWS::EC2::Volume": TAGGED,
    "AWS::IAM::ManagedPolicy": {**POLICY, "Description": ANY},
    "AWS::IAM::Role": {**TAGGED, "Description": PLAIN, "Policies": [{"PolicyName": "inner", **POLICY}]},
    "AWS::IAM::RolePolicy": POLICY,
    "AWS::Logs::LogGroup": TAGGED,
    "AWS::S3::Bucket": {**TAGGED, "WebsiteConfiguration": {"IndexDocument": "index.html", "ErrorDocument": PLAIN}},
    "AWS::S3::BucketPolicy": {"PolicyDocument": {"Version": "2012-10-17", "Statement": [_OF_BUCKET]}},
    "AWS::SNS::Subscription": {"FilterPolicy": {"kind": [ANY]}},
    "AWS::SNS::Topic": {**TAGGED, "DisplayName": PLAIN},
    "AWS::SQS::Queue": TAGGED,
    "AWS::SSM::Parameter": {"Value": ANY, "Description": PLAIN, "Tags": {"note": PLAIN}},
    str(CLOUD_NODE): TAGGED,
}
WITHOUT_TEXT = {
    "AWS::EC2::EIPAssociation",
    "AWS::EC2::NetworkAclEntry",
    "AWS::EC2::Route",
    "AWS::EC2::SubnetNetworkAclAssociation",
    "AWS::EC2::SubnetRouteTableAssociation",
    "AWS::EC2::VPCGatewayAttachment",
    "AWS::EC2::VolumeAttachment",
    "AWS::IAM::InstanceProfile",
}
"""Types of ids, names, numbers and networks alone."""


class Telltale(Cloud):
    """A cloud that refuses each action once, and repeats both values."""

    encode: Callable[[str], str] = str

    def _admit(self, service: Service, call: Call) -> None:
        if not hasattr(self, "told"):
            self.told: set[str] = set()
        if call.action not in self.told | {"GetCallerIdentity", "DescribeAvailabilityZones", "DescribeRegions"}:
            self.told.add(call.action)
            values = ", ".join(map(self.encode, SECRETS.values()))
            raise Refusal("InvalidParameterValue", f"Value ({values}) for a parameter is invalid. {values}")
        super()._admit(service, call)


class Listener:
    """Receives the notifications."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def can_reach(self, sink: Sink) -> bool:
        return True

    def trouble(self, sink: Sink) -> str:
        return ""

    def deliver(self, sink: Sink, notification: Notification) -> None:
        self.told.append(notification.document)


def everything() -> Submission:
    """One of each type, and the values in every free text."""
    resources: dict[str, Any] = {}
    for one in EXAMPLES:
        properties = deepcopy(dict(one.properties)) | TEXTS.get(str(one.type), {})
        resources[str(one.name)] = {"Type": str(one.type), "Properties": properties}
    parameters = {name: {"Type": "String", "NoEcho": True} for name in SECRETS}
    text = json.dumps({"Parameters": parameters, "Resources": resources})
    compiled = compile_text(text, file="all.json", parameters=SECRETS, region=REGION)
    return Submission(document=to_document(compiled.composition), secrets=compiled.secrets)


def notified(world: StrictWorld, times: int = 50) -> list[object]:
    listener = Listener()
    notifier = Notifier(store=world.store, transports={SinkKind.SNS: listener}, clock=world.clock)
    for _ in range(times):
        notifier.step()
    return listener.told


def found_in(places: Mapping[str, str], forms: Sequence[str]) -> set[tuple[str, str]]:
    return {(place, form) for place, text in places.items() for form in forms if form in text}


@pytest.mark.parametrize("encode", by_day(3, ENCODINGS), ids=range(len(ENCODINGS)))
def test_no_secret_of_any_type_is_told_by_a_refusal_in_any_encoding(encode: Callable[[str], str]) -> None:
    told_by = type("ToldBy", (Telltale,), {"encode": staticmethod(encode)})
    world = StrictWorld(lambda clock: told_by(clock, quotas=BOUNDLESS))
    world.store.commit([CreateSink(sink=a_sink(processes=(), accounts=(), cursor=0))])
    commands = world.system.commands
    with capture_logs() as log:
        try:
            commands.run(everything(), alias="web")
        except PermanentError:
            commands.run(everything(), alias="web")
        told = persist(world, lambda: commands.resume("web"))
        assert world.store.process("web") is not None
        found = process_view.process_detail_document(world.system.queries.process("web"))
        held = {one["type"] for one in found["resources"].values() if one["status"] == "ready"}
        commands.kill("web")
        told += persist(world, lambda: commands.kill("web"))
    gone = world.store.process("web")
    assert gone is None or gone.state is ProcessState.GONE
    assert held == set(SERVED)
    notifications = notified(world)
    assert notifications
    places = {
        "database": stored(world),
        "log": repr(log),
        "api": "\n".join(told),
        "notifications": json.dumps(notifications),
    }
    assert MASK in places["database"]
    assert found_in(places, [*CORES, *SECRETS.values(), *map(encode, SECRETS.values())]) == set()


def test_every_type_has_a_text_or_is_known_to_have_none() -> None:
    assert set(TEXTS) | WITHOUT_TEXT == set(SERVED)
    assert not set(TEXTS) & WITHOUT_TEXT
