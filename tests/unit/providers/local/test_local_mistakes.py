"""Mistakes in compositions of the local cloud: the compiler refuses them, with their line, before anything exists."""

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic

MISTAKES = [
    ("Instance", "Vcpus: 0, MemoryMiB: 512", "Vcpus is 0, and must be at least 1"),
    ("Instance", "Vcpus: many, MemoryMiB: 512", "Vcpus must be a whole number, and is text 'many'"),
    ("Instance", "MemoryMiB: 512", "Vcpus"),
    ("Instance", "Vcpus: 1, MemoryMiB: 512, Colour: red", "has no property Colour"),
    ("Instance", "Vcpus: 1, MemoryMiB: 512, PowerState: maybe", "must be one of off, on, paused"),
    ("Instance", "Vcpus: 1, MemoryMiB: 512, Interfaces: [!Ref Nothing]", "Nothing"),
    ("Network", "CidrBlock: nonsense", "CidrBlock is 'nonsense'"),
    ("Network", "Dhcp: true", "CidrBlock"),
    ("NetworkInterface", "Network: net-1, Floating: perhaps", "Floating"),
    ("Artifact", "Name: base, Kind: sculpture", "Kind"),
]


@pytest.mark.parametrize(("kind", "properties", "told"), MISTAKES, ids=[f"{one[0]} {one[2]}" for one in MISTAKES])
def test_behaviour_29_a_mistake_is_told_with_its_line_before_anything_exists(
    kind: str, properties: str, told: str
) -> None:
    text = f"Resources:\n  It:\n    Type: Tenuto::Compute::{kind}\n    Properties: {{{properties}}}\n"
    with pytest.raises(CompileError) as caught:
        compile_text(text, file="it.yaml", parameters={}, region="us-east-1")
    problems = [one for one in caught.value.diagnostics if isinstance(one, Diagnostic)]
    found = [one for one in problems if told in f"{one.summary} {one.detail}"]
    assert found, problems
    assert found[0].subject is not None
