"""Documents of IAM policies in properties: their statements are checked before AWS refuses them.

Theory of operation. The schema of a resource says of a policy that it is a mapping, and AWS reports its errors only
when the resource is made: "MalformedPolicyDocument", without a line. cfn-lint carries schemas of the documents, which
are held against them like those of resources. Their rules about the form of ARNs and of principals are left to AWS,
which knows forms that they do not (partitions of governments, ids of roles that are gone). A name counts in any case:
whether AWS takes it so is not written down, and a false error is worse than a late one.

All scalars of a statement are texts for IAM, but for the values of conditions: `Sid: 1` and the number of an account
become texts here, as 100 does in any other property that is a text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from itertools import product

from tenuto.compositions.checks.schema import TypeSchema, shared_schema
from tenuto.compositions.checks.schema_check import SchemaCheck, respelled
from tenuto.compositions.diagnostics.nodes import Entry, Fields, Items, Node, Scalar, nodes_at
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.model.ids import Json, JsonMap, TypeName

_IDENTITY, _RESOURCE, _TRUST = "policy_identity", "policy_resource", "policy_trust"
_EMBEDDED = {"Policies.*.PolicyDocument": _IDENTITY}
_DOCUMENT = {"PolicyDocument": _IDENTITY}
_POLICIES: Mapping[str, Mapping[str, str]] = {
    **dict.fromkeys(("AWS::IAM::Group", "AWS::IAM::User"), _EMBEDDED),
    **dict.fromkeys(("AWS::IAM::ManagedPolicy", "AWS::IAM::Policy"), _DOCUMENT),
    **dict.fromkeys(("AWS::IAM::GroupPolicy", "AWS::IAM::RolePolicy", "AWS::IAM::UserPolicy"), _DOCUMENT),
    "AWS::ECR::Repository": {"RepositoryPolicyText": "policy_resource_ecr"},
    "AWS::IAM::Role": {"AssumeRolePolicyDocument": _TRUST, **_EMBEDDED},
    "AWS::KMS::Key": {"KeyPolicy": _RESOURCE},
    "AWS::OpenSearchService::Domain": {"AccessPolicies": _RESOURCE},
    "AWS::S3::BucketPolicy": {"PolicyDocument": _RESOURCE},
    "AWS::SNS::TopicPolicy": {"PolicyDocument": _RESOURCE},
    "AWS::SQS::QueuePolicy": {"PolicyDocument": _RESOURCE},
    "AWS::SSO::PermissionSet": {"InlinePolicy": _IDENTITY},
}
"""The kind of the policy at each path, by type: those whose content AWS documents."""
_CONDITION = "Condition"
_SID = {"type": "string", "pattern": "^[A-Za-z0-9]*$"}
"""IAM takes an empty one, as its console writes it."""
_ORDERS = ("Equals", "NotEquals", "LessThan", "LessThanEquals", "GreaterThan", "GreaterThanEquals")
_OPERATORS = (
    *("StringEquals", "StringNotEquals", "StringEqualsIgnoreCase", "StringNotEqualsIgnoreCase", "StringLike"),
    *("StringNotLike", "Bool", "BinaryEquals", "IpAddress", "NotIpAddress", "Null"),
    *("ArnEquals", "ArnNotEquals", "ArnLike", "ArnNotLike"),
    *(f"{kind}{order}" for kind in ("Numeric", "Date") for order in _ORDERS),
)
"""https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html"""


def check_policies(type_name: str, properties: Fields, subject: str, problems: Problems) -> Fields:
    """Report the errors in the policies of a resource, and return its properties with the texts of policies as texts.
    A policy that is written as a text is left to AWS."""
    found = properties
    for path, kind in _POLICIES.get(type_name, {}).items():
        for where, node, at in nodes_at(properties, path.split(".")):
            if isinstance(node, Fields):
                check = SchemaCheck(_schema(kind), f"{subject}.{where}", problems)
                check.check(_spelled_fields(node), at)
        found = _with_texts_at(found, path.split("."))
    return found


def _with_texts_at(node: Fields, path: Sequence[str]) -> Fields:
    """The properties with the policies at a path in texts; a star stands for all members of a list."""
    name, *rest = path
    entries = (replace(one, value=_below(one.value, rest)) if one.name == name else one for one in node.entries)
    return replace(node, entries=tuple(entries))


def _below(node: Node, path: Sequence[str]) -> Node:
    if not path:
        return _in_texts(node) if isinstance(node, Fields) else node
    if path[0] == "*" and isinstance(node, Items):
        return replace(node, items=tuple(_below(one, path[1:]) for one in node.items))
    return _with_texts_at(node, path) if isinstance(node, Fields) else node


def _in_texts(node: Node) -> Node:
    """A policy, or a part of it, with texts in place of its numbers and booleans. Conditions compare numbers, too."""
    if isinstance(node, Items):
        return replace(node, items=tuple(map(_in_texts, node.items)))
    if isinstance(node, Fields):
        return replace(node, entries=tuple(map(_entry_in_texts, node.entries)))
    return replace(node, value=node.text) if isinstance(node, Scalar) and node.value is not None else node


def _entry_in_texts(entry: Entry) -> Entry:
    is_condition = entry.name.casefold() == _CONDITION.casefold()
    return entry if is_condition else replace(entry, value=_in_texts(entry.value))


def _spelled(node: Node) -> Node:
    """The document with the words of policies in the case in which the schemas have them."""
    if isinstance(node, Items):
        return replace(node, items=tuple(map(_spelled, node.items)))
    return _spelled_fields(node) if isinstance(node, Fields) else node


def _spelled_fields(node: Fields) -> Fields:
    entries = respelled(node, _words()).entries
    return replace(node, entries=tuple(replace(one, value=_spelled(one.value)) for one in entries))


@lru_cache(maxsize=1)
def _words() -> Mapping[str, str]:
    names = ("Version", "Id", "Statement", "Sid", "Effect", "Principal", "NotPrincipal", "Action", "NotAction")
    more = ("Resource", "NotResource", _CONDITION, "AWS", "Service", "Federated", "CanonicalUser", *_operators())
    return {name.casefold(): name for name in (*names, *more)}


def _operators() -> tuple[str, ...]:
    """All condition operators: each may be for members of a set, and count only where there is a value."""
    found = product(("", "ForAllValues:", "ForAnyValue:"), _OPERATORS, ("", "IfExists"))
    return tuple("".join(parts) for parts in found)


@lru_cache(maxsize=8)
def _schema(kind: str) -> TypeSchema:
    """The schema of one kind of policies, without the forms of ARNs."""
    common, own = shared_schema("iam/policy"), shared_schema(f"iam/{kind}")
    definitions, statement = common["definitions"], own["definitions"]["Statement"]
    values = definitions["ConditionValue"]
    definitions |= {name: {} for name in ("AwsArn", "AwsPrincipalArn")}
    definitions[_CONDITION] = {"type": "object", "properties": dict.fromkeys(_operators(), values)}
    if kind == _IDENTITY:
        statement["properties"]["Sid"] = _SID
    statement["required"] = [name for rule in statement["allOf"] for name in rule.get("required", ())]
    return TypeSchema(name=TypeName("The policy"), document=_whole(own, own, common))


def _whole(rule: JsonMap, home: JsonMap, common: JsonMap) -> dict[str, Json]:
    """The rule with the target in place of each reference: in its own file, or in the `common` one."""
    found: dict[str, Json] = {}
    if "$ref" in rule:
        file, _, path = rule["$ref"].partition("#/")
        where = common if file else home
        found = _whole(reduce(lambda node, name: node[name], path.split("/"), where), where, common)
    for name, value in rule.items():
        if name != "$ref":
            found[name] = _whole(value, home, common) if isinstance(value, Mapping) else value
    return found
