"""The limits of the kinds of volumes: sizes, operations and throughput, as ordered and as modified."""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sort:
    """One type of volumes: GiB, IOPS and MiB/s from and to. Without bounds, it takes no such parameter."""

    size: tuple[int, int]
    iops: tuple[int, int] | None = None
    throughput: tuple[int, int] | None = None
    iops_needed: bool = False
    several: bool = False
    """Whether several instances can share one."""


_SORTS: Mapping[str, _Sort] = {
    "gp2": _Sort(size=(1, 16_384)),
    "gp3": _Sort(size=(1, 65_536), iops=(3_000, 80_000), throughput=(125, 2_000)),
    "io1": _Sort(size=(4, 16_384), iops=(100, 64_000), iops_needed=True, several=True),
    "io2": _Sort(size=(4, 65_536), iops=(100, 256_000), iops_needed=True, several=True),
    "sc1": _Sort(size=(125, 16_384)),
    "st1": _Sort(size=(125, 16_384)),
    "standard": _Sort(size=(1, 1_024)),
}
_PER_GIB = 3
_LEAST_IOPS = 100
_MOST_IOPS = 16_000


def check(wanted: Data) -> None:
    """Check a volume as it would be: its type, and the other ordered values. Raises Refusal."""
    name = wanted["VolumeType"]
    sort = _SORTS[name]
    if not sort.size[0] <= wanted["Size"] <= sort.size[1]:
        raise _invalid(f"Volume of {wanted['Size']}GiB is invalid; {name} takes {sort.size[0]} to {sort.size[1]} GiB.")
    for key, bounds in (("Iops", sort.iops), ("Throughput", sort.throughput)):
        value = wanted.get(key)
        if value is None:
            continue
        if bounds is None:
            raise Refusal("InvalidParameterDependency", f"The parameter {key} is not supported for {name} volumes.")
        if not bounds[0] <= value <= bounds[1]:
            raise _invalid(f"{key} of {value} is not supported; {name} takes {bounds[0]} to {bounds[1]}.")
    if sort.iops_needed and wanted.get("Iops") is None:
        raise Refusal("InvalidParameterDependency", f"The parameter iops must be specified for {name} volumes.")
    if wanted.get("MultiAttachEnabled") and not sort.several:
        raise Refusal("InvalidParameterCombination", f"Multi-Attach is not supported for {name} volumes.")


def shown(wanted: Data) -> Data:
    """The IOPS and the throughput that AWS shows, ordered or not."""
    name = wanted["VolumeType"]
    found: Data = {"MultiAttachEnabled": bool(wanted.get("MultiAttachEnabled"))}
    if name == "gp3":
        found |= {"Iops": wanted.get("Iops") or 3000, "Throughput": wanted.get("Throughput") or 125}
    elif name == "gp2":
        found["Iops"] = min(max(_PER_GIB * wanted["Size"], _LEAST_IOPS), _MOST_IOPS)
    elif wanted.get("Iops"):
        found["Iops"] = wanted["Iops"]
    return found


def _invalid(why: str) -> Refusal:
    return Refusal("InvalidParameterValue", why)
