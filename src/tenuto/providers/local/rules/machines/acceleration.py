"""The verdict on KVM: whether virtual machines could run with it on a host, and how that is told.

Theory of operation. The speed of a counted loop decides, and not whether the device is there: a KVM that emulates each
instruction is slower than QEMU's own emulation, which does some hundred million steps a second.
"""

from dataclasses import dataclass

LEAST_STEPS = 50_000_000
"""Steps a second from which KVM counts as one: emulated ones were seen at one million, and real ones do over a
thousand million. To be checked on more hardware."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The result of the loop: its speed, or why there is none."""

    steps_a_second: float = 0.0
    failure: str = ""


def is_usable(measured: Measured) -> bool:
    """Whether KVM is good for virtual machines."""
    return not measured.failure and measured.steps_a_second >= LEAST_STEPS


def in_words(measured: Measured) -> str:
    """Tell a result, for people."""
    if measured.failure:
        return f"KVM is not usable: {measured.failure}"
    millions = f"{measured.steps_a_second / 1e6:,.1f} million steps a second"
    if is_usable(measured):
        return f"KVM is usable: {millions}"
    return f"KVM is not usable: it does {millions}, and {LEAST_STEPS / 1e6:.0f} are needed"


def accelerator_in_words(measured: Measured) -> str:
    """Tell how the virtual machines of a host run, and why. All are emulated until KVM was tried on hardware."""
    unused = ", and is not used yet" if is_usable(measured) else ""
    return f"emulation ({in_words(measured)}{unused})"
