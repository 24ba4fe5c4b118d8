"""The offer of a host: values that no host has are refused before anything of them is kept."""

import pytest

from tenuto.model.enrolled_host import EnrolledHost
from tenuto.model.ids import Instant, JsonMap
from tenuto.providers.local.hosts.lines import Lines
from tenuto.providers.local.hosts.offers import problem_of, shown_troubles
from tenuto.providers.local.rules.machines.abilities import ABILITIES
from tenuto.providers.local.wire.messages import Poll, Register, read

TOLD: JsonMap = {
    "versions": [1],
    "boot_id": "b",
    "driver": "qemu",
    "cores": 2,
    "memory_mib": 4096,
    "disk_gib": 100,
    "program": "1.2",
    "held": ["11111111-1111-4111-8111-111111111111"],
    "abilities": [one.value for one in ABILITIES],
}


def test_an_offer_of_a_host_has_no_problem() -> None:
    assert problem_of(read(Register, TOLD)) == ""
    assert problem_of(read(Register, {**TOLD, "disk_gib": None, "memory_mib": 0})) == ""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cores", 0),
        ("cores", -1),
        ("cores", 10**40),
        ("memory_mib", -5),
        ("memory_mib", 10**30),
        ("disk_gib", 10**30),
        ("peer_port", -1),
        ("peer_port", 10**9),
        ("driver", "x\x1b[31m"),
        ("driver", ""),
        ("driver", "docker"),
        ("program", "x" * 10**6),
        ("program", "1\n2"),
        ("accelerator", "\x1b[2J"),
        ("boot_id", "b\x00"),
        ("run", "r" * 301),
        ("secret_digest", "d" * 301),
        ("secret_digest", "no digest"),
        ("peer_fingerprint", "zz\n"),
        ("abilities", ["a\u202eb"]),
        ("abilities", ["a"] * 101),
        ("held", ["../../etc/passwd\x00"]),
    ],
)
def test_values_that_no_host_has_are_refused_by_their_name(name: str, value: object) -> None:
    assert problem_of(read(Register, {**TOLD, name: value})).startswith(name)


def test_troubles_are_few_short_lines_without_signs_of_control() -> None:
    told = ["\x1b[2Jthe disk\n is  full", "", "x" * 1000, *("more" for _ in range(20))]
    first, second, *rest = shown_troubles(told)
    assert first == "[2Jthe disk is full"
    assert (len(second), second[-1], len(rest)) == (400, "…", 3)


def test_the_presence_of_a_host_has_the_troubles_of_its_last_call() -> None:
    lines, host = (
        Lines(lambda: 1, lambda: 0.0),
        EnrolledHost(zone="z", name="h1", enrolled_at=Instant(0), enrolled_by="ann"),
    )
    lines.begin("z", "h1", "r", Register(versions=(1,), boot_id="b", driver="memory", cores=1, memory_mib=1))
    for troubles in (("the disk is full",), ()):
        lines.hear("z", "h1", Poll(registration="r", troubles=troubles), lambda: None)
        assert lines.presence(host).troubles == troubles
