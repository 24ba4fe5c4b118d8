"""The intrinsic functions and the forms that their arguments take: the checks before anything is computed."""

from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Fields, Items, Node, Scalar

FORMS = {
    "Ref": "!Ref NAME",
    "Fn::GetAtt": "!GetAtt RESOURCE.ATTRIBUTE",
    "Fn::Sub": '!Sub "TEXT ${NAME}", or !Sub ["TEXT ${NAME}", {NAME: VALUE}]',
    "Fn::Join": "!Join [DELIMITER, [VALUE, …]]",
    "Fn::Select": "!Select [INDEX, LIST]",
    "Fn::Split": "!Split [DELIMITER, TEXT]",
    "Fn::FindInMap": "!FindInMap [MAPPING, KEY, SECOND_KEY]",
    "Fn::If": "!If [CONDITION, VALUE_IF_TRUE, VALUE_IF_FALSE]",
    "Fn::Cidr": "!Cidr [BLOCK, COUNT, SUBNET_BITS]",
    "Fn::Base64": "!Base64 TEXT",
    "Fn::GetAZs": "!GetAZs REGION",
    "Fn::ImportValue": "!ImportValue NAME",
    "Fn::And": "!And [CONDITION, CONDITION, …]",
    "Fn::Or": "!Or [CONDITION, CONDITION, …]",
    "Fn::Not": "!Not [CONDITION]",
    "Fn::Equals": "!Equals [VALUE, VALUE]",
    "Fn::Length": "{Fn::Length: LIST}",
    "Fn::ToJsonString": "{Fn::ToJsonString: MAPPING_OR_LIST}",
}
LANGUAGE_EXTENSIONS = frozenset({"Fn::Length", "Fn::ToJsonString"})
"""Functions that need `Transform: AWS::LanguageExtensions`, as they do at AWS."""
CONDITION_FUNCTIONS = frozenset({"Fn::And", "Fn::Or", "Fn::Not", "Fn::Equals"})
RULE_FUNCTIONS = frozenset(
    {"Fn::Contains", "Fn::EachMemberEquals", "Fn::EachMemberIn", "Fn::RefAll", "Fn::ValueOf", "Fn::ValueOfAll"}
)
"""Functions that work in the Rules section only."""
UNSUPPORTED = {
    "Fn::Transform": codes.NO_TRANSFORM.hint,
    "Fn::GetStackOutput": "Export the output where it is made, and read it with Fn::ImportValue. Of another account or "
    "region, give the value as a parameter.",
}
"""Functions that exist and that only CloudFormation can evaluate, each with the advice."""


def transform_told(argument: Node) -> str:
    """The detail of a problem about an `Fn::Transform` that is left: the macro that it calls."""
    called = argument.items[0] if isinstance(argument, Items) and argument.items else argument
    named = called.get("Name") if isinstance(called, Fields) else None
    if not isinstance(named, Scalar) or named.value is None:
        return "Fn::Transform calls a program by its Name; Tenuto has only AWS::Include."
    return (
        f"Fn::Transform calls {named.text}, a program that rewrites the template, and it runs only inside "
        "CloudFormation; Tenuto has only AWS::Include."
    )


_LENGTHS = {
    "Fn::Join": (2,),
    "Fn::Select": (2,),
    "Fn::Split": (2,),
    "Fn::Cidr": (2, 3),
    "Fn::FindInMap": (3, 4),
    "Fn::If": (3,),
    "Fn::Equals": (2,),
    "Fn::Not": (1,),
    "Fn::And": tuple(range(2, 11)),
    "Fn::Or": tuple(range(2, 11)),
}


def is_well_formed(name: str, argument: Node) -> bool:
    """Whether the argument has the form that the function needs."""
    if name in _LENGTHS:
        if not isinstance(argument, Items) or len(argument.items) not in _LENGTHS[name]:
            return False
        return name not in ("Fn::Join", "Fn::Split", "Fn::If") or is_text(argument.items[0])
    if name == "Ref":
        return is_text(argument)
    if name == "Fn::Sub":
        return is_text(argument) or (
            isinstance(argument, Items)
            and len(argument.items) == 2
            and is_text(argument.items[0])
            and isinstance(argument.items[1], Fields)
        )
    if name == "Fn::GetAtt":
        if isinstance(argument, Items):
            return len(argument.items) >= 2 and is_text(argument.items[0])
        return is_text(argument) and "." in text(argument).strip(".")
    if name in LANGUAGE_EXTENSIONS:
        return isinstance(argument, Items) or call_of(argument) is not None or _is_object(name, argument)
    return not isinstance(argument, Items) and not (isinstance(argument, Scalar) and argument.value is None)


def _is_object(name: str, argument: Node) -> bool:
    return name == "Fn::ToJsonString" and isinstance(argument, Fields)


def is_text(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is not None


def text(node: Node) -> str:
    return node.text if isinstance(node, Scalar) else ""


def items(node: Node) -> tuple[Node, ...]:
    return node.items if isinstance(node, Items) else ()


def call_of(node: Node) -> tuple[str, Node] | None:
    """The function and its argument, for a mapping that is a function call."""
    if not isinstance(node, Fields) or len(node.entries) != 1:
        return None
    entry = node.entries[0]
    return (entry.name, entry.value) if entry.name == "Ref" or entry.name.startswith("Fn::") else None
