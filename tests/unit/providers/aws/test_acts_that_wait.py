"""Acts that are over when their service says so: what an emulator answers at once takes AWS a while, or fails there."""

from collections.abc import Mapping
from typing import Any, cast

import botocore.session
import pytest
from botocore.model import Shape

from tenuto.errors import PermanentError
from tenuto.model.ids import Fid, Json, JsonMap, LogicalId, ObjectId, PhysicalId, TypeName
from tenuto.model.outcome import Done, Outcome, Pending, Request
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.catalogue import CATALOGUE

MODELS = botocore.session.get_session()
NAMESPACE = TypeName("AWS::ServiceDiscovery::HttpNamespace")
ROLE = TypeName("AWS::IAM::ServiceLinkedRole")
CRAWLER = TypeName("AWS::Glue::Crawler")
CAPACITY = TypeName("AWS::ECS::ClusterCapacityProviderAssociations")
GOES_ON: JsonMap = {"Operation": {"Status": "PENDING"}}
IS_OVER: JsonMap = {"Operation": {"Status": "SUCCESS", "Targets": {"NAMESPACE": "ns-1"}}}
HAS_FAILED: JsonMap = {"Operation": {"Status": "FAIL", "ErrorCode": "LIMIT", "ErrorMessage": "there are too many"}}


class Script:
    """A client with one answer for each operation, which is an error where it is one. Notes what was changed."""

    def __init__(self, **answers: JsonMap | Exception) -> None:
        self.answers: Mapping[str, JsonMap | Exception] = answers
        self.changed: list[str] = []

    def input_of(self, service: str, operation: str) -> Shape:
        return MODELS.get_service_model(service).operation_model(operation).input_shape

    def ask(self, service: str, operation: str, /, **parameters: Json) -> JsonMap:
        answer = self.answers[operation]
        if isinstance(answer, Exception):
            raise answer
        return answer

    read = ask

    def change(self, service: str, operation: str, object_ids: Any, /, **parameters: Json) -> JsonMap:
        self.changed.append(operation)
        return self.ask(service, operation, **parameters)


def work(name: TypeName, script: Script, progress: JsonMap | None = None, **properties: Json) -> Work:
    request = Request(
        object_id=ObjectId("object"),
        fid=Fid("fid"),
        process_name="web",
        logical_id=LogicalId("Thing"),
        type=name,
        token="token",
        properties=properties,
        physical_id=PhysicalId("thing"),
        observed={},
        progress=progress or {},
    )
    return Work(client=cast("AccountClient", script), type=CATALOGUE[name], request=request)


def act(what: str, done: Work) -> Outcome:
    found: Outcome = getattr(CATALOGUE[done.request.type], what)(done)
    return found


def test_a_namespace_is_made_when_its_operation_is_over() -> None:
    script = Script(CreateHttpNamespace={"OperationId": "o1"}, GetOperation=GOES_ON)
    outcome = act("create", work(NAMESPACE, script, Name="inside"))
    assert isinstance(outcome, Pending)
    assert outcome.progress == {"operation": "o1"}
    later = Script(GetOperation=IS_OVER)
    outcome = act("create", work(NAMESPACE, later, outcome.progress, Name="inside"))
    assert isinstance(outcome, Done)
    assert (outcome.physical_id, later.changed) == ("ns-1", [])


@pytest.mark.parametrize(("what", "call"), [("create", "CreateHttpNamespace"), ("modify", "UpdateHttpNamespace")])
def test_an_operation_of_cloud_map_that_fails_is_told_with_its_reason(what: str, call: str) -> None:
    script = Script(**{call: {"OperationId": "o1"}, "GetOperation": HAS_FAILED})
    with pytest.raises(PermanentError, match="there are too many"):
        act(what, work(NAMESPACE, script, Name="inside", Description="all"))


@pytest.mark.parametrize(("what", "call"), [("modify", "UpdateHttpNamespace"), ("delete", "DeleteNamespace")])
def test_what_cloud_map_does_already_is_waited_for(what: str, call: str) -> None:
    script = Script(**{call: PermanentError("it is in progress", code="ResourceAlreadyExists")})
    assert isinstance(act(what, work(NAMESPACE, script, Name="inside", Description="all")), Pending)


def test_a_change_of_a_namespace_is_not_sent_again_while_it_goes_on() -> None:
    script = Script(GetOperation=GOES_ON)
    outcome = act("modify", work(NAMESPACE, script, {"operation": "o1"}, Name="inside", Description="all"))
    assert isinstance(outcome, Pending)
    assert script.changed == []


def test_a_role_that_its_service_still_needs_is_kept_and_the_reason_is_told() -> None:
    used = {"Reason": "It is used.", "RoleUsageList": [{"Region": "us-east-1", "Resources": ["group-1"]}]}
    script = Script(
        DeleteServiceLinkedRole={"DeletionTaskId": "t1"},
        GetServiceLinkedRoleDeletionStatus={"Status": "FAILED", "Reason": used},
    )
    with pytest.raises(PermanentError, match=r"It is used\. In use by group-1") as refused:
        act("delete", work(ROLE, script))
    assert refused.value.code == "DeleteConflict"


def test_a_role_is_gone_when_the_task_of_its_deletion_is_over() -> None:
    task: JsonMap = {"DeletionTaskId": "t1"}
    script = Script(DeleteServiceLinkedRole=task, GetServiceLinkedRoleDeletionStatus={"Status": "IN_PROGRESS"})
    assert isinstance(act("delete", work(ROLE, script)), Pending)
    script = Script(DeleteServiceLinkedRole=task, GetServiceLinkedRoleDeletionStatus={"Status": "SUCCEEDED"})
    assert isinstance(act("delete", work(ROLE, script)), Done)


@pytest.mark.parametrize("what", ["modify", "delete"])
def test_a_crawler_that_runs_is_left_alone(what: str) -> None:
    script = Script(GetCrawler={"Crawler": {"State": "RUNNING"}})
    assert isinstance(act(what, work(CRAWLER, script, Description="all")), Pending)
    assert script.changed == []


def test_a_cluster_gives_up_its_providers_once_and_has_none_when_ecs_has_detached_them() -> None:
    attached = {"capacityProviders": ["one"], "attachmentsStatus": "UPDATE_COMPLETE"}
    script = Script(DescribeClusters={"clusters": [attached]}, PutClusterCapacityProviders={})
    assert isinstance(act("delete", work(CAPACITY, script)), Pending)
    assert script.changed == ["PutClusterCapacityProviders"]
    script = Script(DescribeClusters={"clusters": [{**attached, "attachmentsStatus": "UPDATE_IN_PROGRESS"}]})
    assert isinstance(act("delete", work(CAPACITY, script)), Pending)
    assert script.changed == []
    script = Script(DescribeClusters={"clusters": [{"attachmentsStatus": "UPDATE_COMPLETE"}]})
    assert isinstance(act("delete", work(CAPACITY, script)), Done)
