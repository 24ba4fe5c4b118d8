"""The shape of a rule: the mappings that it is about, when it counts, and the faults that it finds in one."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field

from tenuto.compositions.cloudformation.property_rules.conditions import When
from tenuto.compositions.diagnostics.codes import Code
from tenuto.compositions.diagnostics.nodes import Fields
from tenuto.model.diagnostic import Position


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that AWS refuses. `told` is a sentence without its end, and `name` the property, dotted."""

    code: Code
    at: Position
    told: str
    name: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The mapping that a rule judges: the type of its resource, the path to it, and where something missing is shown
    that has no neighbour."""

    type_name: str
    path: str
    at: Position

    def name(self, inner: str) -> str:
        """The path of a property of the mapping."""
        return f"{self.path}.{inner}".strip(".")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(ABC):
    """`path` leads to the mappings, with a star for the members of a list; empty for the properties of the resource.
    `when` is asked of each of them, and `given` of the properties of the resource. A rule `of_new` things counts for no
    resource that says which existing thing it adopts: the provider does not show the property in question."""

    path: str = ""
    when: When = field(default_factory=dict)
    given: When = field(default_factory=dict)
    of_new: bool = False

    @abstractmethod
    def faults(self, mapping: Fields, place: Place) -> Iterator[Fault]:
        """The faults in one mapping in which the conditions hold."""
