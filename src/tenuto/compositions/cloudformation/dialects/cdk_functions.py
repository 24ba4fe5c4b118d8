"""Functions that the CDK puts into templates for work that Tenuto does by itself.

Theory of operation. `autoDeleteObjects` of a bucket and `restrictDefaultSecurityGroup` of a VPC are custom resources: a
function of Lambda, with a role, and an asset that must be published before. Their work is known, and is done by the
providers of the real resource: the bucket has a tag that says it, and the VPC gets a property. So the custom resource
is taken out of the template, its function and role too when nothing else refers to them. One that is about something
that the template does not declare stays, and is judged like any other custom resource. Others become resources of a
type that does the same (`cdk_natives`), and need their functions as little.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from tenuto.compositions.cloudformation.dialects.cdk_natives import as_native
from tenuto.compositions.diagnostics.nodes import Entry, Fields, Items, Node, Scalar, walk
from tenuto.model.default_group import RESTRICT_DEFAULT_GROUP
from tenuto.model.ids import Json

_EMPTIES = "Custom::S3AutoDeleteObjects"
_RESTRICTS = "Custom::VpcRestrictDefaultSG"
_EMPTIES_IMAGES = "Custom::ECRAutoDeleteImages"
_STATEMENTS = ("Properties", "PolicyDocument", "Statement")
_NAME_IN_TEXT = re.compile(r"\$\{([A-Za-z0-9]+)[.}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """A template without the functions, and the properties that its resources declare in their place."""

    root: Fields
    more: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    """Properties that no template can declare, by the resource."""


def understood(root: Fields) -> Understood:
    """The template without the custom resources that Tenuto can do without."""
    more: dict[str, Mapping[str, Json]] = {}
    gone: set[str] = set()
    root, functions = _with_natives(root)
    resources = root.get("Resources")
    if not isinstance(resources, Fields):
        return Understood(root=root)
    for entry in resources.entries:
        meaning = _MEANINGS.get(_type(entry.value))
        found = meaning(entry.value, resources) if meaning else None
        if found is not None:
            name, properties = found
            more[name] = {**more.get(name, {}), **properties}
            gone.add(entry.name)
            functions.update(_attribute_of(_property(entry.value, "ServiceToken")))
    if not functions and not gone:
        return Understood(root=root)
    kept, roles = _without_unused(_without(root, gone), functions, "AWS::Lambda::Function")
    for role in sorted(roles):
        barred = _without_grants(kept, {role})
        fewer, _ = _without_unused(barred, {role}, "AWS::IAM::Role")
        # A role that something else needs keeps its rights, too.
        kept = fewer if len(_members(fewer)) < len(_members(barred)) else kept
    return Understood(root=kept, more={name: one for name, one in more.items() if one})


def _with_natives(root: Fields) -> tuple[Fields, set[str]]:
    """The template with resources of Tenuto's own types, and the functions that they replace."""
    functions: set[str] = set()
    members = []
    # The type of AWS has no such attribute.
    asked = {name for node in walk(root) for name in _attribute_of(node, "Thumbprints")}
    for entry in _members(root):
        (function,) = (*_attribute_of(_property(entry.value, "ServiceToken"), "Arn"), "")[:1]
        is_native = function and entry.name not in asked
        made = as_native(_type(entry.value), function, entry.value) if is_native else None
        if made is not None:
            functions.add(function)
        members.append(entry if made is None else replace(entry, value=made))
    return (_with_members(root, tuple(members)) if functions else root), functions


def _empties(resource: Node, resources: Fields) -> tuple[str, Mapping[str, Json]] | None:
    name = _reference(_property(resource, "BucketName"))
    return (name, {}) if _type(resources.get(name)) == "AWS::S3::Bucket" else None


def _empties_images(resource: Node, resources: Fields) -> tuple[str, Mapping[str, Json]] | None:
    name = _reference(_property(resource, "RepositoryName"))
    return (name, {"EmptyOnDelete": True}) if _type(resources.get(name)) == "AWS::ECR::Repository" else None


def _restricts(resource: Node, resources: Fields) -> tuple[str, Mapping[str, Json]] | None:
    for name in _attribute_of(_property(resource, "DefaultSecurityGroupId"), "DefaultSecurityGroup"):
        if _type(resources.get(name)) == "AWS::EC2::VPC":
            return name, {RESTRICT_DEFAULT_GROUP: True}
    return None


_Meaning = Callable[[Node, Fields], tuple[str, Mapping[str, Json]] | None]
"""Tells the resource that a custom resource is about, with the properties that say the same; None for any other."""
_MEANINGS: Mapping[str, _Meaning] = {
    _EMPTIES: _empties,
    _EMPTIES_IMAGES: _empties_images,
    _RESTRICTS: _restricts,
}


def _without(root: Fields, gone: set[str]) -> Fields:
    """The template without these resources, and without dependencies on them."""
    return _with_members(root, tuple(_independent(one, gone) for one in _members(root) if one.name not in gone))


def _independent(entry: Entry, gone: set[str]) -> Entry:
    depends = entry.value.entry("DependsOn") if isinstance(entry.value, Fields) else None
    if depends is None or not isinstance(entry.value, Fields):
        return entry
    named = depends.value.items if isinstance(depends.value, Items) else (depends.value,)
    kept = tuple(one for one in named if not (isinstance(one, Scalar) and one.text in gone))
    if len(kept) == len(named):
        return entry
    changed = replace(depends, value=Items(items=kept, position=depends.value.position))
    whole = tuple(changed if one is depends else one for one in entry.value.entries if one is not depends or kept)
    return replace(entry, value=replace(entry.value, entries=whole))


def _without_unused(root: Fields, candidates: set[str], kind: str) -> tuple[Fields, set[str]]:
    """The template without the candidates of a kind that nothing refers to, and the roles that these had."""
    resources = root.get("Resources")
    if not isinstance(resources, Fields):
        return root, set()
    used = Counter(name for entry in root.entries for name in _names(entry))
    own = {name: Counter(_names(entry)) for entry in resources.entries if (name := entry.name) in candidates}
    unused = {name for name in own if _type(resources.get(name)) == kind and used[name] == own[name][name]}
    roles = {one for name in unused for one in _attribute_of(_property(resources.get(name), "Role"))}
    return _without(root, unused), roles


def _without_grants(root: Fields, roles: set[str]) -> Fields:
    """The template without the statements of bucket policies that give these roles something, and without the policies
    of these roles alone. A policy of which nothing is left goes, too."""
    gone: set[str] = set()
    changed: dict[str, Entry] = {}
    for entry in _members(root):
        if _type(entry.value) == "AWS::IAM::Policy" and _is_of(entry.value, roles):
            gone.add(entry.name)
        document = _property(entry.value, "PolicyDocument") if _type(entry.value) == "AWS::S3::BucketPolicy" else None
        statements = document.get("Statement") if isinstance(document, Fields) else None
        if not isinstance(statements, Items):
            continue
        kept = tuple(one for one in statements.items if not _is_grant(one, roles))
        if not kept:
            gone.add(entry.name)
        elif len(kept) < len(statements.items):
            changed[entry.name] = replace(entry, value=_put(entry.value, replace(statements, items=kept), *_STATEMENTS))
    return _without(_with_members(root, tuple(changed.get(one.name, one) for one in _members(root))), gone)


def _with_members(root: Fields, members: tuple[Entry, ...]) -> Fields:
    """The template with other resources."""
    resources = root.entry("Resources")
    if resources is None or not isinstance(resources.value, Fields):
        return root
    whole = replace(resources, value=replace(resources.value, entries=members))
    return replace(root, entries=tuple(whole if one is resources else one for one in root.entries))


def _is_of(policy: Node, roles: set[str]) -> bool:
    """Whether an inline policy belongs to these roles and to no other holder."""
    holders = _property(policy, "Roles")
    others = (_property(policy, "Users"), _property(policy, "Groups"))
    if not isinstance(holders, Items) or not holders.items or any(one is not None for one in others):
        return False
    return all(_reference(one) in roles for one in holders.items)


def _is_grant(statement: Node, roles: set[str]) -> bool:
    principal = statement.get("Principal") if isinstance(statement, Fields) else None
    holder = principal.get("AWS") if isinstance(principal, Fields) and len(principal.entries) == 1 else None
    return any(name in roles for name in _attribute_of(holder, "Arn"))


def _put(node: Node, value: Node, *path: str) -> Node:
    """The mapping with another value at the end of the path."""
    if not path:
        return value
    assert isinstance(node, Fields)
    entries = (
        replace(one, value=_put(one.value, value, *path[1:])) if one.name == path[0] else one for one in node.entries
    )
    return replace(node, entries=tuple(entries))


def _members(root: Fields) -> tuple[Entry, ...]:
    resources = root.get("Resources")
    return resources.entries if isinstance(resources, Fields) else ()


def _names(entry: Entry) -> Iterator[str]:
    """Every name that something in the entry refers to, once for each time."""
    for node in walk(entry.value):
        if not isinstance(node, Fields):
            continue
        for one in node.entries:
            if one.name == "Ref" and isinstance(one.value, Scalar):
                yield one.value.text
            elif one.name == "Fn::GetAtt":
                yield from _attribute_of(node)
            elif one.name == "Fn::Sub":
                texts = (text for text in walk(one.value) if isinstance(text, Scalar))
                yield from (name for text in texts for name in _NAME_IN_TEXT.findall(text.text))
            elif one.name == "DependsOn":
                yield from (name.text for name in walk(one.value) if isinstance(name, Scalar))


def _type(resource: Node | None) -> str:
    node = resource.get("Type") if isinstance(resource, Fields) else None
    return node.text if isinstance(node, Scalar) else ""


def _property(resource: Node | None, name: str) -> Node | None:
    properties = resource.get("Properties") if isinstance(resource, Fields) else None
    return properties.get(name) if isinstance(properties, Fields) else None


def _reference(node: Node | None) -> str:
    name = node.get("Ref") if isinstance(node, Fields) else None
    return name.text if isinstance(name, Scalar) else ""


def _attribute_of(node: Node | None, attribute: str = "") -> Iterator[str]:
    """The resource whose attribute the node is; of any attribute, when none is named."""
    found = node.get("Fn::GetAtt") if isinstance(node, Fields) else None
    if isinstance(found, Items):
        parts = [one.text for one in found.items if isinstance(one, Scalar)]
    else:
        parts = found.text.split(".", 1) if isinstance(found, Scalar) else []
    if len(parts) == 2 and attribute in ("", parts[1]):
        yield parts[0]
