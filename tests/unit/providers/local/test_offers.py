"""The offer of a host: values that no host has are refused before anything of them is kept."""

import pytest

from tenuto.model.ids import JsonMap
from tenuto.providers.local.hosts.offers import problem_of
from tenuto.providers.local.rules.machines.abilities import ABILITIES
from tenuto.providers.local.wire.messages import Register, read

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
