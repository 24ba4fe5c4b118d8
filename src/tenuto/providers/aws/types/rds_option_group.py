"""AWS::RDS::OptionGroup. Its Ref is its name, in small letters.

A change names the options that come, each with its settings, and those that go. RDS shows every setting of an option;
the declared ones are held.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.core.planning.equality.values import means_same
from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.rds_groups import rds_tags

_OPTIONS, _NAME, _SETTINGS = "OptionConfigurations", "OptionName", "OptionSettings"
_GROUPS = {"DBSecurityGroupMemberships": "DBSecurityGroupName", "VpcSecurityGroupMemberships": "VpcSecurityGroupId"}


@dataclass(frozen=True, kw_only=True)
class _Options(Shown):
    """The options of a group, as the list of groups shows them."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_OPTIONS})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {_OPTIONS: [_declared(one) for one in thing.answer.get("Options") or ()]}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(_OPTIONS):
            return
        wanted, shown = list(work.want(_OPTIONS)), {one[_NAME]: one for one in work.seen(_OPTIONS) or ()}
        coming = [_sent(one) for one in wanted if not _is_as(one, shown.get(one[_NAME], {}))]
        going = [name for name in sorted(shown) if name not in {one[_NAME] for one in wanted}]
        told = {"OptionsToInclude": coming, "OptionsToRemove": going}
        given = {name: members for name, members in told.items() if members}
        if given:
            work.change(service, "ModifyOptionGroup", OptionGroupName=work.id, ApplyImmediately=True, **given)

    def changes(self, service: str) -> Mapping[str, str]:
        return {_OPTIONS: f"{service}:ModifyOptionGroup"}


def _declared(option: JsonMap) -> JsonMap:
    settings = [{"Name": one["Name"], "Value": one["Value"]} for one in option.get(_SETTINGS) or () if one.get("Value")]
    groups = {name: [one[word] for one in option.get(name) or ()] for name, word in _GROUPS.items()}
    plain = {name: option[name] for name in (_NAME, "OptionVersion", "Port") if option.get(name) is not None}
    return {**plain, **{name: value for name, value in {**groups, _SETTINGS: settings}.items() if value}}


def _sent(option: JsonMap) -> JsonMap:
    settings = [{"Name": one["Name"], "Value": text_of(one["Value"])} for one in option.get(_SETTINGS) or ()]
    return {**option, **({_SETTINGS: settings} if settings else {})}


def _is_as(wanted: JsonMap, shown: JsonMap) -> bool:
    """Whether an option has all that is declared of it."""
    values = {one["Name"]: one["Value"] for one in shown.get(_SETTINGS) or ()}
    return all(values.get(one["Name"]) == text_of(one["Value"]) for one in wanted.get(_SETTINGS) or ()) and all(
        means_same(value, shown.get(name), dict.fromkeys(_GROUPS, Comparison.SET), name)
        for name, value in wanted.items()
        if name != _SETTINGS
    )


GROUP = block(
    "AWS::RDS::OptionGroup",
    "rds",
    key="OptionGroupName",
    listed=Listed(operation="DescribeOptionGroups", id="OptionGroupName", size=100, by_name="OptionGroupName"),
    asked=Call("DescribeOptionGroups"),
    named=Named("OptionGroupName", 255, fit=str.lower),
    create="CreateOptionGroup",
    made="OptionGroup.OptionGroupName",
    # CloudFormation takes an engine in any case.
    sent_as={"EngineName": str.lower},
    parts=(_Options(),),
    delete="DeleteOptionGroup",
    tags=rds_tags("OptionGroupArn"),
    undeclarable=lambda group: "AWS keeps it" if str(group.get("OptionGroupName")).startswith("default:") else "",
    compare_as={
        "OptionGroupName": Comparison.FOLDED,
        "EngineName": Comparison.FOLDED,
        "MajorEngineVersion": Comparison.FOLDED,
        _OPTIONS: Comparison.SET,
        **{f"{_OPTIONS}.{name}": Comparison.SET for name in (*_GROUPS, _SETTINGS)},
    },
)
TYPES = (GROUP,)
