"""The private parts of botocore that Tenuto touches still exist, in a client as botocore makes it."""

from pathlib import Path
from typing import Any

import pytest
from botocore.model import ServiceModel
from botocore.parsers import PROTOCOL_PARSERS
from botocore.session import Session

from tenuto.providers.aws.client.botocore_internals import hooked, pool_classes, start_programs_by

SERVICES = {"ec2": "ec2", "query": "iam", "rest-xml": "s3", "json": "dynamodb", "rest-json": "lambda"}
ANSWERS = {
    "ec2": ("DescribeVpcs", b"<DescribeVpcsResponse><nextToken>t</nextToken></DescribeVpcsResponse>"),
    "query": ("GetRole", b"<GetRoleResponse><GetRoleResult><Role/></GetRoleResult></GetRoleResponse>"),
    "rest-xml": ("ListBuckets", b"<ListAllMyBucketsResult><Owner><ID>i</ID></Owner></ListAllMyBucketsResult>"),
    "json": ("ListTables", b'{"TableNames": ["t"]}'),
    "rest-json": ("ListFunctions", b'{"NextMarker": "m"}'),
}


@pytest.fixture(scope="module")
def session() -> Session:
    made = Session()
    made.set_credentials("key", "secret")
    return made


def test_the_connections_of_a_client_are_made_by_classes_of_its_own(session: Session) -> None:
    one, other = (session.create_client("ec2", region_name="eu-west-1") for _ in range(2))
    classes = pool_classes(one)
    assert {"http", "https"} <= classes.keys()
    assert all(hasattr(pool, "ConnectionCls") for pool in classes.values())
    classes["https"] = type("Ours", (classes["https"],), {})
    manager = one._endpoint.http_session._manager
    assert manager.connection_from_url("https://localhost").__class__.__name__ == "Ours"
    assert pool_classes(other)["https"].__name__ != "Ours"


@pytest.mark.parametrize("protocol", sorted(SERVICES))
def test_every_structure_of_an_answer_passes_the_hook(session: Session, protocol: str) -> None:
    operation, body = ANSWERS[protocol]
    model = ServiceModel(session.get_service_data(SERVICES[protocol])).operation_model(operation)
    made: list[dict[str, Any]] = []
    read: list[bytes] = []

    def read_xml(parse: Any, text: bytes) -> Any:
        read.append(text)
        return parse(text)

    def keep(structure: dict[str, Any]) -> dict[str, Any]:
        made.append(structure)
        return structure

    parser = hooked(PROTOCOL_PARSERS[protocol], read_xml=read_xml, made=keep)()
    answer = parser.parse({"status_code": 200, "headers": {}, "body": body}, model.output_shape)
    assert made, "no structure passed the hook"
    assert read == ([] if "json" in protocol else [body])
    assert {key for key in answer if key != "ResponseMetadata"}


@pytest.mark.parametrize("profile", ["by-program", "by-role"])
def test_every_program_for_credentials_is_started_in_our_way(
    profile: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "config").write_text(
        "[profile by-program]\ncredential_process = give one\n"
        "[profile by-role]\nrole_arn = arn:aws:iam::123456789012:role/r\nsource_profile = by-program\n"
    )
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    started: list[list[str]] = []

    class Given:
        returncode = 0

        def communicate(self) -> tuple[bytes, bytes]:
            return b'{"Version": 1, "AccessKeyId": "k", "SecretAccessKey": "s"}', b""

    def start(words: list[str], **_pipes: int) -> Given:
        started.append(words)
        return Given()

    session = Session(profile=profile)
    start_programs_by(session, start)
    assert session.get_credentials() is not None
    assert started == [["give", "one"]]
