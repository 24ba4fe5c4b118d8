"""Questions about one object that its table answers, independent of the state names of its type.

Theory of operation. Planning, the broker, the stores and the views work on objects of every type and must know whether
one has ended, is to stay or is on its way out. They ask here; the answer is one look-up of the table and a comparison.
"""

from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.lifecycles.table import Lifecycle, Work
from tenuto.model.cloud_node import TARGET_STATE
from tenuto.model.ids import JsonMap
from tenuto.model.resource import ManagedObject, ResourceType


def table_of(found: ManagedObject) -> Lifecycle:
    """The table of an object; a KeyError says that a store let in an object without one."""
    return CATALOGUE[found.lifecycle]


def states_of(work: Work) -> tuple[str, ...]:
    """The states, of all tables that are known now, in which Tenuto's own phases do this work."""
    return tuple(sorted({str(table.work[work]) for table in CATALOGUE.values() if work in table.work}))


def can_be_released(found: ManagedObject, facts: ResourceType | None) -> bool:
    """Whether its thing can stand without a process: its table knows a release, and its provider leaves the thing."""
    return table_of(found).released is not None and (facts is None or facts.can_be_released)


def has_ended(found: ManagedObject) -> bool:
    """Whether nothing will happen to it any more: it is deleted, it vanished, or it is released."""
    return found.state in CATALOGUE[found.lifecycle].final


def is_leaving(found: ManagedObject) -> bool:
    """Whether it heads for an end, or has reached one."""
    return found.target in CATALOGUE[found.lifecycle].final


def stands(found: ManagedObject) -> bool:
    """Whether it is ready: its thing serves, and phases change it in place."""
    return found.state == CATALOGUE[found.lifecycle].ready


def serves(found: ManagedObject) -> bool:
    """Whether it stands and is to stand: a failure of ours must not be the end of its thing."""
    return stands(found) and is_to_stand(found)


def is_to_stand(found: ManagedObject) -> bool:
    """Whether it is ready, or on its way there."""
    return found.target == CATALOGUE[found.lifecycle].ready


def has_worked(found: ManagedObject) -> bool:
    """Whether it was ready for its first settings once: a change in place begins where these are made."""
    table = CATALOGUE[found.lifecycle]
    way = table.path_to(table.ready)
    return found.state not in way or way.index(found.state) >= way.index(table.change_at)


def is_to_rest(found: ManagedObject) -> bool:
    """Whether it has given its machine back for a while, or is on its way there."""
    table = CATALOGUE[found.lifecycle]
    return table.rested is not None and found.target == table.rested


def aim_of(table: Lifecycle, properties: JsonMap) -> str:
    """The state that these declared properties aim at: the ready one, or that of rest where they ask for it."""
    if table.rested is not None and properties.get(TARGET_STATE) == table.rested:
        return table.rested
    return table.ready


def is_being_deleted(found: ManagedObject) -> bool:
    """Whether it heads for its deletion, or is deleted."""
    return found.target == CATALOGUE[found.lifecycle].gone


def is_being_released(found: ManagedObject) -> bool:
    """Whether it heads for its release, or is released."""
    return found.target == CATALOGUE[found.lifecycle].released


def is_failing(found: ManagedObject) -> bool:
    """Whether it took the edge of a failure: it is in the state of failures, or cleans up on its way there."""
    return found.target == CATALOGUE[found.lifecycle].failed
