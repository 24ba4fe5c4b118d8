"""The faults of declarations that show before anything is stored: values that no network can have, and values that two
resources of one composition cannot share.

Theory of operation. The phases find the same faults, when other things are made already. The words are theirs, so a
person reads the same about a fault whichever of them finds it. A value that another resource will give is judged only
as far as it is known: two interfaces with the `Ref` of one network are on one network.
"""

import json
from collections.abc import Iterator, Mapping, Sequence

from tenuto.model.composition import Declaration
from tenuto.model.ids import Json, LogicalId
from tenuto.model.objection import Objection
from tenuto.providers.local.rules.networks.addresses import host_bits_problem, is_ipv4, network_problem
from tenuto.providers.local.rules.networks.names import records_problem, unserved_problem
from tenuto.providers.local.types import INSTANCE, INTERFACE, NETWORK

_BLOCK, _RECORDS, _SERVES = "CidrBlock", "DnsRecords", "Dns"
_Held = tuple[tuple[str, ...], str, str]


def unusable_networks(declared: Sequence[Declaration]) -> list[Objection]:
    """Object to blocks and names that no network can have."""
    found: list[Objection] = []
    for one in declared:
        if one.type != NETWORK:
            continue
        cidr, records = text_of(one.properties.get(_BLOCK)), one.properties.get(_RECORDS)
        problem = (network_problem(cidr[:80]) or host_bits_problem(cidr)) if cidr else ""
        if problem:
            found.append(Objection(logical_id=one.logical_id, path=_BLOCK, detail=f"{problem}.", hint=""))
        texts = isinstance(records, Mapping) and all(isinstance(value, str) for value in records.values())
        problem = records_problem(records) if texts else ""
        if not problem and isinstance(records, Mapping) and one.properties.get(_SERVES, False) is False:
            problem = unserved_problem(records, has_dns=False)
        if problem:
            found.append(Objection(logical_id=one.logical_id, path=_RECORDS, detail=f"{problem}.", hint=""))
    return found


def shared_values(declared: Sequence[Declaration]) -> list[Objection]:
    """Object to values that an earlier resource of the composition has, and that two of them cannot have."""
    holders: dict[tuple[str, ...], LogicalId] = {}
    found: list[Objection] = []
    for one in declared:
        for key, path, words in _held(one):
            holder = holders.setdefault(key, one.logical_id)
            if holder != one.logical_id:
                detail = words.format(holder=holder)
                found.append(Objection(logical_id=one.logical_id, path=path, detail=f"{detail}.", hint=""))
    return found


def text_of(value: object) -> str:
    """A text that is there already; empty for one that another resource will give."""
    return value if isinstance(value, str) else ""


def _held(one: Declaration) -> Iterator[_Held]:
    """The values that a resource has alone: each with its property, and the words for a second holder."""
    if one.type == INSTANCE:
        for name in _members(one, "Interfaces"):
            shown = name["Ref"] if isinstance(name, Mapping) and "Ref" in name else name
            if isinstance(shown, str):
                words = f"the interface {_plain(shown)} is in the instance {{holder}}: take it out there"
                yield ("plugged", _key(name)), "Interfaces", words
    if one.type == INTERFACE:
        network = one.properties.get("Network")
        if address := text_of(one.properties.get("Address")):
            yield ("address", _key(network), address), "Address", _taken(f"the address {address}")
        if mac := text_of(one.properties.get("MacAddress")):
            yield ("mac", mac), "MacAddress", _taken(f"the MAC address {mac}")
        floating = text_of(one.properties.get("Floating"))
        outside = (("Floating", floating), *(("Routed", text_of(each)) for each in _members(one, "Routed")))
        for path, address in outside:
            if is_ipv4(address):
                yield ("outside", address), path, _taken(f"the address {address}")


def _members(one: Declaration, path: str) -> Sequence[Json]:
    value = one.properties.get(path)
    return value if isinstance(value, list | tuple) else ()


def _taken(what: str) -> str:
    return f"{_plain(what)} belongs to the interface {{holder}}: choose another"


def _plain(text: str) -> str:
    """A text of a person as a part of words with a place for the holder."""
    return text[:80].replace("{", "{{").replace("}", "}}")


def _key(value: Json) -> str:
    return json.dumps(value, sort_keys=True, default=str)
