"""AWS::CloudWatch::Dashboard. Its Ref is its name."""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

DASHBOARD = block(
    "AWS::CloudWatch::Dashboard",
    "cloudwatch",
    key="DashboardName",
    listed=Listed(operation="ListDashboards", id="DashboardName"),
    described=Described(call=Call("GetDashboard")),
    named=Named("DashboardName", 255),
    # The call replaces a dashboard of the same name.
    asks_first=True,
    create="PutDashboard",
    modify={"PutDashboard": "*"},
    delete=Call("DeleteDashboards", key="DashboardNames[]"),
    tags=TagCalls(
        service="cloudwatch",
        id_name="ResourceARN",
        named=lambda _, dashboard: dashboard["DashboardArn"],
    ),
    compare_as={"DashboardBody": POLICY},
)
TYPES = (DASHBOARD,)
