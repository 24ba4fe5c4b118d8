"""The phases that are loaded, checked as a set: which of them apply to an object in a state.

Theory of operation. A definition can be wrong by itself (no state, a batch of none) or only beside the others (a name
twice, a dependency that is not there, a circle). `PhaseSet.build` refuses a wrong definition, names it and the reason,
and keeps the rest: one bad plugin must not stop a Conductor. Refusing one definition can leave another without its
dependency, so the check of dependencies is repeated until nothing more falls.

A dependency must run in every state in which the dependent runs. A phase of an earlier state is waited for anyway, and
a phase of a later one can never be (specification: phases, "Dependencies").

Whether a phase *applies* is asked once, when the object enters the state (`core.phases.progress`). The order of
`applicable` is by name, so that it does not depend on the order in which plugins were found.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tenuto.core.phases.record import AskedResource
from tenuto.errors import PluginError
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.cloud_node import provider_of
from tenuto.model.ids import PhaseName, TypeName
from tenuto.model.phase_map import Heading, PhaseDefinition
from tenuto.model.resource import ManagedObject

EVERY_RESOURCE = TypeName("*")
"""The word of a definition for every object, of every type, that a composition declares of a provider."""
SHORTEST_EVERY_S = 1.0
"""The least seconds between two rounds of upkeep: one that follows itself at once would be a loop of writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Applicable:
    """A phase that an object goes through. `is_undecided` where its constraint raised: the phase is entered and tells
    the error, which a skipped phase could not.
    """

    definition: PhaseDefinition
    is_undecided: bool


@dataclass(frozen=True, slots=True)
class PhaseSet:
    """A checked set of definitions. Made by `build` only."""

    definitions: Mapping[PhaseName, PhaseDefinition]
    """The definitions in the order of their names."""
    provided: frozenset[str]
    """The names of the tables whose objects `*` stands for."""

    @classmethod
    def build(
        cls, definitions: Iterable[PhaseDefinition], lifecycles: Mapping[str, Lifecycle]
    ) -> tuple["PhaseSet", tuple[PluginError, ...]]:
        """The set of all sound definitions, and one error for each refused one."""
        errors: list[PluginError] = []
        kept: dict[PhaseName, PhaseDefinition] = {}
        for definition in definitions:
            problem = _problem_alone(definition, lifecycles)
            if not problem and definition.name in kept:
                problem = "a phase of this name is loaded already, and names must be unique"
            if problem:
                errors.append(_refusal(definition, problem))
            else:
                kept[definition.name] = definition
        while problems := _dependency_problems(kept):
            errors += [_refusal(kept.pop(name), problem) for name, problem in problems.items()]
        provided = frozenset(name for name, table in lifecycles.items() if table.is_provided)
        return cls({name: kept[name] for name in sorted(kept)}, provided), tuple(errors)

    def get(self, name: PhaseName) -> PhaseDefinition | None:
        return self.definitions.get(name)

    def applicable(
        self,
        object: ManagedObject,  # noqa: A002
        state: str,
        heading: Heading,
        *,
        is_leaving: bool = False,
    ) -> tuple[Applicable, ...]:
        """The phases that an object with this heading has to go through in `state`, by name.

        Where it `is_leaving` the state that it is in, only those that name the heading.
        """
        return self._asked(
            object,
            (
                definition
                for definition in self.definitions.values()
                if state in definition.states
                and definition.every_s is None
                and (definition.heading is heading or (definition.heading is None and not is_leaving))
            ),
        )

    def upkeep(self, object: ManagedObject) -> tuple[Applicable, ...]:  # noqa: A002
        """The phases that are done again and again while the object rests in its state, by name."""
        return self._asked(
            object,
            (
                definition
                for definition in self.definitions.values()
                if definition.every_s is not None and object.state in definition.states
            ),
        )

    def _asked(
        self,
        object: ManagedObject,  # noqa: A002
        definitions: Iterable[PhaseDefinition],
    ) -> tuple[Applicable, ...]:
        found: list[Applicable] = []
        for definition in definitions:
            if not self._is_for(definition, object):
                continue
            try:
                if answer(definition, object):
                    found.append(Applicable(definition=definition, is_undecided=False))
            except Exception:  # noqa: BLE001 - a plugin's expression may raise anything
                found.append(Applicable(definition=definition, is_undecided=True))
        return tuple(found)

    def _is_for(self, definition: PhaseDefinition, object: ManagedObject) -> bool:  # noqa: A002
        if definition.provider is not None and definition.provider != provider_of(object):
            return False
        if object.type in definition.types:
            return True
        return EVERY_RESOURCE in definition.types and object.lifecycle in self.provided


def answer(definition: PhaseDefinition, object: ManagedObject) -> bool:  # noqa: A002
    """The answer of the constraint (specification: `ResourceConstraint`). Raises every error of the constraint."""
    return definition.applies is None or bool(definition.applies(AskedResource(object)))


def _refusal(definition: PhaseDefinition, problem: str) -> PluginError:
    return PluginError(f"phase {definition.name or '(without a name)'} was refused: {problem}")


def _problem_alone(definition: PhaseDefinition, lifecycles: Mapping[str, Lifecycle]) -> str:
    """The fault of a definition by itself; empty when it has none."""
    if not definition.name:
        return "it has no name; give it one such as Acme.CreateInstance"
    if not definition.states:
        return "it names no state; say in which states it runs"
    if not definition.types:
        return "it names no resource type; name one, or * for every resource"
    if definition.applies is not None and not callable(definition.applies):
        return f"its applies is {definition.applies!r}; give a function of the resource, such as lambda node: …"
    if definition.batch < 1:
        return f"its batch is {definition.batch}; a run needs at least one object"
    if definition.delay_s < 0:
        return f"its delay is {definition.delay_s:g} s; a delay is not negative"
    if definition.timeout_s is not None and definition.timeout_s <= 0:
        return f"its timeout is {definition.timeout_s:g} s; leave it out for none"
    tables = _lifecycles_of(definition, lifecycles)
    return _state_problem(definition, tables) if definition.every_s is None else _upkeep_problem(definition, tables)


def _lifecycles_of(definition: PhaseDefinition, lifecycles: Mapping[str, Lifecycle]) -> Sequence[Lifecycle]:
    """The tables whose objects the phase may meet: those with walks; when it is for `*` alone, the provided ones."""
    tables = [lifecycles[name] for name in sorted(lifecycles) if lifecycles[name].paths]
    if set(definition.types) == {EVERY_RESOURCE}:
        return [table for table in tables if table.is_provided]
    return tables


def _state_problem(definition: PhaseDefinition, tables: Sequence[Lifecycle]) -> str:
    for state in definition.states:
        knowing = [table for table in tables if state in {member.value for member in table.states}]
        if not knowing:
            known = sorted(
                {member.value for table in tables for member in table.states if _may_run(table, member, None)}
            )
            return f"there is no state {state}; the states that phases run in are {', '.join(known) or '(none)'}"
        if not any(_may_run(table, state, definition.heading) for table in knowing):
            if definition.heading is not None:
                return (
                    f"no object that heads for {definition.heading} has work in {state}, so the phase would never run"
                )
            return f"{state} is a target: an object that reached it is done, so the phase would never run"
        for table in knowing:
            edge = next((after for before, after in table.failure.items() if before == state), None)
            if edge is not None and edge != table.failed and edge in definition.states:
                return (
                    f"it runs in {state} and in {edge}, which cleans up after it; give the clean-up a phase of its own"
                )
    return ""


def _upkeep_problem(definition: PhaseDefinition, tables: Sequence[Lifecycle]) -> str:
    if definition.every_s is not None and definition.every_s < SHORTEST_EVERY_S:
        return f"it is upkeep every {definition.every_s:g} s; leave at least {SHORTEST_EVERY_S:g} s between two rounds"
    if definition.heading is not None:
        return "it is upkeep and names a heading; an object at rest heads for nothing, so leave the heading out"
    if definition.dependencies:
        return "it is upkeep and has dependencies; upkeep phases do not wait for each other, so leave them out"
    for state in definition.states:
        knowing = [table for table in tables if state in resting_states(table)]
        if not knowing:
            known = sorted({one for table in tables for one in resting_states(table)})
            return f"it is upkeep, and no object rests in {state}; objects rest in {', '.join(known) or '(none)'}"
        for table in knowing:
            if state in table.failure and table.failed in definition.states:
                return (
                    f"it is upkeep in {state} and in {table.failed}, where its failure leads; "
                    f"give {table.failed} a phase of its own"
                )
    return ""


def resting_states(table: Lifecycle) -> frozenset[str]:
    """The states that an object can stay in for any time without being at its end."""
    rests = (table.ready, table.rested, table.failed)
    return frozenset(str(state) for state in rests if state is not None and state not in table.final)


def _may_run(table: Lifecycle, state: str, heading: Heading | None) -> bool:
    """Whether any object of the table goes through a phase of this heading in the state."""
    if state in table.final:
        return False
    match heading:
        case None | Heading.READY:
            rests = {table.ready, table.failed, table.rested}
            return state not in rests or state == table.change_at
        case Heading.FAILED:
            return state != table.failed and state in table.failure.values()
        case _:
            return heading in table.headings.values()


def _dependency_problems(kept: Mapping[PhaseName, PhaseDefinition]) -> dict[PhaseName, str]:
    """Return, by name, the fault in the dependencies of each phase; empty when there is none."""
    problems: dict[PhaseName, str] = {}
    for name in sorted(kept):
        problem = _dependency_problem(kept[name], kept)
        if problem:
            problems[name] = problem
    return problems


def _dependency_problem(definition: PhaseDefinition, kept: Mapping[PhaseName, PhaseDefinition]) -> str:
    for dependency in definition.dependencies:
        if dependency not in kept:
            return f"it depends on {dependency}, and no phase of that name is loaded"
        if kept[dependency].every_s is not None:
            return f"it depends on {dependency}, which is upkeep and never completes; depend on another phase"
        missing = [state for state in definition.states if state not in kept[dependency].states]
        if missing:
            return (
                f"it depends on {dependency}, which does not run in {', '.join(missing)}; "
                "a dependency must be a phase of the same state"
            )
    circle = _circle(definition.name, kept)
    return f"its dependencies go round in a circle: {' -> '.join(circle)}" if circle else ""


def _circle(start: PhaseName, kept: Mapping[PhaseName, PhaseDefinition]) -> tuple[PhaseName, ...]:
    """The way along dependencies from `start` back to itself; empty when there is none."""
    ways: list[tuple[PhaseName, ...]] = [(start,)]
    seen: set[PhaseName] = set()
    while ways:
        way = ways.pop()
        definition = kept.get(way[-1])
        for dependency in definition.dependencies if definition else ():
            if dependency == start:
                return (*way, dependency)
            if dependency not in seen:
                seen.add(dependency)
                ways.append((*way, dependency))
    return ()
