"""The rules that every table keeps, and the roles of its states with it (DECISIONS 11)."""

from collections.abc import Iterable
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenuto.lifecycles.table import Lifecycle


def problems_of(table: "Lifecycle") -> list[str]:
    """The faults of a table; empty when it is well formed (DECISIONS 11)."""
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
    if not problems:
        ending = _reaching(table, table.final)
        problems += [f"{state} never reaches a final state" for state in sorted(members - ending)]
        problems += [f"{state} is never reached" for state in sorted(members - _reached(table))]
    if not problems:
        problems += _role_problems(table)
        problems += _path_problems(table)
    if not problems:
        stuck = sorted(members - table.final - _reaching(table, frozenset({table.gone})))
        problems += [f"{state} has no way to {table.gone}, so its objects could not be deleted" for state in stuck]
        if table.paths and table.born not in _reaching(table, frozenset({table.ready})):
            problems.append(f"{table.born} has no way to {table.ready}, so nothing could be made")
    return problems


def _reaching(table: "Lifecycle", ends: frozenset[StrEnum]) -> frozenset[StrEnum]:
    """The states from which some of the `ends` can be reached."""
    reaching = ends
    while True:
        wider = reaching | {state for state, targets in table.rows.items() if targets & reaching}
        if wider == reaching:
            return reaching
        reaching = wider


def _reached(table: "Lifecycle") -> frozenset[StrEnum]:
    """The states that an object can come to."""
    reached = frozenset(table.initial)
    while True:
        wider = reached.union(*(table.rows[state] for state in reached))
        if wider == reached:
            return reached
        reached = wider


def _role_problems(table: "Lifecycle") -> Iterable[str]:
    """The faults in the meaning of the states."""
    singles = {
        "born": table.born,
        "ready": table.ready,
        "gone": table.gone,
        "released": table.released,
        "rested": table.rested,
        "failed": table.failed,
        "change_at": table.change_at,
    }
    groups = {
        "turnable": table.turnable,
        "reading": table.reading,
        "optional": table.optional,
        "failure": (*table.failure, *table.failure.values()),
        "work": table.work.values(),
    }
    members = frozenset(table.states)
    yield from (
        f"{role} is {state}, which is not a state" for role, state in singles.items() if state not in {*members, None}
    )
    for role, states in groups.items():
        yield from (f"{role} names {state}, which is not a state" for state in sorted({*states} - members))
    if table.born not in table.initial:
        yield f"an object is born {table.born}, which is not an initial state"
    if table.paths and table.ready in table.final:
        yield f"{table.ready} is ready and final: nothing could end"
    ends = {state for state in (table.gone, table.released) if state is not None}
    if ends != table.final:
        yield f"gone and released are {_names(ends)}, and the final states {_names(table.final)}: they must be the same"
    yield from _failure_problems(table)


def _failure_problems(table: "Lifecycle") -> Iterable[str]:
    """The faults in the edges of failures: each must be a listed move, and each chain must end in `failed`."""
    if (table.failed is None) != (not table.failure):
        yield "a state of failures and edges of failures need each other: give failed and failure, or neither"
        return
    if table.failed is not None and table.failed not in table.errors:
        yield f"{table.failed} is the state of failures and may not carry an error message: {_with_error(table.failed)}"
    for state, edge in table.failure.items():
        if edge not in table.rows.get(state, frozenset()):
            yield f"a failure in {state} leads to {edge}, which is not in the table: add {edge} to rows[{state}]"
        if edge not in table.errors and edge != table.failed:
            yield f"a failure in {state} leads to {edge}, which may not carry an error message: {_with_error(edge)}"
        last, seen = edge, {state}
        while last in table.failure and last not in seen:
            seen.add(last)
            last = table.failure[last]
        if last in table.failure:
            yield f"a failure in {state} comes to {last} again and never to {table.failed}: correct failure[{last}]"
        elif last != table.failed:
            yield (
                f"a failure in {state} ends in {last} and not in {table.failed}: "
                f"name in failure[{last}] the state that comes after {last}"
            )


def _with_error(state: StrEnum) -> str:
    return f"add {state} to errors"


def _path_problems(table: "Lifecycle") -> Iterable[str]:
    """The faults in the preferred ways; a table without any is not driven by phases."""
    for target, path in table.paths.items():
        if path[-1:] != (target,):
            yield f"{target} names a path that does not end in it"
        for before, after in pairwise(path):
            if after not in table.rows.get(before, frozenset()):
                yield f"path step {before} to {after} is not in the table"
        for before, between, after in zip(path, path[1:], path[2:], strict=False):
            if between in table.optional and after not in table.rows[before]:
                yield f"{between} is optional, and the table does not list {before} to {after}"
    if table.paths and table.change_at not in table.paths.get(table.ready, ()):
        yield f"a change enters {table.change_at}, which is not on the way to {table.ready}"
    needed = {state for state in (table.ready, table.gone, table.released, table.rested) if state is not None}
    if table.paths and needed != table.paths.keys():
        yield f"there are paths to {_names(table.paths)}, and roles that need one are {_names(needed)}"
    walked = {state for path in table.paths.values() for state in path}
    yield from (f"{state} is optional and on no path" for state in sorted(table.optional - walked))


def _names(states: Iterable[StrEnum]) -> str:
    return ", ".join(sorted(states)) or "(none)"
