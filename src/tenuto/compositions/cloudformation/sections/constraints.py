"""Parameter types, and the constraints that a value must meet."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from tenuto.compositions.checks.patterns import PatternError, compile_pattern
from tenuto.compositions.cloudformation.reading import shape
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.codes import Code
from tenuto.compositions.diagnostics.nodes import Fields, Items, Node, Scalar
from tenuto.compositions.diagnostics.problems import Problems, listed
from tenuto.kit.nearest import did_you_mean

_PLAIN = ("String", "Number")
_AWS = (
    "AWS::EC2::AvailabilityZone::Name",
    "AWS::EC2::Image::Id",
    "AWS::EC2::Instance::Id",
    "AWS::EC2::KeyPair::KeyName",
    "AWS::EC2::SecurityGroup::GroupName",
    "AWS::EC2::SecurityGroup::Id",
    "AWS::EC2::Subnet::Id",
    "AWS::EC2::Volume::Id",
    "AWS::EC2::VPC::Id",
    "AWS::Route53::HostedZone::Id",
    "AWS::SSM::Parameter::Name",
)
_SINGLE = frozenset({*_PLAIN, *_AWS})
_LISTS = frozenset({"CommaDelimitedList", *(f"List<{name}>" for name in (*_PLAIN, *_AWS))})
_BEGINNINGS = {
    "AWS::EC2::Image::Id": "ami-",
    "AWS::EC2::Instance::Id": "i-",
    "AWS::EC2::SecurityGroup::Id": "sg-",
    "AWS::EC2::Subnet::Id": "subnet-",
    "AWS::EC2::Volume::Id": "vol-",
    "AWS::EC2::VPC::Id": "vpc-",
}
"""An id of another kind is refused by the first call that uses it; only AWS can judge the rest of it."""
_LOOKUP = re.compile(r"AWS::SSM::Parameter::Value<(.+)>")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterType:
    is_list: bool = False
    is_number: bool = False
    is_lookup: bool = False
    beginning: str = ""
    """The beginning of every value, where it is an id of EC2."""


def parameter_type(spelled: str) -> ParameterType | None:
    """The meaning of CloudFormation's name of a type; None when it is no such name."""
    lookup = _LOOKUP.fullmatch(spelled)
    inner = lookup[1] if lookup else spelled
    if inner not in _SINGLE and inner not in _LISTS:
        return None
    is_number = not lookup and inner in ("Number", "List<Number>")
    beginning = "" if lookup else _BEGINNINGS.get(inner.removeprefix("List<").removesuffix(">"), "")
    return ParameterType(is_list=inner in _LISTS, is_number=is_number, is_lookup=bool(lookup), beginning=beginning)


def known_types() -> tuple[str, ...]:
    plain = (*sorted(_SINGLE), *sorted(_LISTS))
    return (*plain, *(f"AWS::SSM::Parameter::Value<{name}>" for name in plain))


def members(value: str) -> list[str]:
    """The items of a comma-delimited value, without the spaces around them.

    An empty value has one empty item, as in CloudFormation: templates ask for it by `!Select [0, !Ref List]`.
    """
    return [member.strip() for member in value.split(",")]


def check(
    name: str, kind: ParameterType, node: Fields, value: str, at: Scalar, problems: Problems, *, is_secret: bool
) -> bool:
    """Whether the value is good. Each constraint that it breaks is reported; a secret is never quoted."""
    return _Check(name, kind, node, value, at, problems, is_secret).passes()


class _Check:
    def __init__(
        self, name: str, kind: ParameterType, node: Fields, value: str, at: Scalar, problems: Problems, is_secret: bool
    ) -> None:
        self._name = name
        self._kind = kind
        self._node = node
        self._value = value
        self._at = at
        self._problems = problems
        self._shown = "The value" if is_secret else repr(value)
        self._is_secret = is_secret
        self._passed = True

    def passes(self) -> bool:
        numbers = self._numbers()
        self._allowed_values()
        self._pattern()
        self._id()
        # A lookup's value is the key to look up: its length and size say nothing about the value that will be found.
        if not self._kind.is_lookup:
            self._bound("MinLength", codes.VALUE_LENGTH, lambda limit: len(self._value) >= limit, "is shorter than")
            self._bound("MaxLength", codes.VALUE_LENGTH, lambda limit: len(self._value) <= limit, "is longer than")
        if numbers is not None:
            self._bound("MinValue", codes.VALUE_RANGE, lambda limit: min(numbers) >= limit, "is less than")
            self._bound("MaxValue", codes.VALUE_RANGE, lambda limit: max(numbers) <= limit, "is more than")
        return self._passed

    def _numbers(self) -> list[float] | None:
        if not self._kind.is_number:
            return None
        try:
            return [float(member) for member in self._members()] or None
        except ValueError:
            self._fail(codes.NOT_A_NUMBER, f"{self._shown} of {self._name} is not a number.")
            return None

    def _members(self) -> list[str]:
        """The items that the constraints are about: an empty list has none."""
        if not self._kind.is_list:
            return [self._value.strip()]
        return members(self._value) if self._value else []

    def _allowed_values(self) -> None:
        node = self._node.get("AllowedValues")
        if node is None:
            return
        if not isinstance(node, Items) or not all(isinstance(item, Scalar) for item in node.items):
            self._malformed(node, "AllowedValues must be a list of texts")
            return
        allowed = [item.text for item in node.items if isinstance(item, Scalar)]
        given = self._members() if self._kind.is_list else [self._value]
        wrong = [member for member in given if member not in allowed]
        if wrong:
            shown = self._shown if len(given) == 1 else "An item of the value"
            # A secret is not quoted, and a similar value would tell of it.
            hint = did_you_mean(wrong[0], allowed) if len(wrong) == 1 and not self._is_secret else ""
            self._fail(codes.VALUE_NOT_ALLOWED, f"{shown} of {self._name} is none of {listed(allowed)}.", hint)

    def _id(self) -> None:
        given = self._members() if self._kind.is_list else [self._value.strip()]
        beginning = self._kind.beginning
        if beginning and any(member and not member.startswith(beginning) for member in given):
            self._fail(codes.WRONG_ID, f"{self._shown} of {self._name} does not begin with {beginning}.")

    def _pattern(self) -> None:
        node = self._node.get("AllowedPattern")
        if node is None or self._kind.is_number:
            return
        pattern = shape.text(node, self._problems, "AllowedPattern", codes.BAD_CONSTRAINT)
        if pattern is None:
            return
        try:
            compiled = compile_pattern(pattern, is_for_all=True)
        except PatternError as error:
            detail = f"The pattern of {self._name} is not understood here: {error}. Its values are not checked."
            self._problems.add(codes.PATTERN_UNCHECKED, node, detail)
            return
        given = self._members() if self._kind.is_list else [self._value]
        if any(not compiled.is_all_of(member) for member in given):
            self._fail(codes.PATTERN_NOT_MATCHED, f"{self._shown} of {self._name} does not match {pattern}.")

    def _bound(self, key: str, code: Code, holds: Callable[[float], bool], words: str) -> None:
        node = self._node.get(key)
        if node is None:
            return
        try:
            limit = float(node.text) if isinstance(node, Scalar) else float("nan")
        except ValueError:
            limit = float("nan")
        if limit != limit:
            self._malformed(node, f"{key} must be a number")
        elif not holds(limit):
            self._fail(code, f"{self._shown} of {self._name} {words} {key}, which is {limit:g}.")

    def _malformed(self, node: Node, detail: str) -> None:
        self._problems.add(codes.BAD_CONSTRAINT, node, f"{detail}.", subject=self._name)

    def _fail(self, code: Code, detail: str, hint: str = "") -> None:
        self._passed = False
        wish = self._node.get("ConstraintDescription")
        said = f" {wish.text}" if isinstance(wish, Scalar) and wish.text else ""
        self._problems.add(code, self._at, detail + said, subject=self._name, hint=hint)
