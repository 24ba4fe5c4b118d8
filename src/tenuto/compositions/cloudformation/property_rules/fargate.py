"""Sizes of tasks on Fargate: each CPU takes some of the memories.

https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-cpu-memory-error.html
"""

import re
from collections.abc import Mapping

_SIZE = re.compile(r"(\d+|\d*\.\d+)\s*(vcpu|gb)?")
_UNITS = 1_024
"""CPU units of a vCPU, and MiB of a GB."""
_MEMORIES: Mapping[int, tuple[int, int, int]] = {
    256: (512, 2_048, 512),
    512: (1_024, 4_096, 1_024),
    1_024: (2_048, 8_192, 1_024),
    2_048: (4_096, 16_384, 1_024),
    4_096: (8_192, 30_720, 1_024),
    8_192: (16_384, 61_440, 4_096),
    16_384: (32_768, 122_880, 8_192),
}
"""By CPU units: the least memory, the most, and the step, in MiB. A CPU that is not here is left to AWS."""
_NOT_A_STEP = (256, 1_536)
"""The only size between the others that Fargate does not have."""


def fits_fargate(memory: str, cpu: str) -> str:
    """The memories that a CPU takes, in words, where it does not take this one; empty for unknown values."""
    size, units = _units(memory, "gb"), _units(cpu, "vcpu")
    if size is None or units is None or units not in _MEMORIES:
        return ""
    least, most, step = _MEMORIES[units]
    if least <= size <= most and (size - least) % step == 0 and (units, size) != _NOT_A_STEP:
        return ""
    if units == _NOT_A_STEP[0]:
        return "a task of this CPU takes only 512, 1024 or 2048 MiB of memory"
    return f"a task of this CPU takes only {least} to {most} MiB of memory, in steps of {step}"


def _units(text: str, unit: str) -> int | None:
    """CPU units, or MiB; None for a text that is neither."""
    found = _SIZE.fullmatch(text.strip().lower())
    if found is None or found[2] not in (None, unit):
        return None
    size = float(found[1]) * (_UNITS if found[2] else 1)
    return int(size) if size.is_integer() else None
