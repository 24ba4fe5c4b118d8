"""The probe of a machine that could be a host: KVM is measured in a child process, and judged by its speed."""

import json
import os
import sys
from pathlib import Path

import pytest

from tenuto.providers.local.probe import measured_kvm
from tenuto.providers.local.rules.machines.acceleration import (
    LEAST_STEPS,
    Measured,
    accelerator_in_words,
    in_words,
    is_usable,
)


def test_a_loop_that_never_ends_is_ended_and_told(tmp_path: Path) -> None:
    ran = tmp_path / "pid"
    loop = ("sh", "-c", f"echo $$ > {ran}; exec sleep 600")
    found = measured_kvm(loop, device=tmp_path, patience_s=2.0)
    assert "did not end within 2 s, and was ended" in found.failure
    with pytest.raises(ProcessLookupError):
        os.kill(int(ran.read_text()), 0)


@pytest.mark.parametrize(
    ("told", "failure"),
    [
        (json.dumps({"failure": "Permission denied"}), "Permission denied"),
        ("", "its loop ended with 0 and told nothing"),
        ("[]", "its loop ended with 0 and told nothing"),
        ('{"steps_a_second": "many"}', "its loop ended with 0 and told nothing"),
    ],
)
def test_a_loop_that_fails_is_told_by_its_cause(tmp_path: Path, told: str, failure: str) -> None:
    found = measured_kvm((sys.executable, "-c", f"print({told!r})"), device=tmp_path)
    assert found == Measured(failure=failure)
    assert in_words(found) == f"KVM is not usable: {failure}"


def test_a_machine_without_the_device_runs_no_loop(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    found = measured_kvm(("touch", str(ran)), device=tmp_path / "kvm")
    assert "there is no" in found.failure
    assert not ran.exists()


def test_the_speed_decides_and_not_that_the_loop_ended(tmp_path: Path) -> None:
    loop = (sys.executable, "-c", 'print("""{"steps_a_second": 1153478.2}""")')
    slow = measured_kvm(loop, device=tmp_path)
    assert not is_usable(slow)
    assert in_words(slow) == "KVM is not usable: it does 1.2 million steps a second, and 50 are needed"
    assert accelerator_in_words(slow).startswith("emulation (KVM is not usable")
    fast = Measured(steps_a_second=LEAST_STEPS)
    assert is_usable(fast)
    assert accelerator_in_words(fast) == ("emulation (KVM is usable: 50.0 million steps a second, and is not used yet)")
