"""AWS::IoT: rules for topics, things and policies. Their Refs are their names."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from tenuto.model.ids import Json
from tenuto.model.spelling import Documents
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import parsed
from tenuto.providers.aws.client.owner import birth_tags
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_DOCUMENT = "PolicyDocument"
_MOST_VERSIONS = 5
_ABOUT_TAGS: Mapping[str, Any] = {
    "service": "iot",
    "list_call": "ListTagsForResource",
    "put_call": "TagResource",
    "remove_call": "UntagResource",
    "id_name": "resourceArn",
    "listed_as": "tags",
    "given_as": "tags",
    "keys_as": "tagKeys",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _QueryTags(TagCalls):
    """Tags that the creating call takes as a query."""

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {self.given_as: urlencode([(one["Key"], one["Value"]) for one in birth_tags(work.request)])}


@dataclass(frozen=True, kw_only=True)
class _Document(Shown):
    """The document of a policy: a change is a new version, and a policy has room for five."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_DOCUMENT})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {_DOCUMENT: parsed(thing.answer.get("policyDocument"))}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {"policyDocument": text_of(work.need(_DOCUMENT))}

    def repair(self, work: Work, service: str, words: str) -> None:
        if work.differs(_DOCUMENT):
            self._make_room(work, _MOST_VERSIONS - 1)
            text = text_of(work.want(_DOCUMENT))
            work.change("iot", "CreatePolicyVersion", policyName=work.id, policyDocument=text, setAsDefault=True)

    def clear(self, work: Work, service: str, words: str) -> None:
        self._make_room(work, 1)

    def _make_room(self, work: Work, most: int) -> None:
        versions = work.read("iot", "ListPolicyVersions", policyName=work.id)["policyVersions"]
        old = sorted((one for one in versions if not one["isDefaultVersion"]), key=lambda one: int(one["versionId"]))
        for one in old[: max(0, len(versions) - most)]:
            work.let_go("iot", "DeletePolicyVersion", policyName=work.id, policyVersionId=one["versionId"])

    def changes(self, service: str) -> Mapping[str, str]:
        return {_DOCUMENT: "iot:CreatePolicyVersion"}


RULE = block(
    "AWS::IoT::TopicRule",
    "iot",
    key="ruleName",
    listed=Listed(operation="ListTopicRules", id="ruleName", size=1000),
    described=Described(call=Call("GetTopicRule")),
    # A name of a rule has no hyphens.
    named=Named("RuleName", 128, fit=lambda name: name.replace("-", "_")),
    create="CreateTopicRule",
    shown={"RuleName": "rule.ruleName || ruleName", "TopicRulePayload": "rule"},
    attributes={"Arn": "ruleArn"},
    modify={"ReplaceTopicRule": "*"},
    delete="DeleteTopicRule",
    tags=_QueryTags(**_ABOUT_TAGS, named=lambda _, rule: rule["ruleArn"]),
    named_by="",
)
THING = block(
    "AWS::IoT::Thing",
    "iot",
    key="thingName",
    listed=Listed(operation="ListThings", id="thingName", size=250),
    described=Described(call=Call("DescribeThing")),
    named=Named("ThingName", 128),
    create="CreateThing",
    made="thingName",
    shown={"AttributePayload": "{Attributes: attributes}"},
    attributes={"Arn": "thingArn", "Id": "thingId"},
    modify={"UpdateThing": "*"},
    delete="DeleteThing",
    # IoT answers the creation of a thing that is there already, with the same attributes, like any other.
    asks_first=True,
    named_by="",
    defaults={"AttributePayload": {"Attributes": {}}},
    compare_as={"AttributePayload.Attributes": Documents()},
)
POLICY_OF_IOT = block(
    "AWS::IoT::Policy",
    "iot",
    key="policyName",
    listed=Listed(operation="ListPolicies", id="policyName", size=250),
    described=Described(call=Call("GetPolicy")),
    named=Named("PolicyName", 128),
    create="CreatePolicy",
    attributes={"Arn": "policyArn", "Id": "$id"},
    parts=(_Document(),),
    delete="DeletePolicy",
    tags=TagCalls(**_ABOUT_TAGS, named=lambda _, policy: policy["policyArn"]),
    named_by="",
    compare_as={_DOCUMENT: POLICY},
)
TYPES = (RULE, THING, POLICY_OF_IOT)
