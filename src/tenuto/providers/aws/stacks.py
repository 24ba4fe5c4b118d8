"""Stacks of CloudFormation: read for an import, and let go by a change set that touches no resource.

The ids that CloudFormation shows are those of many types. Of others it makes up a name (routes, attachments), or shows
the value of `Ref`: the name of a stage without its API, the ARN of a service. The id of most of these follows from the
properties that are declared beside it (`AwsType.known_as`), and the rest is looked up by these.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from tenuto.core.planning.equality.values import means_same
from tenuto.errors import PermanentError
from tenuto.model.ids import Fid, JsonMap, LogicalId, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Request
from tenuto.model.stack import UNMADE, ChangeSet, Stack, StackChange, StackExport, StackOutput, StackResource
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, Scope, Work
from tenuto.providers.aws.types.catalogue import CATALOGUE
from tenuto.providers.aws.types.ec2_rules import COMPARE_AS, EGRESS_NAME, INGRESS_NAME
from tenuto.providers.aws.types.formation import CLOUDFORMATION, is_missing, pages_of, stack_of, standing_stack

_MASK = "****"
_ADDRESS = TypeName("AWS::EC2::EIP")
_RULES = (INGRESS_NAME, EGRESS_NAME)
_RULE_KEY = (
    "GroupId", "IpProtocol", "FromPort", "ToPort", "CidrIp", "CidrIpv6", "SourceSecurityGroupId",
    "DestinationSecurityGroupId", "SourcePrefixListId", "DestinationPrefixListId",
)  # fmt: skip
_BY_PROPERTIES = frozenset(
    {
        _ADDRESS,
        *_RULES,
        "AWS::EC2::Route",
        "AWS::EC2::VPCGatewayAttachment",
        "AWS::EC2::SubnetRouteTableAssociation",
        "AWS::EC2::SubnetNetworkAclAssociation",
        "AWS::EC2::NetworkAclEntry",
        "AWS::EC2::EIPAssociation",
        "AWS::EC2::VolumeAttachment",
        "AWS::IAM::RolePolicy",
        "AWS::S3::BucketPolicy",
    }
)
_NAMED_BY: Mapping[str, str] = {"AWS::S3::BucketPolicy": "Bucket"}
"""Types whose things have no name of their own, and the property that names the thing that they belong to."""


class AwsStacks:
    """Implements `ports.stacks.StackBook`."""

    def __init__(self, client: Callable[[Partition], AccountClient]) -> None:
        self._client = client

    def stack(self, partition: Partition, name: str) -> Stack | None:
        client = self._client(partition)
        found = standing_stack(client, name)
        if found is None:
            return None
        stack_id = found["StackId"]
        parameters = {one["ParameterKey"]: one.get("ParameterValue", "") for one in found.get("Parameters", ())}
        exports = [one for one in pages_of(client, "ListExports", "Exports") if one["ExportingStackId"] == stack_id]
        return Stack(
            stack_id=stack_id,
            name=found["StackName"],
            status=found["StackStatus"],
            reason=found.get("StackStatusReason", ""),
            template="" if found["StackStatus"] == UNMADE else _template(client, stack_id),
            parameters={name: value for name, value in parameters.items() if value != _MASK},
            hidden=frozenset(name for name, value in parameters.items() if value == _MASK),
            looked_up={
                one["ParameterValue"]: one["ResolvedValue"]
                for one in found.get("Parameters", ())
                if one.get("ResolvedValue") and one.get("ParameterValue")
            },
            tags=_tags(client, found),
            capabilities=tuple(found.get("Capabilities", ())),
            resources=tuple(
                StackResource(
                    logical_id=LogicalId(one["LogicalResourceId"]),
                    type=TypeName(one["ResourceType"]),
                    given_id=one.get("PhysicalResourceId", ""),
                    status=one["ResourceStatus"],
                )
                for one in pages_of(client, "ListStackResources", "StackResourceSummaries", StackName=stack_id)
            ),
            outputs=tuple(
                StackOutput(name=one["OutputKey"], value=one["OutputValue"], export=one.get("ExportName", ""))
                for one in found.get("Outputs", ())
            ),
            exports=tuple(
                StackExport(name=one["Name"], value=one["Value"], importers=_importers(client, one["Name"]))
                for one in exports
            ),
            is_protected=bool(found.get("EnableTerminationProtection")),
        )

    def is_known_by_given_id(self, type_name: TypeName) -> bool:
        kind = CATALOGUE.get(type_name)
        return type_name not in _BY_PROPERTIES and (kind is None or kind.known_as is None)

    def derive(
        self, partition: Partition, type_name: TypeName, given_id: str, properties: JsonMap
    ) -> PhysicalId | None:
        kind = CATALOGUE.get(type_name)
        if kind is None or kind.known_as is None or type_name in _BY_PROPERTIES:
            return None
        work = Work(client=self._client(partition), request=_request(kind, properties), type=kind)
        with suppress(KeyError, PermanentError):
            return PhysicalId(kind.known_as(work, given_id))
        return None

    def identify(
        self, partition: Partition, type_name: TypeName, given_id: str, properties: JsonMap
    ) -> PhysicalId | None:
        if type_name in _NAMED_BY:
            return PhysicalId(str(properties.get(_NAMED_BY[type_name], ""))) or None
        kind = CATALOGUE.get(type_name)
        if kind is None:
            return None
        client = self._client(partition)
        found = [
            item.physical_id
            for name, item in kind.source.read(client, Scope())
            if name == kind.facts.name and not item.is_ending and _is_it(kind, item, given_id, properties)
        ]
        return found[0] if len(found) == 1 else None

    def change_set(self, partition: Partition, stack_id: str, name: str) -> ChangeSet | None:
        client = self._client(partition)
        asked = {"StackName": stack_id, "ChangeSetName": name}
        try:
            first = client.read(CLOUDFORMATION, "DescribeChangeSet", **asked)
        except PermanentError as error:
            if is_missing(error):
                return None
            raise
        changes = list(first.get("Changes", ()))
        token = first.get("NextToken")
        while token:
            page = client.read(CLOUDFORMATION, "DescribeChangeSet", **asked, NextToken=token)
            changes += page.get("Changes", ())
            token = page.get("NextToken")
        return ChangeSet(
            name=name,
            status=first["Status"],
            execution=first.get("ExecutionStatus", ""),
            reason=first.get("StatusReason", ""),
            changes=tuple(_change(one.get("ResourceChange", {})) for one in changes),
        )

    def make_change_set(
        self, partition: Partition, stack: Stack, name: str, template: str, *, kept: Sequence[str]
    ) -> None:
        self._client(partition).change(
            CLOUDFORMATION,
            "CreateChangeSet",
            (),
            StackName=stack.stack_id,
            ChangeSetName=name,
            ChangeSetType="UPDATE",
            Description="Tenuto lets go of the stack: every resource is retained.",
            TemplateBody=template,
            Parameters=[{"ParameterKey": one, "UsePreviousValue": True} for one in kept],
            Capabilities=list(stack.capabilities),
        )

    def drop_change_set(self, partition: Partition, stack_id: str, name: str) -> None:
        self._client(partition).change(CLOUDFORMATION, "DeleteChangeSet", (), StackName=stack_id, ChangeSetName=name)

    def execute_change_set(self, partition: Partition, stack_id: str, name: str) -> None:
        self._client(partition).change(CLOUDFORMATION, "ExecuteChangeSet", (), StackName=stack_id, ChangeSetName=name)

    def delete_stack(self, partition: Partition, stack_id: str, *, role: str | None) -> None:
        given = {"RoleARN": role} if role else {}
        self._client(partition).change(CLOUDFORMATION, "DeleteStack", (), StackName=stack_id, **given)


def _is_it(kind: AwsType, item: ObservedItem, given_id: str, properties: JsonMap) -> bool:
    if kind.facts.name == _ADDRESS:
        return given_id in (item.physical_id, str(item.attributes.get("PublicIp")))
    if kind.facts.name in _RULES:
        wanted = {name: properties[name] for name in _RULE_KEY if name in properties}
        return all(means_same(value, item.properties.get(name), COMPARE_AS, name) for name, value in wanted.items())
    return kind.is_found(_request(kind, properties), item)


def _request(kind: AwsType, properties: JsonMap) -> Request:
    """A request that finds a thing by its natural key. No object of ours stands behind it."""
    return Request(
        object_id=ObjectId(""),
        fid=Fid(""),
        process_name="",
        logical_id=LogicalId(""),
        type=kind.facts.name,
        token="",
        properties=properties,
    )


def _change(one: Mapping[str, Any]) -> StackChange:
    replacement = one.get("Replacement")
    return StackChange(
        logical_id=LogicalId(one.get("LogicalResourceId", "")),
        action=str(one.get("Action", "")),
        replaces=None if replacement is None else replacement != "False",
        scope=frozenset(one["Scope"]) if "Scope" in one else None,
    )


def _template(client: AccountClient, stack_id: str) -> str:
    """The source of the user; of a stack with transforms, the result of these."""
    told = client.read(CLOUDFORMATION, "GetTemplate", StackName=stack_id, TemplateStage="Original")
    body = told["TemplateBody"]
    text = body if isinstance(body, str) else _json(body)
    if "Transform" in text and "Processed" in told.get("StagesAvailable", ()):
        body = client.read(CLOUDFORMATION, "GetTemplate", StackName=stack_id, TemplateStage="Processed")["TemplateBody"]
        text = body if isinstance(body, str) else _json(body)
    return text


def _json(body: Any) -> str:
    return json.dumps(body, indent=2)


def _tags(client: AccountClient, stack: JsonMap) -> dict[str, str]:
    """The tags of a stack, and those of the stacks that it is nested in; of two with one key, that of the inner one."""
    found: dict[str, str] = {}
    around: JsonMap | None = stack
    while around is not None:
        found = {one["Key"]: one.get("Value", "") for one in around.get("Tags") or ()} | found
        parent = around.get("ParentId")
        around = stack_of(client, parent) if parent else None
    return dict(sorted(found.items()))


def _importers(client: AccountClient, name: str) -> tuple[str, ...]:
    try:
        return tuple(pages_of(client, "ListImports", "Imports", ExportName=name))
    except PermanentError as error:
        if "is not imported" in str(error):
            return ()
        raise
