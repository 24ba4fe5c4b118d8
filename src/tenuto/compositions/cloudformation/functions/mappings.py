"""The Mappings section: two levels of keys to texts, or lists of texts."""

from collections.abc import Mapping, Sequence

from tenuto.compositions.cloudformation.functions.undecidable import report_undecidable
from tenuto.compositions.cloudformation.reading import shape
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Broken, Expression, Fields, Items, Node, Scalar, describe, moved
from tenuto.compositions.diagnostics.problems import Problems, listed
from tenuto.kit.nearest import did_you_mean
from tenuto.model.diagnostic import Position


def compile_mappings(section: Fields | None, problems: Problems) -> dict[str, Fields]:
    """The mappings by name. A malformed one is reported and kept, so that its uses are not unknown."""
    found: dict[str, Fields] = {}
    for entry in section.entries if section else ():
        found[entry.name] = Fields(entries=(), position=entry.value.position)
        levels = shape.fields(entry.value, problems, f"Mapping {entry.name}", codes.BAD_MAPPING)
        if levels is None:
            continue
        found[entry.name] = levels
        for first in levels.entries:
            second = shape.fields(first.value, problems, f"{entry.name}.{first.name}", codes.BAD_MAPPING)
            for leaf in second.entries if second else ():
                _check_leaf(leaf.value, f"{entry.name}.{first.name}.{leaf.name}", problems)
    return found


def _check_leaf(node: Node, path: str, problems: Problems) -> None:
    members = node.items if isinstance(node, Items) else (node,)
    for member in members:
        if not isinstance(member, Scalar) or member.value is None:
            detail = f"{path} must be a text or a list of texts, and holds {describe(member)}."
            problems.add(codes.BAD_MAPPING, member, detail, subject=path)


def find_in_map(
    mappings: Mapping[str, Fields],
    keys: Sequence[Node],
    position: Position,
    problems: Problems,
    *,
    live: bool,
    default: Node | None = None,
    has_default: bool = False,
) -> Node | None:
    """The value under the keys, standing where it is used; or the default, which is None for AWS::NoValue."""
    broken = Broken(position=position)
    for key in keys:
        if isinstance(key, Expression):
            report_undecidable(key, "A key of a mapping", problems)
            return broken
        if not isinstance(key, Scalar):
            problems.add(codes.WRONG_ARGUMENTS, key, f"A key of a mapping must be text, and is {describe(key)}.")
            return broken
    name, *path = [key.text for key in keys if isinstance(key, Scalar)]
    if name not in mappings:
        others = f"; there is {listed(mappings)}" if mappings else ": the template has no Mappings"
        problems.add(
            codes.UNKNOWN_MAPPING,
            keys[0],
            f"There is no mapping {name}{others}.",
            subject=name,
            hint=did_you_mean(name, mappings),
            once=name,
        )
        return broken
    node: Node = mappings[name]
    for depth, step in enumerate(path):
        below = node.get(step) if isinstance(node, Fields) else None
        if below is None:
            if has_default:
                return default
            if not live or not mappings[name].entries:
                return broken
            known = node.names if isinstance(node, Fields) else ()
            where = ".".join([name, *path[:depth]])
            detail = f"{where} has no key {step}; it has {listed(known)}."
            problems.add(codes.UNKNOWN_MAP_KEY, keys[depth + 1], detail, subject=step, hint=did_you_mean(step, known))
            return broken
        node = below
    return moved(node, position)
