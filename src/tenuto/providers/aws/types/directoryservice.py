"""AWS::DirectoryService: managed directories of Microsoft and of Samba. Their Refs are their ids.

A directory takes half an hour to come up. One of Microsoft has no tags in a composition: a lost creation of it is
looked up by the properties that were sent, among all directories of its kind.
"""

from collections.abc import Mapping

from tenuto.model.ids import Json
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.blocks.parts import Shown, Switch
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.together import together
from tenuto.providers.aws.client.names import generated_name
from tenuto.providers.aws.kind import AwsType, Work, flag
from tenuto.providers.aws.types.tag_calls import TagCalls

_SERVICE, _ALIAS = "ds", "CreateAlias"
_LONGEST_ALIAS = 62


class _Alias(Shown):
    """The alias in the address of a directory. A composition asks for one without naming it; none goes away again."""

    properties = frozenset({_ALIAS})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {_ALIAS: thing.answer.get("Alias", thing.id) != thing.id}

    def repair(self, work: Work, service: str, words: str) -> None:
        if work.differs(_ALIAS) and flag(work.want(_ALIAS)):
            alias = generated_name(work.request, _LONGEST_ALIAS).lower()
            work.change(service, "CreateAlias", DirectoryId=work.id, Alias=alias)

    def changes(self, service: str) -> Mapping[str, str]:
        return {_ALIAS: f"{service}:CreateAlias"}


def _directory(name: str, create: str, kind: str, tags: TagCalls | None = None) -> AwsType:
    return block(
        name,
        _SERVICE,
        key="DirectoryId",
        # One list shows directories of all kinds.
        listed=Listed(
            operation="DescribeDirectories",
            id="DirectoryId",
            each=f"[@][?Type=='{kind}']",
            members="DirectoryDescriptions",
        ),
        asked=Call("DescribeDirectories", key="DirectoryIds[]"),
        create=create,
        made="DirectoryId",
        delete="DeleteDirectory",
        # Single sign-on needs the alias.
        parts=(_Alias(), Switch(name="EnableSso", shown_at="SsoEnabled", on="EnableSso", off="DisableSso")),
        recovers=True,
        state=State(
            at="Stage",
            pending="Requested Creating Created Restoring Updating",
            going="Deleting",
            gone="Deleted",
            broken="Failed",
            reason="StageReason",
        ),
        attributes={"Alias": "Alias", "DirectoryId": "DirectoryId", "DnsIpAddresses": "DnsIpAddrs"},
        tags=tags,
        compare_as={"VpcSettings.SubnetIds": Comparison.SET},
        bears_data=True,
    )


MICROSOFT = _directory("AWS::DirectoryService::MicrosoftAD", "CreateMicrosoftAD", "MicrosoftAD")
SIMPLE = _directory(
    "AWS::DirectoryService::SimpleAD",
    "CreateDirectory",
    "SimpleAD",
    TagCalls(
        service=_SERVICE,
        put_call="AddTagsToResource",
        remove_call="RemoveTagsFromResource",
        id_name="ResourceId",
    ),
)
TYPES = together(MICROSOFT, SIMPLE)
