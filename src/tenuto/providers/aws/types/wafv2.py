"""AWS::WAFv2: web ACLs, sets, groups of rules, and the things that hang on an ACL.

An ACL, a set and a group are known by name, id and scope, which together are their Ref. A change and a deletion name
the state that they are about by a token, which is read right before; a property that a change is not given is reset.
"""

import base64
from collections.abc import Mapping
from typing import Any

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison, Rule
from tenuto.model.spelling import ServiceMembers
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, undeclared
from tenuto.providers.aws.blocks.ids import ID
from tenuto.providers.aws.kind import AwsType, Work
from tenuto.providers.aws.types.facts import published
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.schema_places import places
from tenuto.providers.aws.types.tag_calls import TagCalls

_SERVICE, _TOKEN = "wafv2", "LockToken"
_TEXT, _CODED = "SearchString", "SearchStringBase64"
_TAGS = TagCalls(
    service=_SERVICE,
    id_name="ResourceARN",
    listed_as="TagInfoForResource.TagList",
    named=lambda _, shown: shown["ARN"],
)


def _told(value: Json) -> Json:
    """Rules as they are declared: bytes that are looked for are told in both ways to declare them."""
    if isinstance(value, Mapping):
        found = {name: _told(one) for name, one in value.items() if not isinstance(one, bytes)}
        if isinstance(given := value.get(_TEXT), bytes):
            found[_TEXT] = given.decode("utf-8", errors="replace")
            found[_CODED] = base64.b64encode(given).decode("ascii")
        return found
    return [_told(one) for one in value] if isinstance(value, list | tuple) else value


def _given(value: Json) -> Json:
    """Rules as WAF takes them: coded bytes as such."""
    if isinstance(value, Mapping):
        found = {name: _given(one) for name, one in value.items() if name != _CODED}
        return {**found, _TEXT: base64.b64decode(str(value[_CODED]))} if _CODED in value else found
    return [_given(one) for one in value] if isinstance(value, list | tuple) else value


def _held(name: str, **more: Any) -> AwsType:
    """A type whose things are changed under a token."""
    get = f"Get{name}"

    def shown(answer: JsonMap) -> Json:
        """The thing with the token, which stands beside it."""
        return {**answer[name], _TOKEN: answer.get(_TOKEN)} if answer.get(name) else None

    def parting(work: Work) -> JsonMap:
        called, one, scope = str(work.id).split(ID)
        return {_TOKEN: work.read(_SERVICE, get, Name=called, Id=one, Scope=scope)[_TOKEN]}

    return block(
        f"AWS::WAFv2::{name}",
        _SERVICE,
        key="Name Id Scope",
        described=Described(call=Call(get), at=shown),
        named=Named("Name", 128),
        beside=Listed(
            operation=f"List{name}s",
            id="Name Id $Scope",
            given={"Scope": "Scope"},
            members=f"{name}s",
            next_page="NextMarker NextMarker",
            size=0,
        ),
        create=f"Create{name}",
        made="Name Summary.Id Scope",
        attributes={"Arn": "ARN || Summary.ARN", "Id": "Id || Summary.Id"},
        modify={Call(f"Update{name}", fills=undeclared): "*"},
        delete=f"Delete{name}",
        parting=parting,
        tags=_TAGS,
        named_by="",
        exclusive=[("Name", "Scope")],
        **more,
    )


_RULES: dict[str, Any] = {"shown": {"Rules": lambda shown: _told(shown.get("Rules"))}, "sent_as": {"Rules": _given}}

_CHOICES = {"Action", "ActionToUse", "DefaultAction", "FieldToMatch", "OverrideAction"}
"""The members of which one of several stands there, mostly without anything in it: `Allow: {}`."""


def _choices(name: str) -> dict[str, Rule]:
    found = (path for path, _ in places(published(f"AWS::WAFv2::{name}").document))
    return {path: Comparison.CHOICE for path in found if path.rpartition(".")[2] in _CHOICES}


_GROUP_OF_SHIELD = r'\{"Arn":"arn:[^"]+/rulegroup/ShieldMitigationRuleGroup_[^"]+"\}'
_MITIGATION = ServiceMembers(
    texts={
        "Name": "ShieldMitigationRuleGroup_.+",
        "Priority": "10000000",
        "Statement": rf'\{{"RuleGroupReferenceStatement":{_GROUP_OF_SHIELD}\}}',
    }
)
"""The rule that Shield Advanced adds to an ACL while it mitigates attacks by itself."""

ACL = _held(
    "WebACL",
    **_RULES,
    compare_as={**_choices("WebACL"), "Rules": Comparison.SET, "TokenDomains": Comparison.SET},
    of_services={"Rules": _MITIGATION},
    defaults={
        **dict.fromkeys(("AssociationConfig", "CaptchaConfig", "ChallengeConfig", "CustomResponseBodies")),
        **dict.fromkeys(("DataProtectionConfig", "Description")),
        "Rules": [],
        "TokenDomains": [],
    },
)
RULE_GROUP = _held(
    "RuleGroup",
    **_RULES,
    # No call changes it, although the schema does not say so.
    create_only="Capacity",
    refused={
        "AvailableLabels ConsumedLabels": "WAF makes it of the rules: take it out.",
    },
    compare_as={**_choices("RuleGroup"), "Rules": Comparison.SET},
    defaults={"CustomResponseBodies": None, "Description": None, "Rules": []},
)
IP_SET = _held(
    "IPSet",
    create_only="IPAddressVersion",
    compare_as={"Addresses": Comparison.SET},
    defaults={"Description": None},
)
PATTERNS = _held(
    "RegexPatternSet",
    shown={"RegularExpressionList": "RegularExpressionList[].RegexString"},
    sent_as={"RegularExpressionList": lambda texts: [{"RegexString": one} for one in texts]},
    compare_as={"RegularExpressionList": Comparison.SET},
    defaults={"Description": None},
)
ASSOCIATION = block(
    "AWS::WAFv2::WebACLAssociation",
    _SERVICE,
    key="ResourceArn WebACLArn",
    described=Described(call=Call("GetWebACLForResource", key="ResourceArn -"), at="WebACL", gone_at="`true`"),
    create="AssociateWebACL",
    # A thing has one ACL, and the call replaces it.
    asks_first=True,
    shown={"WebACLArn": "ARN"},
    delete=Call("DisassociateWebACL", key="ResourceArn -"),
    exclusive=[("ResourceArn",)],
)
_PUT = Call("PutLoggingConfiguration", within="LoggingConfiguration")
LOGGING = block(
    "AWS::WAFv2::LoggingConfiguration",
    _SERVICE,
    key="ResourceArn",
    described=Described(call=Call("GetLoggingConfiguration"), at="LoggingConfiguration"),
    create=_PUT,
    # An ACL has one, and the call replaces it.
    asks_first=True,
    modify={_PUT: "*"},
    delete="DeleteLoggingConfiguration",
    exclusive=[("ResourceArn",)],
    compare_as={"LogDestinationConfigs": Comparison.SET},
    defaults={"LoggingFilter": None, "RedactedFields": []},
)
TYPES = (ACL, RULE_GROUP, IP_SET, PATTERNS, ASSOCIATION, LOGGING)
