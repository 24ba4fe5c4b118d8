"""Creations of access keys whose answers are lost: the user has one key afterwards, and others keep theirs."""

from dataclasses import replace
from typing import Any

import botocore.session
import pytest
from block_examples import BenchOf

from tenuto.model.ids import JsonMap, TypeName
from tenuto.model.outcome import Done, Pending, Request
from tenuto_testing.provider_conformance import Bench, Example

REGION = "us-east-1"
USER = Example(name="User", type=TypeName("AWS::IAM::User"), properties={"UserName": "worker"})
KEY = Example(name="Key", type=TypeName("AWS::IAM::AccessKey"), properties={"UserName": {"Ref": "User"}})


@pytest.fixture
def bench(bench_of: BenchOf) -> Bench:
    return bench_of((USER, KEY))


@pytest.fixture
def iam(session: botocore.session.Session) -> Any:
    return session.create_client("iam", region_name=REGION)


def keys(iam: Any) -> set[str]:
    return {str(one["AccessKeyId"]) for one in iam.list_access_keys(UserName="worker")["AccessKeyMetadata"]}


def noted(bench: Bench, request: Request) -> JsonMap:
    """The note that the provider makes before it creates anything."""
    (outcome,) = bench.provider.create(bench.partition, [request])
    assert isinstance(outcome, Pending)
    return outcome.progress


def created(bench: Bench, request: Request) -> str:
    (outcome,) = bench.provider.create(bench.partition, [request])
    assert isinstance(outcome, Done)
    assert set(outcome.told_once) == {"SecretAccessKey"}
    assert "SecretAccessKey" not in outcome.attributes
    return str(outcome.attributes["Ref"])


def test_a_key_of_a_lost_answer_goes_before_the_next_one_and_no_other_key_is_touched(bench: Bench, iam: Any) -> None:
    with bench:
        bench.make(bench.request(USER))
        before = str(iam.create_access_key(UserName="worker")["AccessKey"]["AccessKeyId"])
        request = bench.request(KEY)
        request = replace(request, progress=noted(bench, request))
        assert keys(iam) == {before}
        lost = created(bench, request)
        assert keys(iam) == {before, lost}
        last = created(bench, request)
        assert last != lost
        assert keys(iam) == {before, last}
        iam.delete_access_key(UserName="worker", AccessKeyId=last)
        iam.delete_access_key(UserName="worker", AccessKeyId=before)


def test_a_key_of_a_lost_answer_is_found_so_that_it_goes_with_its_process(bench: Bench, iam: Any) -> None:
    with bench:
        bench.make(bench.request(USER))
        request = bench.request(KEY)
        asked = replace(request, progress=noted(bench, request))
        assert bench.provider.find(bench.partition, [asked]) == [None]
        lost = created(bench, asked)
        (found,) = bench.provider.find(bench.partition, [asked])
        assert found is not None
        assert found.physical_id == f"worker|{lost}"
        assert bench.provider.find(bench.partition, [request]) == [None], "without a note nothing is known of a key"
        iam.delete_access_key(UserName="worker", AccessKeyId=lost)
