"""The probe of this machine as a document: its abilities as a host of each driver."""

from tenuto.model.agent_driver import DRIVERS, PRIVILEGED
from tenuto.model.ids import JsonMap
from tenuto.providers.local.probe import probe
from tenuto.providers.local.rules.machines.acceleration import in_words, is_usable


def probed() -> JsonMap:
    """Try everything. The driver of things in memory needs nothing."""
    found = probe([one for one in DRIVERS if one in PRIVILEGED])
    return {
        "drivers": [
            {"driver": one, "usable": not why, "obstacle": why or None} for one, why in sorted(found.obstacles.items())
        ],
        "kvm": {
            "usable": is_usable(found.kvm),
            "steps_a_second": round(found.kvm.steps_a_second) or None,
            "failure": found.kvm.failure or None,
            "told": in_words(found.kvm),
        },
        "warnings": [found.warning] if found.warning else [],
    }
