"""The regions of AWS, so that one that does not exist is refused where it is given, and not by the first call.

Theory of operation. The list is that of botocore, read as data and when it is first needed: its code stays in the
provider, and loading it would cost more than a command. A version of Tenuto can be older than a region. So the list can
be added to (`more_regions` of the settings), on purpose and by name: a flag that turns the check off would be copied
into scripts, and the next slip of a finger with it. Whether an account has enabled a region is not known here; AWS says
that. Emulators and other endpoints take the regions of the list too, because clients can be made for no others.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tenuto.kit.nearest import meant

_FORM = re.compile(r"[a-z][a-z0-9-]{1,31}")
_SEPARATORS = re.compile(r"[\s,]+")


@dataclass(frozen=True, slots=True)
class Regions:
    """The regions that may be named: those of the list, and `more`."""

    more: tuple[str, ...] = ()

    @staticmethod
    def parse(text: str) -> "Regions":
        """Parse names that are separated by spaces or commas; raises ValueError."""
        names = tuple(one for one in _SEPARATORS.split(text) if one)
        for one in names:
            if not _FORM.fullmatch(one):
                raise ValueError(f"{one!r} is no region such as eu-west-1")
        return Regions(tuple(dict.fromkeys(names)))

    def __str__(self) -> str:
        return ", ".join(self.more)

    def missing(self, region: str) -> str:
        """Return why the region cannot be named, for people; empty for one that exists."""
        known = _listed()
        if region in known or region in self.more:
            return ""
        is_possible = _FORM.fullmatch(region) is not None and region[-1].isdigit()
        newer = " A region that is newer than this version of Tenuto is named in TENUTO_MORE_REGIONS."
        guess = meant(region, [*known, *self.more]) or _named_after(region)
        return f"There is no region {region}.{guess}{newer if is_possible else ''}"

    def partition(self, region: str) -> str:
        """The partition of AWS that the region is in, such as aws or aws-cn; empty for one that is not listed."""
        found = _listed().get(region)
        return found.name if found is not None else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AwsPartition:
    """A part of AWS that shares no account with another one: the usual one is `aws`."""

    name: str
    suffix: str
    """The domain of its services, such as amazonaws.com.cn."""
    home: str
    """The region where services are asked that the whole partition shares."""
    addresses: tuple[str, ...]
    """The domains of all its addresses."""
    regions: tuple[str, ...]
    form: str
    """The pattern of the names of its regions, those to come among them."""


LISTED = Regions()
"""The regions of the list and no more."""


def names_aws(types: Iterable[str]) -> bool:
    """Whether one of the resource types, or of texts that begin with them, is of AWS. Regions of others are theirs."""
    return any(one.startswith("AWS::") for one in types)


def aws_partition(region: str) -> AwsPartition:
    """The partition that a region is in. One that is not listed is in that whose regions have such names, and any other
    place in the usual one."""
    likely = (one for one in aws_partitions() if re.fullmatch(one.form, region))
    return _listed().get(region) or next(likely, aws_partitions()[0])


@lru_cache(maxsize=1)
def aws_partitions() -> tuple[AwsPartition, ...]:
    """All partitions; the one of usual accounts is the first."""
    return tuple(
        AwsPartition(
            name=one["id"],
            suffix=one["outputs"]["dnsSuffix"],
            home=one["outputs"]["implicitGlobalRegion"],
            addresses=(one["outputs"]["dnsSuffix"], one["outputs"]["dualStackDnsSuffix"]),
            regions=tuple(name for name in one["regions"] if not name.endswith("-global")),
            form=one["regionRegex"],
        )
        for one in _partitions()
    )


def _named_after(place: str) -> str:
    """The hint for the name of a city, or of another place that AWS gives in brackets: Europe (Frankfurt)."""
    word = place.strip().casefold()
    for partition in _partitions():
        found = [
            name
            for name, region in partition["regions"].items()
            if word and f"({word})" in str(region.get("description", "")).casefold()
        ]
        if found:
            # The partition of usual accounts is the first one.
            return f" Did you mean {' or '.join(sorted(found))}?"
    return " Regions have names such as eu-central-1."


@lru_cache(maxsize=1)
def _listed() -> Mapping[str, AwsPartition]:
    """The partition of each region."""
    return {region: partition for partition in aws_partitions() for region in partition.regions}


@lru_cache(maxsize=1)
def _partitions() -> Sequence[Mapping[str, Any]]:
    """The partitions of AWS, as botocore knows them."""
    # Imported here because the settings, which every command reads, only carry names.
    from importlib.util import find_spec

    spec = find_spec("botocore")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("the package botocore, which carries the list of regions, is not installed")
    path = Path(spec.submodule_search_locations[0]) / "data" / "partitions.json"
    found: Sequence[Mapping[str, Any]] = json.loads(path.read_bytes())["partitions"]
    return found
