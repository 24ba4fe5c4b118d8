"""Single values as texts, in which they are compared."""

import ipaddress
import re

from tenuto.model.ids import Json
from tenuto.model.resource import Comparison, Rule
from tenuto.model.spelling import Words

_HOUR_S = 3600
_NO_FRACTION = re.compile(r"\.0+(?=Z$)")


def scalar(value: Json, rule: Rule | None = None) -> str:
    """A scalar as text, so that "true" is true and "100" is 100, like CloudFormation has it."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, float) and value.is_integer():
        text = str(int(value))
    else:
        text = str(value)
    if rule is Comparison.FOLDED:
        return text.casefold()
    if rule is Comparison.MOMENT:
        return _NO_FRACTION.sub("", text)
    if rule is Comparison.HOUR:
        return str(int(text) // _HOUR_S) if text.isdecimal() else text
    if rule is Comparison.POINTER:
        return unescaped(text)
    if rule is Comparison.CIDR:
        return _network(text)
    if isinstance(rule, Words):
        word = text.casefold() if rule.is_folded else text
        return rule.same.get(word, word)
    return text


def unescaped(path: str) -> str:
    """A path with one slash before each part, however it was written: `/~1pets` and `/pets` are one."""
    plain = path.replace("~1", "/").replace("~0", "~")
    return f"/{plain.lstrip('/')}"


def _network(text: str) -> str:
    try:
        return str(ipaddress.ip_network(text, strict=False))
    except ValueError:
        return text
