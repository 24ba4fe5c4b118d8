"""Scalars and their rules: the types that CloudFormation turns them into, and the rules of a schema."""

import ipaddress
import re
import warnings
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from tenuto.compositions.checks.patterns import Pattern, PatternError, compile_pattern
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.codes import Code
from tenuto.compositions.diagnostics.nodes import TRUTH, Scalar
from tenuto.compositions.diagnostics.problems import listed
from tenuto.kit.nearest import did_you_mean
from tenuto.model.ids import Json, JsonMap

IMPOSSIBLE: Final = object()
"""Answers that a scalar cannot be turned into any of the types."""

_WHOLE = re.compile(r"[-+]?[0-9]+(\.0+)?")
_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-[0-9]")
_IPV4_ONLY = frozenset({"CidrBlock", "CidrIp", "CIDRIP"})
_ROUTE = "AWS::EC2::Route"
"""Property names, and a type, that have another property for IPv6. cfn-lint adds `ipv4-network` to a schema by the name
of a property. Under other names services take both: routes of transit gateways, pools of IPAM, places of Route 53."""
_LONGEST_MATCHED = 4096
"""Characters. A pattern that looks aside is left to Python's engine, which may go back as often as the text is long."""


def coerce(node: Scalar, types: frozenset[str]) -> Json:
    """The value in one of the types; as it is when there is no choice to make; IMPOSSIBLE when it fits none."""
    if not types or _own_type(node) in types:
        return node.value
    if "boolean" in types and node.text.lower() in TRUTH:
        return TRUTH[node.text.lower()]
    if not isinstance(node.value, bool):
        if "integer" in types and _WHOLE.fullmatch(node.text.strip()):
            return int(float(node.text)) if "." in node.text else int(node.text)
        if "number" in types:
            number = _number(node.text)
            if number is not None:
                return number
    if "string" in types:
        return node.text
    return IMPOSSIBLE


def _own_type(node: Scalar) -> str:
    if isinstance(node.value, bool):
        return "boolean"
    if isinstance(node.value, int):
        return "integer"
    return "number" if isinstance(node.value, float) else "string"


def _number(text: str) -> int | float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    if number != number or number in (float("inf"), float("-inf")):
        return None
    return int(text) if _WHOLE.fullmatch(text) and "." not in text else number


def faults(value: Json, rule: JsonMap, name: str, type_name: str) -> Iterator[tuple[Code, str, str]]:
    """The faults of a value that has the right type by a schema: code, detail and hint of each."""
    yield from _choice(value, rule, name)
    if isinstance(value, str):
        yield from _text(value, rule, name)
        yield from _network(value, str(rule.get("format")), name, type_name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        low, high = rule.get("minimum"), rule.get("maximum")
        if low is not None and value < low:
            yield codes.PROPERTY_RANGE, f"{name} is {value}, and must be at least {low}.", ""
        if high is not None and value > high:
            yield codes.PROPERTY_RANGE, f"{name} is {value}, and must be at most {high}.", ""


def _choice(value: Json, rule: JsonMap, name: str) -> Iterator[tuple[Code, str, str]]:
    allowed = [str(choice) for choice in rule.get("enum", ())] or [
        *([str(rule["const"])] if "const" in rule else []),
    ]
    if allowed and _spelled(value) not in {_spelled(choice) for choice in allowed}:
        yield codes.NOT_IN_ENUM, f"{name} is {value!r}, and must be one of {listed(allowed)}.", _guess(value, allowed)
    folded = [str(choice) for choice in rule.get("enumCaseInsensitive", ())]
    if folded and _spelled(value).casefold() not in {choice.casefold() for choice in folded}:
        yield codes.NOT_IN_ENUM, f"{name} is {value!r}, and must be one of {listed(folded)}.", _guess(value, folded)


def _guess(value: Json, allowed: list[str]) -> str:
    return did_you_mean(str(value), allowed)


def _spelled(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _text(value: str, rule: JsonMap, name: str) -> Iterator[tuple[Code, str, str]]:
    shortest, longest = rule.get("minLength"), rule.get("maxLength")
    if shortest is not None and len(value) < shortest:
        yield codes.PROPERTY_LENGTH, f"{name} has {len(value)} characters, and must have at least {shortest}.", ""
    if longest is not None and len(value) > longest:
        yield codes.PROPERTY_LENGTH, f"{name} has {len(value)} characters, and must have at most {longest}.", ""
    pattern = rule.get("pattern")
    if isinstance(pattern, str) and matches(pattern, value) is False and not _is_length_alone(pattern, value, rule):
        yield codes.PROPERTY_PATTERN, f"{name} is {value!r}, and does not match {pattern}.", ""
    if name.rpartition(".")[2] == "AvailabilityZone" and _REGION.fullmatch(value):
        zone = f"Zones have a letter more, such as {value}a; Fn::GetAZs lists those of the account."
        yield codes.PROPERTY_PATTERN, f"{name} is {value!r}, which names a region and no zone.", zone


def _is_length_alone(pattern: str, value: str, rule: JsonMap) -> bool:
    """Whether the value breaks the pattern by its length alone, which has a fault of its own: the same characters in a
    right number match. Two faults of one cause would ask for two corrections."""
    shortest, longest = rule.get("minLength", 0), rule.get("maxLength", len(value))
    if shortest <= len(value) <= longest:
        return False
    fitted = (value * shortest)[:shortest] if len(value) < shortest else value[:longest]
    return not value or matches(pattern, fitted) is True


def _network(value: str, form: str, name: str, type_name: str) -> Iterator[tuple[Code, str, str]]:
    last = name.rpartition(".")[2]
    if form == "ipv4-network" and (last in _IPV4_ONLY or type_name == _ROUTE):
        kind, versions = "IPv4 address block", {4}
    elif form in ("ipv4-network", "ipv6-network"):
        kind, versions = ("address block", {4, 6}) if form == "ipv4-network" else ("IPv6 address block", {6})
    else:
        return
    if _version(value) not in versions:
        yield codes.NOT_A_NETWORK, f"{name} is {value!r}, which is no {kind}.", ""


def matches(pattern: str, value: str) -> bool | None:
    """Whether the pattern is found in the value; None when Python cannot tell: schemas hold Java's and ECMA's."""
    compiled = _compiled(pattern)
    if compiled is None or len(value) > _LONGEST_MATCHED:
        return None
    if isinstance(compiled, Pattern):
        return compiled.is_in(value)
    return compiled.search(value) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Pattern | re.Pattern[str] | None:
    """RE2's, since some of the published patterns take exponential time in Python's engine; or Python's, for the few
    (one in thirty) that RE2 cannot read. They are AWS's, not those of a user.
    """
    # In a character class, Java and ECMA read [[:…] and && differently; Python warns where it may misunderstand.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            readable = re.compile(pattern)
        except (re.error, Warning, OverflowError, RecursionError):
            return None
    try:
        return compile_pattern(pattern)
    except PatternError:
        return readable


def _version(value: str) -> int | None:
    """The version of IP of an address block; None of a text that is none."""
    try:
        return ipaddress.ip_network(value, strict=False).version if "/" in value else None
    except ValueError:
        return None
