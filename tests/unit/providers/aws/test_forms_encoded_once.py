"""A call whose form is encoded beforehand is sent and signed as the SDK does it alone."""

from typing import Any

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.session import Session

from tenuto.providers.aws.client.entrance.encoding import encode_once

CALLS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "lists, numbers and switches": (
        "ec2",
        "RunInstances",
        {"ImageId": "ami-1", "MinCount": 1, "MaxCount": 2, "EbsOptimized": True, "SecurityGroupIds": ["sg-1", "sg-2"]},
    ),
    "other alphabets and signs": (
        "iam",
        "PutRolePolicy",
        {"RoleName": "r", "PolicyName": "p", "PolicyDocument": "a+b =&é/日\n~"},
    ),
    "what a handler adds": (
        "ec2",
        "CopySnapshot",
        {"SourceRegion": "eu-west-1", "SourceSnapshotId": "snap-1"},
    ),
    "a document of another protocol": ("dynamodb", "DescribeTable", {"TableName": "t"}),
}


def sent(service: str, operation: str, parameters: dict[str, Any], *, is_encoded_once: bool) -> AWSPreparedRequest:
    session = Session()
    session.set_credentials("key", "secret")
    if is_encoded_once:
        encode_once(session)
    client = session.create_client(service, region_name="us-east-1")
    found: list[AWSPreparedRequest] = []

    def keep(request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        found.append(request)
        return AWSResponse(request.url, 200, {}, _Nothing())

    client.meta.events.register("before-send", keep)
    client._make_api_call(operation, parameters)
    return found[0]


class _Nothing:
    """The body of an answer that says nothing."""

    def stream(self, **_: Any) -> list[bytes]:
        return [b"<Answer/>"]

    def read(self) -> bytes:
        return b"<Answer/>"


@pytest.mark.parametrize("name", CALLS)
def test_a_form_that_is_encoded_once_has_the_bytes_of_the_sdk(name: str) -> None:
    ours, theirs = (sent(*CALLS[name], is_encoded_once=once) for once in (True, False))
    assert _bytes(ours.body).split(b"X-Amz-")[0] == _bytes(theirs.body).split(b"X-Amz-")[0]
    assert ours.headers["Content-Length"] == theirs.headers["Content-Length"]
    assert ours.headers["Content-Type"] == theirs.headers["Content-Type"]
    assert b"Signature=" in _bytes(ours.headers["Authorization"])


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()
