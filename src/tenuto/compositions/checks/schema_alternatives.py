"""Schema alternatives: properties that need, replace or exclude each other."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Fields, Items, Node
from tenuto.compositions.diagnostics.problems import Problems, listed
from tenuto.model.diagnostic import Position
from tenuto.model.ids import JsonMap


class Alternatives:
    """`fits` tells whether a mapping could be meant by one branch of an `anyOf` or `oneOf`."""

    def __init__(self, fits: Callable[[Fields, JsonMap], bool], problems: Problems) -> None:
        self._fits = fits
        self._problems = problems

    def check(
        self, node: Fields, present: frozenset[str], rule: JsonMap, what: str, at: Position, subject: str
    ) -> None:
        """Report the errors in the set of properties that `node` has. `what` names it, for people.

        `present` has besides the names that were meant and misspelled: nothing is missing because of those.
        `subject` is the path of `node`.
        """
        for one in (rule, *(branch for branch in rule.get("allOf", ()) if isinstance(branch, Mapping))):
            self._one_of_names(node, present, one, what, at, subject)
        for name, others in _dependents(rule, "dependentRequired", "dependencies"):
            missing = [other for other in others if other not in present]
            entry = node.entry(name)
            if entry and missing:
                detail = f"{what} has {name}, which needs {listed(missing)}."
                self._problems.add(codes.MISSING_COMPANION, entry.key, detail)
        used = [entry.name for entry in node.entries if not _is_empty(entry.value)]
        for name, others in _dependents(rule, "dependentExcluded"):
            # Exclusion is written down from both sides: it is reported at the later one only.
            for other in others:
                if name in used and other in used and used.index(other) < used.index(name):
                    self._exclude(node, other, name, what, subject)
        for key in ("anyOf", "oneOf"):
            branches = [branch for branch in rule.get(key, ()) if isinstance(branch, Mapping)]
            if not branches or present - set(node.names):
                continue
            if not any(self._fits(node, branch) for branch in branches):
                self._none_fits(branches, what, at)

    def _one_of_names(
        self, node: Fields, present: frozenset[str], rule: JsonMap, what: str, at: Position, subject: str
    ) -> None:
        for key in ("requiredXor", "requiredOr"):
            names = rule.get(key)
            if not isinstance(names, Sequence) or not names or not all(isinstance(name, str) for name in names):
                continue
            there = [name for name in node.names if name in names]
            if not present & set(names):
                self._problems.add(codes.NO_ALTERNATIVE, at, f"{what} needs one of {listed(names)}.")
            elif len(there) > 1 and key == "requiredXor":
                self._exclude(node, there[0], there[1], what, subject)

    def _exclude(self, node: Fields, first: str, second: str, what: str, subject: str) -> None:
        entry = node.entry(second)
        detail = f"{what} cannot have {first} and {second} at once."
        self._problems.add(codes.EXCLUSIVE, entry.key if entry else node, detail, subject=f"{subject}.{second}")

    def _none_fits(self, branches: Sequence[JsonMap], what: str, at: Position) -> None:
        groups = [" and ".join(branch["required"]) for branch in branches if branch.get("required")]
        needs = f"needs one of: {', or '.join(groups)}" if groups else "has none of the forms that its type knows"
        self._problems.add(codes.NO_ALTERNATIVE, at, f"{what} {needs}.")


def _is_empty(node: Node) -> bool:
    """An empty list or mapping excludes nothing: it is often written to say so."""
    return (isinstance(node, Items) and not node.items) or (isinstance(node, Fields) and not node.entries)


def _dependents(rule: JsonMap, *keys: str) -> Iterator[tuple[str, Sequence[str]]]:
    for key in keys:
        table = rule.get(key)
        for name, others in table.items() if isinstance(table, Mapping) else ():
            if isinstance(others, Sequence) and all(isinstance(other, str) for other in others):
                yield name, others
