"""AWS::ElastiCache: groups of subnets, of parameters and of users, and the users. Their Refs are their names, in small
letters.

A parameter that is taken out of a composition gets the value of the family back.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.blocks.parts import Plain
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.elasticache_parts import SERVICE, TAGS, ids
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.parameter_values import pages_of, parameters_of, set_and_reset

_VALUES, _GROUP = "Properties", "CacheParameterGroupName"
_PAGES = pages_of(SERVICE, "DescribeCacheParameters")
_STATE = State(at="Status", pending="creating modifying", going="deleting")


@dataclass(frozen=True, kw_only=True)
class _Values(Plain):
    """The parameters of a group."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_VALUES})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {_VALUES: parameters_of(thing, _PAGES, {_GROUP: thing.id}, _VALUES)}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(_VALUES):
            return
        set_and_reset(
            work,
            service,
            about={_GROUP: work.id},
            given_as="ParameterNameValues",
            calls=("ModifyCacheParameterGroup", "ResetCacheParameterGroup"),
            shown=dict(work.seen(_VALUES) or {}),
            wanted={name: text_of(value) for name, value in dict(work.want(_VALUES)).items()},
        )

    def changes(self, service: str) -> Mapping[str, str]:
        return {_VALUES: f"{service}:ModifyCacheParameterGroup"}


SUBNET_GROUP = block(
    "AWS::ElastiCache::SubnetGroup",
    SERVICE,
    key="CacheSubnetGroupName",
    listed=Listed(
        operation="DescribeCacheSubnetGroups", id="CacheSubnetGroupName", size=100, by_name="CacheSubnetGroupName"
    ),
    asked=Call("DescribeCacheSubnetGroups"),
    named=Named("CacheSubnetGroupName", 255, fit=str.lower),
    create="CreateCacheSubnetGroup",
    made="CacheSubnetGroup.CacheSubnetGroupName",
    renamed={"Description": "CacheSubnetGroupDescription"},
    shown={"SubnetIds": "Subnets[].SubnetIdentifier"},
    modify={"ModifyCacheSubnetGroup": "*"},
    delete="DeleteCacheSubnetGroup",
    tags=TAGS,
    compare_as={"CacheSubnetGroupName": Comparison.FOLDED},
)
PARAMETER_GROUP = block(
    "AWS::ElastiCache::ParameterGroup",
    SERVICE,
    key=_GROUP,
    listed=Listed(operation="DescribeCacheParameterGroups", id=_GROUP, size=100, by_name=_GROUP),
    asked=Call("DescribeCacheParameterGroups"),
    # No property declares the name.
    named=Named(_GROUP, 255, fit=str.lower),
    create="CreateCacheParameterGroup",
    made=f"CacheParameterGroup.{_GROUP}",
    attributes={_GROUP: "$id"},
    parts=(_Values(),),
    delete="DeleteCacheParameterGroup",
    tags=TAGS,
    named_by="",
    # No call changes it, although the schema does not say so.
    create_only="Description",
    defaults={_VALUES: {}},
    asked_members={_VALUES: ""},
)
USER = block(
    "AWS::ElastiCache::User",
    SERVICE,
    key="UserId",
    listed=Listed(operation="DescribeUsers", id="UserId", size=100, by_name="UserId"),
    asked=Call("DescribeUsers"),
    create="CreateUser",
    modify={"ModifyUser": "*"},
    delete="DeleteUser",
    state=_STATE,
    tags=TAGS,
    compare_as={"Engine": Comparison.FOLDED},
    exclusive=[("UserId",)],
)
USER_GROUP = block(
    "AWS::ElastiCache::UserGroup",
    SERVICE,
    key="UserGroupId",
    listed=Listed(operation="DescribeUserGroups", id="UserGroupId", size=100, by_name="UserGroupId"),
    asked=Call("DescribeUserGroups"),
    create="CreateUserGroup",
    parts=(ids("UserIds", Call("ModifyUserGroup")),),
    modify={"ModifyUserGroup": "*"},
    delete="DeleteUserGroup",
    state=_STATE,
    tags=TAGS,
    compare_as={"Engine": Comparison.FOLDED, "UserIds": Comparison.SET},
    exclusive=[("UserGroupId",)],
)
TYPES = (SUBNET_GROUP, PARAMETER_GROUP, USER, USER_GROUP)
