"""Recorded answers go onto the wire of their service and come back as they were.

The first tests need no recordings. The others are skipped unless TENUTO_RECORDINGS names a folder with
`answers/SERVICE/OPERATION-NN.json`.
"""

import json
import os
import re
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from botocore import xform_name
from botocore.config import Config
from botocore.exceptions import ClientError

from tenuto.kit.times import moment_of
from tenuto_testing.cloud.replay import Recording, ReplaySession, recordings, revived
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.wire.shaped import fitted

FOLDER = Path(os.environ.get("TENUTO_RECORDINGS") or "no recordings") / "answers"
needs_recordings = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="TENUTO_RECORDINGS names no folder of recorded answers"
)
CLIENT = Config(parameter_validation=False, retries={"max_attempts": 0})
MADE = {"__class__": "datetime", "year": 2026, "month": 1, "day": 2, "hour": 3, "minute": 4, "second": 5}
EXAMPLES = {
    "ec2": ("DescribeVolumes", {"Volumes": [{"VolumeId": "vol-1", "CreateTime": MADE, "Tags": [], "Size": 8}]}),
    "iam": ("GetRole", {"Role": {"RoleName": "runs", "AssumeRolePolicyDocument": {"Version": "2012-10-17"}}}),
    "lambda": ("GetFunction", {"Configuration": {"FunctionName": "code", "Timeout": 3}, "Tags": {"a": "b"}}),
    "apigatewayv2": ("GetStages", {"Items": [{"StageName": "live", "AutoDeploy": True}]}),
    "logs": ("DescribeLogGroups", {"logGroups": [{"logGroupName": "a", "storedBytes": 5}]}),
    "cloudwatch": ("DescribeAlarms", {"MetricAlarms": [{"AlarmName": "hot", "Threshold": 1.5}]}),
    "route53": ("ListHostedZones", {"HostedZones": [{"Id": "/hostedzone/Z1", "Name": "example.com."}]}),
    "s3": ("GetBucketAcl", {"Owner": {"ID": "1"}, "Grants": [{"Permission": "READ"}]}),
}
"""One answer in each protocol, and in those that share a path or a service with others."""
UNPARSED = {
    "kinesis/GetResourcePolicy-02": "the SDK wants a real ARN before it asks",
    "kinesis/GetResourcePolicy-03": "the SDK wants a real ARN before it asks",
    "s3/GetBucketLocation-02": "the SDK parses this one answer by code of its own",
    "s3/GetObject-01": "the length is that of the recorded body",
    "wafv2/GetWebACL-12": "the recording holds the base64 of a text, and not the text",
    "wafv2/GetWebACL-23": "the recording holds the base64 of a text, and not the text",
    "wafv2/GetWebACL-25": "the recording holds the base64 of a text, and not the text",
}


def asked(service: str, operation: str, answer: Any) -> Any:
    """What the SDK makes of an answer. Raises ClientError."""
    answers, client = client_of(service)
    answers.clear()
    answers[operation] = answer
    shape = client.meta.service_model.operation_model(operation).input_shape
    found = getattr(client, xform_name(operation))(**(filled(shape) if shape is not None else {}))
    return plain({name: one for name, one in found.items() if name != "ResponseMetadata"})


@lru_cache(maxsize=64)
def client_of(service: str) -> tuple[dict[str, Any], Any]:
    """The answers that the one client of a service gets, and the client, which takes longer to make than to ask."""
    answers: dict[str, Any] = {}
    return answers, ReplaySession(answers).create_client(service, "us-east-1", config=CLIENT)


def filled(shape: Any) -> Any:
    """The parameters that an operation requires, filled with anything."""
    match shape.type_name:
        case "structure":
            return {name: filled(shape.members[name]) for name in shape.required_members}
        case "list":
            return [filled(shape.member)]
        case "map":
            return {}
        case "integer" | "long" | "float" | "double" | "timestamp":
            return 1
        case "boolean":
            return True
        case _:
            return shape.enum[0] if getattr(shape, "enum", None) else "x" * max(1, int(shape.metadata.get("min", 1)))


def plain(value: Any) -> Any:
    """A parsed or a recorded value without what the wire does not keep: empty members, and parts of seconds."""
    if isinstance(value, datetime):
        return int(value.timestamp())
    if isinstance(value, Mapping):
        parts = {name: plain(one) for name, one in value.items()}
        return {name: one for name, one in parts.items() if one not in ([], {}, None, "")}
    if isinstance(value, list):
        return [plain(one) for one in value]
    if hasattr(value, "read"):
        return value.read().decode(errors="replace")
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, float):
        return int(value) if value.is_integer() or value > 1e9 else value
    if isinstance(value, str) and value.startswith("%7B"):
        return plain(json.loads(unquote(value)))
    if isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\d[T ]", value):
        moment = moment_of(value)
        return value if moment is None else int(moment)
    return value


@pytest.mark.parametrize("service", EXAMPLES)
def test_an_answer_comes_back_as_it_was_in_every_protocol(service: str) -> None:
    operation, data = EXAMPLES[service]
    assert asked(service, operation, revived(data)) == plain(revived(data))


@pytest.mark.parametrize("service", EXAMPLES)
def test_a_refusal_comes_back_as_it_was_in_every_protocol(service: str) -> None:
    operation, _ = EXAMPLES[service]
    with pytest.raises(ClientError) as refused:
        asked(service, operation, Refusal("NotThere", "There is none.", 404))
    assert refused.value.response["Error"]["Code"] == "NotThere"


def test_an_operation_that_is_not_recorded_is_refused() -> None:
    client = ReplaySession({}).create_client("iam", "us-east-1")
    with pytest.raises(ClientError, match="ListRoles is not recorded"):
        client.list_roles()


@needs_recordings
@pytest.mark.parametrize("service", sorted(path.name for path in FOLDER.glob("*")))
def test_every_recorded_answer_comes_back_as_it_was(service: str) -> None:
    found = [one for one in recordings(FOLDER, f"{service}/*") if one.name not in UNPARSED]
    assert len(found) + sum(name.startswith(f"{service}/") for name in UNPARSED) == len(
        list(FOLDER.glob(f"{service}/*.json"))
    )
    assert [one.name for one in found if not comes_back(one)] == []


def comes_back(one: Recording) -> bool:
    model = client_of(one.service)[1].meta.service_model
    shape = model.operation_model(one.operation).output_shape
    try:
        return bool(asked(one.service, one.operation, one.answer) == plain(fitted(shape, dict(one.data))))
    except ClientError as refused:
        code = refused.response["Error"]["Code"]
        return isinstance(one.answer, Refusal) and code == one.answer.code
