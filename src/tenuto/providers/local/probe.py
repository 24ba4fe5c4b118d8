"""The probe of this machine: its abilities as a host, each tried.

Theory of operation. KVM is tried in a child process with a hard limit, because running a guest may never come back. The
driver itself tries its needs, so that the probe and the agent never differ.
"""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from tenuto.providers.local.drivers.ns import firewall
from tenuto.providers.local.kvm_loop import DEVICE
from tenuto.providers.local.rules.machines.acceleration import Measured

PATIENCE_S = 5.0
"""Seconds for the loop. A usable KVM takes a tenth of one."""
_REAP_S = 1.0
"""Seconds for the end of a child that was killed."""
_LOOP = (sys.executable, "-m", "tenuto.providers.local.kvm_loop")


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """The result: by driver, why this machine cannot be a host of it (empty where it can), how fast KVM is, and a
    warning of rules that keep networks from the outside (empty where there are none)."""

    obstacles: Mapping[str, str]
    kvm: Measured
    warning: str


def probe(drivers: Sequence[str]) -> Probed:
    """Try the needs of the drivers, and KVM."""
    obstacles = {one: import_module(f"tenuto.providers.local.drivers.{one}.host").obstacle() for one in drivers}
    return Probed(obstacles=obstacles, kvm=measured_kvm(), warning=firewall.warning() if drivers else "")


def measured_kvm(
    loop: Sequence[str] = _LOOP, *, device: Path = Path(DEVICE), patience_s: float = PATIENCE_S
) -> Measured:
    """Run the loop in a child process, and end it when it takes too long."""
    if not device.exists():
        return Measured(failure=f"there is no {device}")
    null = subprocess.DEVNULL
    child = subprocess.Popen(loop, stdout=subprocess.PIPE, stderr=null, stdin=null)
    try:
        text, _ = child.communicate(timeout=patience_s)
    except subprocess.TimeoutExpired:
        child.kill()
        with suppress(subprocess.TimeoutExpired):  # A kernel that does not give it back holds up no other work.
            child.communicate(timeout=_REAP_S)
        return Measured(failure=f"a loop of a guest did not end within {patience_s:g} s, and was ended")
    try:
        told = json.loads(text)
        failure, speed = str(told.get("failure", "")), float(told.get("steps_a_second", 0.0))
    except (ValueError, AttributeError, TypeError):
        return Measured(failure=f"its loop ended with {child.returncode} and told nothing")
    return Measured(steps_a_second=speed, failure=failure)
