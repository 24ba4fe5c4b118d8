"""Small questions about the shape of a node, with one way to report a wrong answer."""

from collections.abc import Iterable

from tenuto.compositions import codes
from tenuto.compositions.codes import Code
from tenuto.compositions.nodes import Broken, Entry, Fields, Items, Node, Scalar, describe
from tenuto.compositions.problems import Problems, did_you_mean, listed


def fields(node: Node, problems: Problems, what: str, code: Code = codes.WRONG_SHAPE) -> Fields | None:
    """The node as a mapping; None, reported, when it is something else."""
    if isinstance(node, Fields):
        return node
    if not isinstance(node, Broken):
        problems.add(code, node, f"{what} must be a mapping, and is {describe(node)}.")
    return None


def text(node: Node, problems: Problems, what: str, code: Code = codes.WRONG_SHAPE) -> str | None:
    """The node as a text, numbers and booleans in their spelling; None, reported, when it is something else."""
    if isinstance(node, Scalar) and node.value is not None:
        return node.text
    if not isinstance(node, Broken):
        problems.add(code, node, f"{what} must be text, and is {describe(node)}.")
    return None


def texts(node: Node, problems: Problems, what: str, code: Code = codes.WRONG_SHAPE) -> tuple[Scalar, ...] | None:
    """The node as a list of texts, or a single text as a list of one; None, reported, when it is something else."""
    members = node.items if isinstance(node, Items) else (node,)
    found = tuple(member for member in members if isinstance(member, Scalar) and member.value is not None)
    if len(found) == len(members):
        return found
    problems.add(code, node, f"{what} must be a text or a list of texts.")
    return None


def known_keys(
    node: Fields, known: Iterable[str], problems: Problems, code: Code, what: str, *, hint: str = ""
) -> tuple[Entry, ...]:
    """The entries whose keys are known; the others are reported, with the key that was probably meant."""
    names = frozenset(known)
    kept: list[Entry] = []
    for entry in node.entries:
        if entry.name in names:
            kept.append(entry)
            continue
        problems.add(
            code,
            entry.key,
            f"{what} has no {entry.name}; it may have {listed(names)}.",
            subject=entry.name,
            hint=did_you_mean(entry.name, names) or hint,
        )
    return tuple(kept)


def flag(node: Node, problems: Problems, what: str) -> bool:
    """The node as a boolean, spelled in any of the ways CloudFormation takes."""
    spelled = node.text.lower() if isinstance(node, Scalar) else ""
    if spelled not in ("true", "false"):
        problems.add(codes.WRONG_SHAPE, node, f"{what} must be true or false, and is {describe(node)}.")
    return spelled == "true"
