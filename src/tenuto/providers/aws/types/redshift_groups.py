"""AWS::Redshift: groups of subnets and of parameters. Their Refs are their names, in small letters.

A parameter that is taken out of a composition gets the value of the family back.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed
from tenuto.providers.aws.blocks.parts import Plain
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.parameter_values import pages_of, parameters_of, set_and_reset
from tenuto.providers.aws.types.tag_calls import TagCalls, tags_by_arn

SERVICE = "redshift"
_NAME = "ParameterName"
_SUBNETS, _GROUP, _VALUES = "ClusterSubnetGroupName", "ParameterGroupName", "Parameters"
_PAGES = pages_of(SERVICE, "DescribeClusterParameters")


def redshift_tags(word: str) -> TagCalls:
    """The calls about the tags of things of one kind; `word` stands before their names in their ARNs."""
    return tags_by_arn(
        SERVICE,
        lambda name: f"{word}:{name}",
        list_call="DescribeTags",
        put_call="CreateTags",
        remove_call="DeleteTags",
        id_name="ResourceName",
        listed_as="TaggedResources[].Tag",
        shown_at="Tags",
    )


@dataclass(frozen=True, kw_only=True)
class _Values(Plain):
    """The parameters of a group."""

    properties = frozenset({_VALUES})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = parameters_of(thing, _PAGES, {_GROUP: thing.id}, _VALUES)
        return {_VALUES: [{_NAME: name, "ParameterValue": value} for name, value in shown.items()]}

    def repair(self, work: Work, service: str, words: str) -> None:
        if work.differs(_VALUES):
            set_and_reset(
                work,
                service,
                about={_GROUP: work.id},
                given_as=_VALUES,
                calls=("ModifyClusterParameterGroup", "ResetClusterParameterGroup"),
                shown=_by_name(work.seen(_VALUES)),
                wanted=_by_name(work.want(_VALUES)),
            )

    def changes(self, service: str) -> Mapping[str, str]:
        return {_VALUES: f"{service}:ModifyClusterParameterGroup"}


def _by_name(parameters: Json) -> dict[str, str]:
    return {str(one[_NAME]): text_of(one["ParameterValue"]) for one in parameters or ()}


SUBNET_GROUP = block(
    "AWS::Redshift::ClusterSubnetGroup",
    SERVICE,
    key=_SUBNETS,
    listed=Listed(operation="DescribeClusterSubnetGroups", id=_SUBNETS, size=100, by_name=_SUBNETS),
    asked=Call("DescribeClusterSubnetGroups"),
    # No property declares the name.
    named=Named(_SUBNETS, 255, fit=str.lower),
    create="CreateClusterSubnetGroup",
    made=f"ClusterSubnetGroup.{_SUBNETS}",
    attributes={_SUBNETS: "$id"},
    shown={"SubnetIds": "Subnets[].SubnetIdentifier"},
    modify={"ModifyClusterSubnetGroup": "*"},
    delete="DeleteClusterSubnetGroup",
    tags=redshift_tags("subnetgroup"),
    named_by="",
)
PARAMETER_GROUP = block(
    "AWS::Redshift::ClusterParameterGroup",
    SERVICE,
    key=_GROUP,
    listed=Listed(operation="DescribeClusterParameterGroups", id=_GROUP, size=100, by_name=_GROUP),
    asked=Call("DescribeClusterParameterGroups"),
    named=Named(_GROUP, 255, fit=str.lower),
    create="CreateClusterParameterGroup",
    made=f"ClusterParameterGroup.{_GROUP}",
    parts=(_Values(),),
    delete="DeleteClusterParameterGroup",
    tags=redshift_tags("parametergroup"),
    compare_as={_GROUP: Comparison.FOLDED},
    defaults={_VALUES: []},
    asked_members={_VALUES: _NAME},
)
TYPES = (SUBNET_GROUP, PARAMETER_GROUP)
