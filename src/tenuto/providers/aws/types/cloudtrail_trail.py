"""AWS::CloudTrail::Trail. Its Ref is its name."""

from tenuto.model.ids import Json, JsonMap
from tenuto.model.naming import Naming
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.parts import Setting, Switch
from tenuto.providers.aws.client.answers.answers import only
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls


class _Tags(TagCalls):
    """The tag calls. The one that lists tags is about several trails."""

    def read(self, client: AccountClient, identifier: Json) -> list[JsonMap]:
        answer = client.read(self.service, self.list_call, ResourceIdList=[identifier])
        return self._listed(only(answer, "ResourceTagList").get("TagsList"))


_SELECTED = Call("GetEventSelectors", key="TrailName")
_SELECT = Call("PutEventSelectors", key="TrailName")

TRAIL = block(
    "AWS::CloudTrail::Trail",
    "cloudtrail",
    key="Name",
    # Trails of other regions are shadows here: they are seen where they are at home.
    listed=Listed(operation="DescribeTrails", id="Name", fixed={"includeShadowTrails": False}, members="trailList"),
    asked=Call("DescribeTrails", key="trailNameList[]"),
    described=Described(call=Call("GetTrail"), at="Trail", anew=True),
    named=Named("TrailName", 128),
    create="CreateTrail",
    renamed={"TrailName": "Name", "Arn": "TrailARN", "SnsTopicArn": "SnsTopicARN"},
    # The call takes the name or the ARN of a topic. CloudTrail does not use the name in its answers any more.
    shown={"EnableLogFileValidation": "LogFileValidationEnabled", "SnsTopicName": "SnsTopicARN || SnsTopicName"},
    modify={"UpdateTrail": "*"},
    parts=(
        Setting(
            name="EventSelectors",
            read_by=_SELECTED,
            shown_at="EventSelectors",
            write_by=_SELECT,
            given_as="EventSelectors",
        ),
        Setting(
            name="AdvancedEventSelectors",
            read_by=_SELECTED,
            shown_at="AdvancedEventSelectors",
            write_by=_SELECT,
            given_as="AdvancedEventSelectors",
        ),
        Setting(
            name="InsightSelectors",
            read_by=Call("GetInsightSelectors", key="TrailName"),
            shown_at="InsightSelectors",
            write_by=Call("PutInsightSelectors", key="TrailName"),
            given_as="InsightSelectors",
            absent="InsightNotEnabledException",
        ),
        # It comes last: nothing is recorded by halves.
        Switch(
            name="IsLogging",
            read_by=Call("GetTrailStatus"),
            shown_at="IsLogging",
            on="StartLogging",
            off="StopLogging",
        ),
    ),
    delete="DeleteTrail",
    tags=_Tags(
        service="cloudtrail",
        list_call="ListTags",
        put_call="AddTags",
        remove_call="RemoveTags",
        id_name="ResourceId",
        named=lambda _, trail: trail["TrailARN"],
        given_as="TagsList",
        keys_as="TagsList",
        takes_members=True,
    ),
    refused={
        "AggregationConfigurations": "No emulator serves its calls, so nothing shows that it would be held. "
        "Take it out, and set it with `aws cloudtrail put-event-configuration`; Tenuto leaves it as it is.",
    },
    compare_as={
        "KMSKeyId": KMS_KEY,
        "SnsTopicName": Naming(thing="topic", qualified=r"(?P<where>arn:[\w-]+:sns:[\w-]+:\d+):(?P<name>.+)"),
    },
    # An empty text takes away the thing that is named.
    defaults={
        "CloudWatchLogsLogGroupArn": "",
        "CloudWatchLogsRoleArn": "",
        "EnableLogFileValidation": False,
        "IncludeGlobalServiceEvents": True,
        "IsMultiRegionTrail": False,
        "KMSKeyId": "",
        "S3KeyPrefix": "",
        "SnsTopicName": "",
    },
)
TYPES = (TRAIL,)
