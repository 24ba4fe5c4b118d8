"""All that differs between the clouds of the simulator: one value for each.

A history is drawn from a scenery, and a scenario file is read by it: a part that it does not name is not in that cloud.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from tenuto.model.ids import Json, TypeName
from tenuto.model.resource import ResourceType
from tenuto.ports.clock import Clock
from tenuto_testing.simulation.compositions import Repertoire
from tenuto_testing.simulation.ground import Ground
from tenuto_testing.simulation.steps import Add, Trouble

Traits = Mapping[str, float]
"""How a cloud behaves, by the names in `Scenery.traits`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenery:
    """One cloud: the possible parts of a history that is played on it, and how one is drawn."""

    name: str
    types: Mapping[TypeName, ResourceType]
    repertoire: Repertoire
    traits: Traits
    """Every trait with the value that it has when nothing is said."""
    acts: frozenset[str]
    """The acts of other users on a thing."""
    faults: frozenset[str]
    """The kinds of trouble."""
    has_operation: Callable[[str], bool]
    """Whether trouble of an operation of this name can ever come."""
    tampered: tuple[tuple[str, str, tuple[Json, ...]], ...]
    """Slots and paths that other users change, each with values."""
    filled: tuple[str, ...]
    accounts: frozenset[str]
    """Into which accounts the credentials of a Conductor may lead from its start."""
    credentials: frozenset[str]
    """Into which ones they may lead all of a sudden."""
    deaths: tuple[str, ...]
    """Operations around which a Conductor dies; one that is there twice is drawn twice as often."""
    draw_traits: Callable[[Random], Traits]
    draw_fault: Callable[[Random], Trouble]
    draw_add: Callable[[Random], Add]
    ground: Callable[[Clock, Traits, int], Ground]
    """The maker of a ground, from the clock, its traits and the seed of the cloud's chance."""
