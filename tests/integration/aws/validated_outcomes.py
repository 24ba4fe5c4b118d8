"""The outcomes of tests that somebody ran against the real AWS, as plain values, and what of a value can be compared.

The recordings are not part of the project. TENUTO_RECORDINGS names a folder with `validated/**/*.json`, the outcomes
with placeholders for what changes from run to run, and `live/TYPE.NAME.json`, each with the `physical_id` that
CloudFormation gave a resource and the `live` model that AWS showed of it.

Theory of operation. Names and numbers differ from run to run. So two answers are compared by their form: the service
and the kind of thing of an ARN, the prefix of an id, the number of parts of a URL or an identifier. A placeholder that
hides a whole answer says only that it is one value, and not several with `|` between them.
"""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(os.environ.get("TENUTO_RECORDINGS") or "no recordings")
REF = "Ref"
_SERVICES = {"lambda_": "lambda"}
"""The services that the recordings call otherwise than the SDK."""
_WITHOUT_KIND = frozenset({"codecommit", "codepipeline", "s3", "sns", "sqs"})
"""The services whose ARNs begin with a name where others have the kind of thing."""
_HIDDEN = re.compile(r"<[^<>]*>|[a-z-]+-id")
"""A placeholder for a whole answer; some authors wrote a word instead."""
OUTPUTS = {
    "test_alarm_creation alarm_outputs AlarmName": ("AWS::CloudWatch::Alarm", REF),
    "test_alarm_creation alarm_outputs AlarmArnFromAtt": ("AWS::CloudWatch::Alarm", "Arn"),
    "test_black_box stack-outputs NetworkAclId": ("AWS::EC2::NetworkAcl", REF),
    "test_cfn_with_kms_resources stack-outputs KeyAlias": ("AWS::KMS::Alias", REF),
    "test_cfn_with_kms_resources stack-outputs KeyArn": ("AWS::KMS::Key", "Arn"),
    "test_dependency_on_attribute_with_dot_notation outputs DeadArn": ("AWS::SQS::Queue", "Arn"),
    "test_firehose_stack_with_kinesis_as_source outputs deliveryStreamRef": (
        "AWS::KinesisFirehose::DeliveryStream",
        REF,
    ),
    "test_getattr[Type] stack_outputs MyOutput": ("AWS::SSM::Parameter", "Type"),
    "test_getattr[Type] stack_outputs MyRef": ("AWS::SSM::Parameter", REF),
    "test_getattr[Value] stack_outputs MyOutput": ("AWS::SSM::Parameter", "Value"),
    "test_lambda_layer_crud cfn-output LambdaArn": ("AWS::Lambda::Function", "Arn"),
    "test_lambda_layer_crud cfn-output LambdaName": ("AWS::Lambda::Function", REF),
    "test_lambda_layer_crud cfn-output LayerVersionRef": ("AWS::Lambda::LayerVersion", REF),
    "test_logstream outputs LogGroupNameOutput": ("AWS::Logs::LogGroup", REF),
    "test_logstream outputs LogStreamNameOutput": ("AWS::Logs::LogStream", REF),
    "test_rule_properties outputs RuleWithoutBusArn": ("AWS::Events::Rule", "Arn"),
    "test_rule_properties outputs RuleWithoutBusRef": ("AWS::Events::Rule", REF),
    "test_stream_creation stack_output StreamArnFromAtt": ("AWS::Kinesis::Stream", "Arn"),
    "test_stream_creation stack_output StreamNameFromRef": ("AWS::Kinesis::Stream", REF),
}
"""The outputs of validated stacks: of which type, and which of its answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One answer that AWS gave: the value of `Ref` or of an attribute of a type."""

    type: str
    name: str
    value: Any
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """One resource that was recorded whole."""

    type: str
    physical_id: str
    model: dict[str, Any]
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """One refusal of a service, as the SDK parsed it."""

    service: str
    response: dict[str, Any]
    source: str

    @property
    def code(self) -> str:
        return str(self.response["Error"]["Code"])

    @property
    def message(self) -> str:
        return str(self.response["Error"].get("Message") or "")

    @property
    def status(self) -> int:
        return int(self.response["ResponseMetadata"]["HTTPStatusCode"])


def lives() -> list[Live]:
    found = ((path.stem, json.loads(path.read_text(encoding="utf-8"))) for path in sorted(FOLDER.glob("live/*.json")))
    return [
        Live(type=one["type"], physical_id=one["physical_id"], model=one["live"], source=name) for name, one in found
    ]


def told() -> list[Told]:
    """Every answer of a validated test about a resource type."""
    found = [
        Told(type=one["ResourceType"], name=REF, value=one["PhysicalResourceId"], source=test)
        for _, test, content in _tests()
        for _, one in _mappings(content, ())
        if one.get("ResourceType") and one.get("PhysicalResourceId") and "ResourceStatus" in one
    ]
    for _, test, content in _tests():
        for path, one in _mappings(content, ()):
            for name, value in one.items():
                place = OUTPUTS.get(" ".join((test, *path[-1:], name)))
                if place is not None:
                    found.append(Told(type=place[0], name=place[1], value=value, source=test))
    # Hundreds of tests make the same few things.
    return list({(one.type, one.name, form(one.value)): one for one in found}.values())


def refusals() -> list[Refused]:
    """The refusals of the services, without those of CloudFormation itself, which Tenuto never calls."""
    return [
        Refused(service=service, response=one, source=f"{test} {' '.join(path)}")
        for service, test, content in _tests()
        for path, one in _mappings(content, ())
        if service != "cloudformation" and isinstance(one.get("Error"), dict) and "ResponseMetadata" in one
    ]


def outputs_of(test: str) -> list[dict[str, str]]:
    """The outputs of the stacks of a validated test."""
    return [
        one
        for _, name, content in _tests()
        if name == test
        for path, one in _mappings(content, ())
        if path[-1:] == ("outputs",)
    ]


def texts_of(test: str) -> str:
    """Everything that was recorded of the tests of a name, as one text."""
    return "\n".join(json.dumps(content, ensure_ascii=False) for _, name, content in _tests() if name == test)


def template_errors() -> dict[str, str]:
    """What CloudFormation said of the templates that it refused, by the name of the test."""
    words = re.compile(
        r"Template (?:format )?error: [^\"]*|[Uu]nresolved [^\"]*|Invalid template [^\"]*|'null' values[^\"]*"
    )
    return {
        name: match[0]
        for service, name, content in _tests()
        if service == "cloudformation" and (match := words.search(json.dumps(content, ensure_ascii=False)))
    }


def recreations() -> set[tuple[str, str, str]]:
    """What change sets said of changed properties: the type, the property, and whether it makes a new thing."""
    return {
        (one["ResourceType"], detail["Target"]["Name"], detail["Target"]["RequiresRecreation"])
        for _, _, content in _tests()
        for _, one in _mappings(content, ())
        if one.get("ResourceType")
        for detail in one.get("Details") or ()
        if detail["Target"]["Attribute"] == "Properties"
    }


def form(value: Any) -> tuple[Any, ...]:
    """The form of an answer: what of it does not change from run to run."""
    text = re.sub(r"<[^<>]*>", "x", str(value))
    if text.startswith("arn:"):
        _, _, service, _, _, rest = text.split(":", 5)
        kind = re.split(r"[:/]", rest, maxsplit=1)[0] if service not in _WITHOUT_KIND else ""
        return ("arn", service, kind, len(re.split(r"[:/]", rest)) if not kind else 0)
    if text.startswith(("https://", "http://")):
        # An emulator answers under an address of its own.
        return ("url", text.split("//", 1)[1].count("/"))
    if "|" in text:
        return ("parts", text.count("|"))
    if match := re.fullmatch(r"([a-z]+(?:-[a-z]+)*)-[0-9a-f]{8,17}", text):
        return ("id", match[1])
    return ("address",) if re.fullmatch(r"\d+(\.\d+){3}", text) else ("word",)


def is_alike(ours: Any, theirs: Any) -> bool:
    """Whether two answers have one form."""
    mine = form(ours)
    return mine[0] != "parts" if _HIDDEN.fullmatch(str(theirs)) else mine == form(theirs)


def _tests() -> Iterator[tuple[str, str, Any]]:
    """The service, the name and the recorded content of each test."""
    for path in sorted(FOLDER.glob("validated/**/*.json")):
        service = path.relative_to(FOLDER / "validated").parts[0]
        for name, one in json.loads(path.read_text(encoding="utf-8")).items():
            yield _SERVICES.get(service, service), name.rpartition("::")[2], one["recorded-content"]


def _mappings(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Every mapping of a recording, with the names that lead to it."""
    if isinstance(value, dict):
        yield path, value
        for name, one in value.items():
            yield from _mappings(one, (*path, name))
    elif isinstance(value, list):
        for one in value:
            yield from _mappings(one, path)
