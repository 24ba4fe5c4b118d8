"""The scope gives the names of a composition their meaning while it is compiled."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from tenuto.compositions.checks.schema import TypeSchema
from tenuto.compositions.diagnostics.nodes import Fields, Node
from tenuto.core.language.resolve import Environment
from tenuto.kit.regions import aws_partition
from tenuto.model.diagnostic import Position
from tenuto.model.ids import Json

PSEUDO_PARAMETERS = (
    "AWS::AccountId",
    "AWS::NoValue",
    "AWS::NotificationARNs",
    "AWS::Partition",
    "AWS::Region",
    "AWS::StackId",
    "AWS::StackName",
    "AWS::URLSuffix",
)


class Nested(Protocol):
    """The nested templates of a template, by the names of the resources that bring them in."""

    def __contains__(self, name: object) -> bool: ...

    def reference(self, name: str) -> Json:
        """The value of `Ref`, which the nested template calls `AWS::StackId`."""

    def output(self, name: str, output: str, position: Position) -> Node:
        """The value of an output, which is compiled when it is asked for first; broken when it was reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The names that a reference can have, each with its value or its schema.

    `folding` has the values that may be written into the composition; `deciding` has besides those that are known now
    and must not be written (secrets, the account), for conditions and mapping keys.
    """

    region: str
    folding: Environment
    deciding: Environment
    parameters: tuple[str, ...] = ()
    resources: Mapping[str, TypeSchema | None] = field(default_factory=dict)
    """Every declared resource with the schema of its type; None when there is nothing to check against."""
    mappings: Mapping[str, Fields] = field(default_factory=dict)
    inert: frozenset[str] = frozenset()
    """The declared resources that make nothing, so that nothing can refer to them."""
    has_language_extensions: bool = False
    nested: Nested | None = None
    prefix: str = ""
    """The beginning of the logical ids of everything that the template declares; empty for the outermost one."""

    def scoped(self, name: str) -> str:
        """The logical id of a resource of this template in the whole composition."""
        return self.prefix + name

    @property
    def names(self) -> tuple[str, ...]:
        """The names that `Ref` may use."""
        return (*self.parameters, *self.resources, *PSEUDO_PARAMETERS)


def region_values(region: str) -> dict[str, Json]:
    """The pseudo parameters that the region decides."""
    partition = aws_partition(region)
    return {
        "AWS::Region": region,
        "AWS::Partition": partition.name,
        "AWS::URLSuffix": partition.suffix,
        "AWS::NotificationARNs": [],
    }
