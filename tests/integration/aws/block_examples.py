"""The examples of blocks, one file for each type in `blocks/`, and the one list of what is not tried, with reasons.

An example has the `properties` of a thing, what it `needs` (other resources, in order), other values of properties that
are `changed` in place, one by one, other values of properties that only a new thing can have (`replaced`), and values
that are changed in place and give the thing another id (`moved`). It cannot go before those that it is `held_by`, some
of its needs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tenuto.compositions.checks.schema import AwsSchemas
from tenuto.model.ids import LogicalId, TypeName
from tenuto.providers.aws.types.catalogue import CATALOGUE
from tenuto_testing.provider_conformance import Bench, Example

FOLDER = Path(__file__).parent / "blocks"
UNTRIED = FOLDER / "untried.yaml"
THING = LogicalId("Thing")
BenchOf = Callable[[tuple[Example, ...]], Bench]
"""The fixture `bench_of`: a bench in front of the emulator, with these examples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockExample:
    """One thing of a block, and all that is tried with it."""

    type: TypeName
    needs: tuple[Example, ...]
    properties: Mapping[str, Any]
    changed: Mapping[str, Any] = field(default_factory=dict)
    replaced: Mapping[str, Any] = field(default_factory=dict)
    moved: Mapping[str, Any] = field(default_factory=dict)
    held_by: tuple[LogicalId, ...] = ()

    @property
    def thing(self) -> Example:
        return Example(name=THING, type=self.type, properties=dict(self.properties))


def read(path: Path) -> Any:
    return YAML(typ="safe", pure=True).load(path)


def example_at(path: Path) -> BlockExample:
    found = read(path)
    needs = tuple(
        Example(name=LogicalId(name), type=TypeName(one["Type"]), properties=one.get("Properties", {}))
        for name, one in (found.get("needs") or {}).items()
    )
    return BlockExample(
        type=TypeName(path.stem.replace("__", "::")),
        needs=needs,
        properties=found["properties"],
        changed=found.get("changed") or {},
        replaced=found.get("replaced") or {},
        moved=found.get("moved") or {},
        held_by=tuple(map(LogicalId, found.get("held_by") or ())),
    )


EXAMPLES = {example.type: example for example in map(example_at, sorted(FOLDER.glob("AWS__*.yaml")))}


def untried(type_name: TypeName) -> frozenset[str]:
    """The properties of a type that its example neither changes nor replaces."""
    schema, kind, example = AwsSchemas("us-east-1").find(type_name), CATALOGUE[type_name], EXAMPLES[type_name]
    assert schema is not None
    tried = {*example.changed, *example.replaced, *example.moved}
    return schema.properties - schema.read_only - kind.facts.refused.keys() - tried


@cache
def reasons() -> dict[TypeName, dict[str, str]]:
    """The listed properties that are not tried, by type, each with its reason."""
    return {
        TypeName(name): {word: reason for reason, words in groups.items() for word in words.split()}
        for name, groups in (read(UNTRIED) or {}).items()
    }
