"""AWS::EC2::FlowLog. It never changes but for its tags."""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed

FLOW_LOG = block(
    "AWS::EC2::FlowLog",
    "ec2",
    key="FlowLogId",
    listed=Listed(operation="DescribeFlowLogs", id="FlowLogId", size=1000, by_id="flow-log-id", filters_as="Filter"),
    asked=Call("DescribeFlowLogs", key="FlowLogIds[]"),
    create="CreateFlowLogs",
    made="FlowLogIds[0]",
    token="ClientToken",
    renamed={"ResourceId": "ResourceIds"},
    # It is shown without the kind of thing that it logs, which follows from the thing.
    shown={"ResourceId": "ResourceId"},
    attributes={"Id": "FlowLogId"},
    delete=Call("DeleteFlowLogs", key="FlowLogIds[]"),
    tags="vpc-flow-log",
    exclusive=[("ResourceId", "LogDestination")],
    write_only="ResourceType TagFieldSpecifications",
)
TYPES = (FLOW_LOG,)
