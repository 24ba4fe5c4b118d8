"""Tables as documents, so that a store can keep those whose provider is not loaded.

Theory of operation. An object outlives the package that brought its table. The code that shows or audits such an object
needs the table, so it is stored beside the objects. A document has every attribute of a table under its name, with the
states in their order; it is also how two tables are compared, because the class of the states is a new one in each
program.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from tenuto.errors import BugError
from tenuto.lifecycles.table import Lifecycle, Work
from tenuto.model.ids import JsonMap

_ROLES = ("born", "ready", "gone", "released", "rested", "failed", "change_at")
_GROUPS = ("initial", "final", "errors", "turnable", "reading", "optional")


def document_of(table: Lifecycle) -> JsonMap:
    """The document of a table; equal tables have equal documents."""
    order = list(table.states)
    return {
        "name": table.name,
        "states": [state.value for state in order],
        "rows": {state.value: _listed(table.rows[state], order) for state in order},
        "failure": {state.value: table.failure[state].value for state in order if state in table.failure},
        "work": {work.value: table.work[work].value for work in Work if work in table.work},
        "paths": {state.value: [one.value for one in table.paths[state]] for state in order if state in table.paths},
        "ages_out": table.ages_out,
        **{name: _value(getattr(table, name)) for name in _ROLES},
        **{name: _listed(getattr(table, name), order) for name in _GROUPS},
    }


def table_of_document(document: JsonMap) -> Lifecycle:
    """The table of a document. Raises BugError when it is none."""
    given: Mapping[str, Any] = document
    try:
        states = _states_named(given["states"])
        roles: dict[str, Any] = {name: None if given[name] is None else states(given[name]) for name in _ROLES}
        groups: dict[str, Any] = {name: frozenset(map(states, given[name])) for name in _GROUPS}
        return Lifecycle(
            name=given["name"],
            states=states,
            rows={states(state): frozenset(map(states, targets)) for state, targets in given["rows"].items()},
            failure={states(state): states(edge) for state, edge in given["failure"].items()},
            work={Work(work): states(state) for work, state in given["work"].items()},
            paths={states(target): tuple(map(states, path)) for target, path in given["paths"].items()},
            ages_out=given["ages_out"],
            **roles,
            **groups,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BugError(f"this is no document of a lifecycle: {error!r}") from error


def _states_named(names: Iterable[str]) -> type[StrEnum]:
    make: Any = StrEnum  # A type checker knows only classes of which it can read the members.
    states: type[StrEnum] = make("State", {f"S{number}": name for number, name in enumerate(names)})
    return states


def _value(state: StrEnum | None) -> str | None:
    return None if state is None else state.value


def _listed(group: Iterable[StrEnum], order: Iterable[StrEnum]) -> list[str]:
    return [state.value for state in order if state in frozenset(group)]
