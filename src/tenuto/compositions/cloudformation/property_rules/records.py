"""Values of records of Route 53, by type.

https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/ResourceRecordTypes.html
"""

import ipaddress
from collections.abc import Mapping

from tenuto.compositions.cloudformation.property_rules.conditions import words
from tenuto.compositions.cloudformation.property_rules.forms import Form
from tenuto.compositions.cloudformation.property_rules.rule import Rule
from tenuto.compositions.cloudformation.property_rules.values import Value
from tenuto.kit.digits import is_digits

_LARGEST = 65_535


def records(path: str = "") -> tuple[Rule, ...]:
    """The rules for a mapping that is a record."""
    return tuple(
        Value(path=path, when={"Type": words(types)}, of="ResourceRecords.*", form=form)
        for types, form in _FORMS.items()
    )


def _ipv4(text: str) -> str:
    return "" if _version(text) == 4 else "and must be an IPv4 address"


def _ipv6(text: str) -> str:
    return "" if _version(text) == 6 else "and must be an IPv6 address"


def _version(text: str) -> int:
    try:
        return ipaddress.ip_address(text.strip()).version
    except ValueError:
        return 0


def _quoted(text: str) -> str:
    found = text.strip()
    return "" if len(found) > 1 and found[0] == found[-1] == '"' else "and must stand in double quotes of its own"


def _numbers_first(count: int, told: str) -> Form:
    """The form of so many numbers, with one word behind them."""

    def form(text: str) -> str:
        parts = text.split()
        is_good = len(parts) == count + 1 and all(is_digits(part) and int(part) <= _LARGEST for part in parts[:-1])
        return "" if is_good else f"and must be {told}"

    return form


_FORMS: Mapping[str, Form] = {
    "a": _ipv4,
    "aaaa": _ipv6,
    "txt spf": _quoted,
    "mx": _numbers_first(1, "a priority and a mail server, such as 10 mail.example.com"),
    "srv": _numbers_first(3, "a priority, a weight, a port and a server, such as 1 10 5269 xmpp.example.com"),
}
