"""The verdicts that a phase run may give for one object: a closed union.

No word at all is `Sleep()`: the object is still under way and is given to the plugin again after the phase's delay.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Complete:
    """The phase succeeded. `message` replaces whatever the phase last said of itself."""

    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail:
    """The phase failed: somebody must act, then retry. `code` and `request_id` are the provider's own."""

    message: str
    code: str = ""
    request_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sleep:
    """Still under way. `seconds` is counted from the end of the run; None is the phase's delay.

    An empty `message` keeps what the phase said before. `code` and `request_id` are set when a transient fault is the
    cause.
    """

    seconds: float | None = None
    message: str = ""
    code: str = ""
    request_id: str = ""


Verdict = Complete | Fail | Sleep
