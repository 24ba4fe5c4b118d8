"""AWS::Scheduler: schedules and their groups. Their Refs are their names; a schedule is known by its group as well."""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_SERVICE = "scheduler"

SCHEDULE = block(
    "AWS::Scheduler::Schedule",
    _SERVICE,
    key="GroupName Name",
    implied={"GroupName": "default"},
    listed=Listed(operation="ListSchedules", id="GroupName Name", size=100),
    described=Described(call=Call("GetSchedule")),
    named=Named("Name", 64),
    create="CreateSchedule",
    token="ClientToken",
    # A property that the call is not told goes back to its default.
    modify={"UpdateSchedule": "*"},
    delete="DeleteSchedule",
    attributes={"Ref": "Name"},
    # A schedule does not move from group to group.
    create_only="GroupName",
    # An update sets a property that it does not name to nothing.
    defaults={
        "Description": "",
        "EndDate": None,
        "KmsKeyArn": None,
        "ScheduleExpressionTimezone": "UTC",
        "StartDate": None,
        "State": "ENABLED",
    },
    compare_as={"KmsKeyArn": KMS_KEY},
)
GROUP = block(
    "AWS::Scheduler::ScheduleGroup",
    _SERVICE,
    key="Name",
    listed=Listed(operation="ListScheduleGroups", id="Name", size=100),
    described=Described(call=Call("GetScheduleGroup"), anew=True),
    named=Named("Name", 64),
    create="CreateScheduleGroup",
    token="ClientToken",
    delete="DeleteScheduleGroup",
    state=State(at="State", going="DELETING"),
    tags=TagCalls(
        service=_SERVICE,
        id_name="ResourceArn",
        named=lambda _, group: group["Arn"],
    ),
    undeclarable=lambda group: "AWS keeps it" if group.get("Name") == "default" else "",
)
TYPES = (SCHEDULE, GROUP)
