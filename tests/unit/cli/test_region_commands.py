"""Regions that do not exist are refused wherever one can be given, before anything is sent or stored."""

from pathlib import Path

import pytest
from front import Front
from terminal import Shell

from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.errors import UserError
from tenuto.kit.regions import Regions
from tenuto.model.ids import JsonMap
from tenuto.service.intake.composition import Submission
from tenuto.service.operations.notifications import SinkWish

QUEUE = "Resources: {Queue: {Type: AWS::SQS::Queue}}"
NETWORK = "Resources: {Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}}"
MISSING = "There is no region us-esat-1. Did you mean us-east-1?"
ROLE = "arn:aws:iam::111122223333:role/tenuto"


@pytest.fixture
def queue(tmp_path: Path) -> str:
    path = tmp_path / "queue.yaml"
    path.write_text(QUEUE)
    return str(path)


@pytest.mark.parametrize(
    "line",
    [
        "compile FILE --region us-esat-1",
        "run FILE -y --region us-esat-1",
        "run FILE --dry-run --region us-esat-1",
        "apply FILE -a queue -y --region us-esat-1",
        "import AWS::EC2::VPC vpc-1 --region us-esat-1",
        "account add prod --profile p --region us-esat-1 --unchecked -y",
    ],
)
def test_every_command_that_takes_a_region_refuses_one_that_does_not_exist(
    line: str, tenuto: Shell, front: Front, queue: str
) -> None:
    ended = tenuto(*(queue if word == "FILE" else word for word in line.split()))
    assert (ended.code, MISSING in ended.err) == (2, True), ended
    assert front.store.processes() == ()
    assert front.store.accounts() == ()


def test_the_region_of_the_environment_is_checked_as_well(tenuto: Shell, queue: str) -> None:
    ended = tenuto("compile", queue, environ=tenuto.environ(AWS_REGION="us-esat-1"))
    assert (ended.code, MISSING in ended.err) == (2, True)


def test_a_region_that_is_newer_than_this_version_can_be_named(tenuto: Shell, queue: str) -> None:
    refused = tenuto("compile", queue, "--region", "eu-west-9")
    assert (refused.code, "TENUTO_MORE_REGIONS" in refused.err) == (2, True)
    environ = tenuto.environ(TENUTO_MORE_REGIONS="eu-west-9")
    assert tenuto("compile", queue, "--region", "eu-west-9", environ=environ).code == 0
    wrong = tenuto("status", environ=tenuto.environ(TENUTO_MORE_REGIONS="eu/west"))
    assert (wrong.code, "'eu/west' is no region such as eu-west-1" in wrong.err) == (2, True)


def document(text: str, region: str) -> JsonMap:
    return to_document(compile_text(text, file="c.yaml", parameters={}, region=region).composition)


def test_the_service_checks_what_other_clients_send(front: Front) -> None:
    submission = Submission(document=document(QUEUE, "us-esat-1"), secrets={})
    for attempt in (
        lambda: front.commands.run(submission),
        lambda: front.commands.dry_runs.run(submission, alias=None, account="default"),
        lambda: front.queries.existing(["AWS::EC2::VPC vpc-1"], region="us-esat-1"),
        lambda: front.commands.accounts.add("prod", {"profile": "p"}, region="us-esat-1", checks=False),
        lambda: front.services.notifications.add(
            SinkWish(name="topic", topic="arn:aws:sns:us-esat-1:111122223333:changes")
        ),
    ):
        with pytest.raises(UserError, match="There is no region us-esat-1"):
            attempt()


def test_regions_of_other_providers_are_their_own(front: Front) -> None:
    ran = front.commands.run(Submission(document=document(NETWORK, "sim-1"), secrets={}))
    assert ran.partition.region == "sim-1"


def test_a_role_is_in_one_partition_of_aws_and_so_are_its_regions(front: Front) -> None:
    way = {"role_arn": ROLE}
    with pytest.raises(UserError, match=r"partition aws of AWS, and the region cn-north-1 is in aws-cn"):
        front.commands.accounts.add("prod", way, region="cn-north-1", checks=False)
    front.commands.accounts.add("prod", way, region="eu-north-1", checks=False)
    with pytest.raises(UserError, match=r"Give a region of aws"):
        front.commands.accounts.update("prod", {}, region="us-gov-west-1", checks=False)
    with pytest.raises(UserError, match=r"There is no region eu-nroth-1\. Did you mean eu-north-1"):
        front.commands.accounts.update("prod", {}, region="eu-nroth-1", checks=False)


def test_an_account_keeps_a_region_that_is_not_listed_any_more(front: Front) -> None:
    accounts = front.commands.accounts
    accounts._regions = Regions(("eu-west-9",))
    accounts.add("prod", {"profile": "p"}, region="eu-west-9", checks=False)
    accounts._regions = Regions()
    changed = accounts.update("prod", {"profile": "q"}, checks=False).account
    assert changed.region == "eu-west-9"
