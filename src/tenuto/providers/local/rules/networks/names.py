"""The names that a network serves: those of the machines on it, and those that its composition declares.

Theory of operation. A name without a dot is one in the domain of the network, which is that of its namespace and its
zone; any other is served as it is. A declared name takes the place of a machine's, since it was written on purpose.
Machines that share a name share the answer.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from tenuto.providers.local.rules.networks.addresses import is_ipv4

DOMAIN, NAMES = "Domain", "Names"
"""The attributes of a network: the domain of its machines, and the pairs of a name and an address that it serves."""
LONGEST_NAME = 253
MOST_RECORDS = 1000
"""The most names that one network declares: each is a line that its server reads at every change."""
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?")
_NOT_IN_LABELS = re.compile(r"[^a-z0-9-]+")


def domain_of(namespace: str, zone: str) -> str:
    """The domain of the networks of a namespace in a zone: both names, with other characters than those of labels left
    out."""
    labels = (_NOT_IN_LABELS.sub("-", one.lower())[:63].strip("-") for one in (namespace, zone))
    return ".".join(label for label in labels if label) or "local"


def name_problem(name: str) -> str:
    """Return why a text is no name, for people; empty for one that is."""
    if len(name) <= LONGEST_NAME and all(_LABEL.fullmatch(label) for label in name.split(".")):
        return ""
    return f"{name[:80]!r} is no name such as db or db.example.org, of small letters, digits and hyphens"


def records_problem(records: Any) -> str:
    """Return why declared names cannot be served, for people; empty when they can."""
    if not isinstance(records, Mapping):
        return "DnsRecords is no mapping of names to addresses"
    if len(records) > MOST_RECORDS:
        return f"DnsRecords has {len(records)} names: {MOST_RECORDS} is the most"
    for name, address in records.items():
        if problem := name_problem(str(name)):
            return problem
        if not isinstance(address, str) or not is_ipv4(address):
            return f"the name {name} has {address!r}, which is no IPv4 address"
    return ""


def unserved_problem(records: Mapping[str, Any], *, has_dns: bool) -> str:
    """Return why a network serves none of the names that it declares, for people; empty when it serves them."""
    if not records or has_dns:
        return ""
    return "DnsRecords has names, and the network serves none: set Dns to true, or leave DnsRecords out"


def served_names(machines: Iterable[tuple[str, str]], records: Mapping[str, str]) -> list[list[str]]:
    """The pairs of a name and an address that a network serves, in their order, each once."""
    own = {(name, address) for name, address in machines if name not in records}
    return [list(pair) for pair in sorted({*own, *records.items()})]
