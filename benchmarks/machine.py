"""The machine that the numbers are of."""

import os
import platform
import sqlite3
from importlib.metadata import version
from typing import Any

from benchmarks.measuring import calibration_s


def facts() -> dict[str, Any]:
    """What a reader needs to judge the numbers by. `calibration_s` and the load say how quiet it was."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = {line.partition(":")[2].strip() for line in file if line.startswith("model name")}
    with open("/proc/meminfo", encoding="utf-8") as file:
        memory_gb = int(file.readline().split()[1]) / 1_048_576
    return {
        "processors": os.cpu_count(),
        "model": ", ".join(sorted(models)),
        "memory_gb": round(memory_gb, 1),
        "system": platform.platform(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "botocore": version("botocore"),
        "load": [round(one, 1) for one in os.getloadavg()],
        "calibration_s": round(calibration_s(), 3),
    }
