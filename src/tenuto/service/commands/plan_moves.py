"""The differences of a plan file and of the plan that would be made now, for the person who reads or approves it.

Facts that are digests are told in words, with the command that shows their subject: the file does not hold the
composition or the declaration itself, and a digest tells a person nothing.
"""

from collections.abc import Iterable, Iterator, Mapping

from tenuto.model.ids import JsonMap
from tenuto.service.common.value_diff import value_text

COMPOSITION = "composition"
"""The fact of a process that is the digest of its composition."""
DECLARED = "declared"
"""The fact of a resource that is the digest of its declaration."""
_SEEN = ("type", "id", "destructive", "depends_on", "changes")
"""The facts of an operation that must be the same. Its reason is told in words, and its source is a place in a file."""


def moved_facts(process: str, then: JsonMap, now: JsonMap) -> Iterator[str]:
    """The facts that differ, a line each. `process` is the name that it has now."""
    yield from moved_values("the process", then["process"], now["process"], process)
    before, after = then["resources"], now["resources"]
    for name in sorted({*before, *after}):
        if name not in after:
            yield f"{name} is gone"
        elif name not in before:
            yield f"{name} was not there"
        else:
            yield from moved_values(name, before[name], after[name], process)


def moved_values(name: str, then: JsonMap, now: JsonMap, process: str = "") -> Iterator[str]:
    """The facts of one thing that differ, a line each."""
    for key in sorted({*then, *now}):
        if then.get(key) == now.get(key):
            continue
        resource = name.partition(" (")[0]
        if key == COMPOSITION:
            yield f"the composition of {process} has changed since ('tenuto history {process}' shows the commands)"
        elif key == DECLARED:
            yield f"{resource} is declared otherwise since ('tenuto show {process} {resource}' shows how)"
        else:
            yield f"{name}: {key} was {value_text(then.get(key))} and is {value_text(now.get(key))}"


def moved_operations(then: Iterable[JsonMap], now: Iterable[JsonMap]) -> Iterator[str]:
    """The operations that differ, a line for each difference."""
    before, after = _by_name(then), _by_name(now)
    for verb, name in sorted({*before, *after}, key=lambda key: (key[1], key[0])):
        old, new = before.get((verb, name)), after.get((verb, name))
        if old is None and new is not None:
            yield f"{name}: {verb} is new{''.join(f'; {_told(change)}' for change in new['changes'])}"
        elif new is None:
            yield f"{name}: {verb} is not to be done any more"
        elif old is not None and any(old[key] != new[key] for key in _SEEN):
            yield from _moved_changes(f"{name}: {verb}", old, new)


def _moved_changes(what: str, old: JsonMap, new: JsonMap) -> Iterator[str]:
    before = {change["path"]: change for change in old["changes"]}
    after = {change["path"]: change for change in new["changes"]}
    for path in sorted({*before, *after}):
        if before.get(path) == after.get(path):
            continue
        if path not in after:
            yield f"{what}: {path} is as declared already"
        elif path not in before:
            yield f"{what}: also {_told(after[path])}"
        else:
            yield f"{what}: {_told(after[path])}, and was {_told(before[path])}"
    if before == after:
        then, now = ({key: one[key] for key in _SEEN if key != "changes"} for one in (old, new))
        yield from moved_values(what, then, now)


def _told(change: JsonMap) -> str:
    return f"{change['path']} {value_text(change['before'])} → {value_text(change['after'])}"


def _by_name(operations: Iterable[JsonMap]) -> Mapping[tuple[str, str], JsonMap]:
    return {(one["op"], one["logical_id"]): one for one in operations}
