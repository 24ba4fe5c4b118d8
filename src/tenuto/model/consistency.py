"""The consistency of a provider: some clouds answer from replicas, and a hypervisor answers from itself."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Consistency:
    """Seconds for which an answer may be old. Given with each resource type by its provider."""

    visible_s: float = 60.0
    """Seconds for which a new thing may stay invisible. AWS says "up to minutes" of its worst cases. A thing that takes
    longer counts as lost; when the answer to its creation was lost too, it is made twice."""
    settled_s: float = 5.0
    """Seconds after our own change for which a sweep may still show the older state: EC2 shows most changes within two
    seconds. A property that takes longer is corrected once more, which changes nothing."""
    gap_s: float = 2.0
    """Two sightings of an absence must be this far apart to be two: EC2 settles most reads within a second. With 0, one
    complete sweep proves an absence."""


EVENTUAL = Consistency()
"""The consistency of a cloud of which nothing better is known."""
IMMEDIATE = Consistency(visible_s=0.0, settled_s=0.0, gap_s=0.0)
"""The consistency of a provider whose every answer is about this moment."""
