"""AWS::Events::Rule. A rule is known by its bus and its name; its Ref is the name alone on the default bus."""

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.members import Members
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_DEFAULT = "default"


def _reference(rule: JsonMap) -> Json:
    bus, name = rule.get("EventBusName", _DEFAULT), rule.get("Name")
    return name if bus == _DEFAULT else f"{bus}|{name}"


RULE = block(
    "AWS::Events::Rule",
    "events",
    key="EventBusName Name",
    implied={"EventBusName": _DEFAULT},
    # The list shows the rules of the default bus; those of others are described one by one.
    listed=Listed(operation="ListRules", id="EventBusName Name", size=100),
    described=Described(call=Call("DescribeRule")),
    named=Named("Name", 64),
    asks_first=True,
    create="PutRule",
    modify={"PutRule": "*"},
    parts=(
        Members(
            name="Targets",
            listed=Listed(operation="ListTargetsByRule", id="Id", members="Targets"),
            about="EventBusName Rule",
            shown_at="@",
            put=Call("PutTargets", key="EventBusName Rule"),
            drop=Call("RemoveTargets", key="EventBusName Rule"),
            member="Targets",
            key="Id",
            is_bulk=True,
            dropped_as="Ids",
            is_cleared=True,
            type="AWS::Events::Rule",
            renamed={
                "Targets.EcsParameters.PlacementStrategies": "PlacementStrategy",
                "Targets.EcsParameters.TagList": "Tags",
            },
        ),
    ),
    delete="DeleteRule",
    attributes={"Ref": _reference, "RuleName": "Name"},
    tags=TagCalls(
        service="events",
        id_name="ResourceARN",
        named=lambda _, rule: rule["Arn"],
    ),
    create_only="EventBusName",
    # The call that replaces a rule takes away a property that it does not name.
    defaults={
        "Description": None,
        "EventPattern": None,
        "RoleArn": None,
        "ScheduleExpression": None,
        "State": "ENABLED",
    },
    undeclarable=lambda rule: f"{rule['ManagedBy']} keeps it" if rule.get("ManagedBy") else "",
    compare_as={"EventPattern": POLICY, "Targets": Comparison.SET},
)
TYPES = (RULE,)
