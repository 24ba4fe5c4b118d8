"""A block whose key is no parameter of the creation is refused before it makes a thing that nobody finds again."""

from typing import Any, cast

import botocore.session
import pytest
from botocore.model import Shape

from tenuto.errors import BugError
from tenuto.model.ids import LogicalId, ObjectId, TypeName
from tenuto.model.outcome import Request
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Listed
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.named import Named

NAME = "AWS::CloudWatch::Dashboard"


class NoCalls:
    """A client that knows the model of the service, and refuses every call."""

    def input_of(self, service: str, operation: str) -> Shape:
        model = botocore.session.get_session().get_service_model(service)
        found: Shape = model.operation_model(operation).input_shape
        return found

    def change(self, *_: Any, **__: Any) -> dict[str, Any]:
        raise AssertionError("nothing may be made")


def test_a_key_that_the_creation_does_not_send_is_told() -> None:
    kind = block(
        NAME,
        "cloudwatch",
        key="Title",
        listed=Listed(operation="ListDashboards", id="DashboardName"),
        named=Named("DashboardName", 255),
        create="PutDashboard",
        delete="DeleteDashboards",
    )
    request = Request(
        object_id=ObjectId("one"),
        fid=None,
        process_name="web",
        logical_id=LogicalId("Front"),
        type=TypeName(NAME),
        token="one",
        properties={"DashboardName": "front", "DashboardBody": "{}"},
    )
    work = Work(client=cast(AccountClient, NoCalls()), request=request, type=kind)
    with pytest.raises(BugError, match=r"the key Title .* PutDashboard \(DashboardBody, DashboardName\)"):
        kind.create(work)
