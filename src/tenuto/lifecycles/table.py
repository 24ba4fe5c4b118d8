"""The type of every lifecycle: one frozen table, checked when it is made.

A lifecycle is data. `rows` lists for every state the states it may move to; `initial` the states an object may be
born in; `final` the states that nothing leaves. `paths` gives, for a target, the ordered states an object walks to
reach it (only for orchestrated types; empty elsewhere). Whoever wants to move an object asks `check`, which answers
with an error and changes nothing when the table does not list the move (specification: object state machines).

Rejected: transitions as methods, guards or decorators. They cannot be listed, drawn or compared with a document;
a table can, and its picture in docs/reference/lifecycles.md is generated from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

from tenuto.errors import BugError, IllegalTransitionError


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """One object type's states and moves. Raises BugError when the table is not well formed."""

    name: str
    states: type[StrEnum]
    initial: frozenset[StrEnum]
    rows: Mapping[StrEnum, frozenset[StrEnum]]
    final: frozenset[StrEnum]
    errors: frozenset[StrEnum] = frozenset()
    """The states that an error message may be stored with (DECISIONS 10)."""
    paths: Mapping[StrEnum, tuple[StrEnum, ...]] = field(default_factory=dict)
    ages_out: bool = True
    """Whether a final object is removed for good some time later (DECISIONS 12)."""

    def __post_init__(self) -> None:
        for problem in _problems(self):
            raise BugError(f"lifecycle {self.name}: {problem}")

    def allows(self, before: str, after: str) -> bool:
        """Whether the table lists the move."""
        return after in self.rows[self.states(before)]

    def check(self, before: str, after: str, *, object_id: str) -> None:
        """Raise IllegalTransitionError unless the table lists the move."""
        if not self.allows(before, after):
            raise IllegalTransitionError(
                object_type=self.name,
                object_id=object_id,
                before=before,
                after=after,
                allowed=sorted(self.rows[self.states(before)]),
            )

    def check_birth(self, state: str, *, object_id: str) -> None:
        """Raise IllegalTransitionError unless an object may be born in `state`."""
        if state not in self.initial:
            raise IllegalTransitionError(
                object_type=self.name, object_id=object_id, before="nothing", after=state, allowed=sorted(self.initial)
            )

    def is_final(self, state: str) -> bool:
        return state in self.final

    def next_state(self, state: str, target: str) -> str:
        """The state after `state` on the walk to `target`: `state` itself when it is the target.

        A state that is not on the path enters it at the first state of the path that the table allows from there.
        Raises BugError when there is no way.
        """
        if state == target:
            return state
        path = self.paths.get(self.states(target), ())
        if state in path:
            return path[path.index(self.states(state)) + 1]
        for candidate in path:
            if self.allows(state, candidate):
                return candidate
        raise BugError(f"lifecycle {self.name}: no way from {state} to {target}")


def _problems(table: Lifecycle) -> list[str]:
    """What is wrong with a table; empty when it is well formed (DECISIONS 11)."""
    members = frozenset(table.states)
    problems = [f"state {state} has no row" for state in sorted(members - table.rows.keys())]
    problems += [f"row of unknown state {state}" for state in sorted(table.rows.keys() - members)]
    for state, targets in table.rows.items():
        problems += [f"{state} moves to {target}, which is not a state" for target in sorted(targets - members)]
        if state in targets:
            problems.append(f"{state} moves to itself: the same state again is no move")
        if state in table.final and targets:
            problems.append(f"{state} is final and has targets")
        if state not in table.final and not targets:
            problems.append(f"{state} has no targets and is not final")
    for word, group in (("initial", table.initial), ("final", table.final), ("error", table.errors)):
        problems += [f"{word} state {state} is unknown" for state in sorted(group - members)]
    if not table.initial:
        problems.append("there is no initial state")
    if not table.final:
        problems.append("there is no final state")
    problems += [
        f"{target} names a path that does not end in it"
        for target, path in table.paths.items()
        if path[-1:] != (target,)
    ]
    if not problems:
        problems += [f"{state} never reaches a final state" for state in sorted(members - _reaching(table))]
        problems += [f"{state} is never reached" for state in sorted(members - _reached(table))]
    for path in table.paths.values():
        for before, after in pairwise(path):
            if after not in table.rows.get(before, frozenset()):
                problems.append(f"path step {before} to {after} is not in the table")
    return problems


def _reaching(table: Lifecycle) -> frozenset[StrEnum]:
    """The states from which some final state can be reached."""
    reaching = frozenset(table.final)
    while True:
        wider = reaching | {state for state, targets in table.rows.items() if targets & reaching}
        if wider == reaching:
            return reaching
        reaching = wider


def _reached(table: Lifecycle) -> frozenset[StrEnum]:
    """The states that an object can come to."""
    reached = frozenset(table.initial)
    while True:
        wider = reached.union(*(table.rows[state] for state in reached))
        if wider == reached:
            return reached
        reached = wider
