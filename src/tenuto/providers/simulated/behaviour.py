"""The behaviour of a simulated cloud: real clouds differ in these points, and the Conductor must live with all."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tenuto.model.consistency import EVENTUAL, Consistency
from tenuto.model.ids import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """The behaviour of a simulated cloud: given when it is made, and never changed."""

    zones: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: {
            "sim-1": ("sim-1a", "sim-1b", "sim-1c"),
            "sim-2": ("sim-2a", "sim-2b"),
            "us-east-1": ("us-east-1a", "us-east-1b", "us-east-1c"),
        }
    )
    """The regions, each with its zones."""
    accounts: Mapping[str, str] = field(default_factory=lambda: {"default": "111111111111"})
    honours_tokens: bool = True
    """True when a create with a used token and the same properties returns the same thing."""
    visible_after_s: float = 0.0
    """Seconds for which a new thing cannot be seen, found, changed or deleted."""
    consistency: Consistency = EVENTUAL
    """The consistency that the provider states: immediate would be allowed, and these worlds expect the worst."""
    lookups: Mapping[str, Json] = field(default_factory=dict)
