"""Small questions about the shape of a node, with one way to report a wrong answer."""

import re
from collections.abc import Iterable
from dataclasses import replace

from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.codes import Code
from tenuto.compositions.diagnostics.nodes import TRUTH, Broken, Entry, Fields, Items, Node, Scalar, describe
from tenuto.compositions.diagnostics.problems import Problems, listed
from tenuto.kit.nearest import nearest

_NO_COLON = re.compile(r"(Type|Condition|DependsOn|DeletionPolicy|Description|Value|Ref)[ ]+\S")
"""A line of a resource, a parameter or an output, without its colon."""
_NO_SPACE = re.compile(r"[A-Za-z]\w*:[^\s:/]")


def fields(
    node: Node, problems: Problems, what: str, code: Code = codes.WRONG_SHAPE, *, hint: str = ""
) -> Fields | None:
    """The node as a mapping; None, reported with the hint or with a likely slip, when it is something else."""
    if isinstance(node, Fields):
        return node
    if not isinstance(node, Broken):
        problems.add(code, node, f"{what} must be a mapping, and is {describe(node)}.", hint=hint or _likely_slip(node))
    return None


def _likely_slip(node: Node) -> str:
    """The slip of a finger that leaves something else where a mapping is wanted; empty for the usual hint."""
    if isinstance(node, Scalar) and node.value is None:
        return "Put what belongs to it below it, indented by two more spaces."
    if isinstance(node, Scalar) and _NO_SPACE.match(node.text):
        return "Put a space after the colon: without one, YAML takes the line for a text."
    if isinstance(node, Scalar) and (slip := _NO_COLON.match(node.text)):
        return f"Put a colon after {slip[1]}."
    if isinstance(node, Items) and node.items and all(isinstance(one, Fields) for one in node.items):
        return "Give each item a name of its own, followed by a colon, in place of the dash."
    return ""


def text(node: Node, problems: Problems, what: str, code: Code = codes.WRONG_SHAPE) -> str | None:
    """The node as a text, numbers and booleans in their spelling; None, reported, when it is something else."""
    if isinstance(node, Scalar) and node.value is not None:
        return node.text
    if not isinstance(node, Broken):
        problems.add(code, node, f"{what} must be text, and is {describe(node)}.")
    return None


def texts(node: Node, problems: Problems, what: str) -> tuple[Scalar, ...] | None:
    """The node as a list of texts, or a single text as a list of one; None, reported, when it is something else."""
    members = node.items if isinstance(node, Items) else (node,)
    found = tuple(member for member in members if isinstance(member, Scalar) and member.value is not None)
    if len(found) == len(members):
        return found
    problems.add(codes.WRONG_SHAPE, node, f"{what} must be a text or a list of texts.")
    return None


def known_fields(
    node: Fields, known: Iterable[str], problems: Problems, code: Code, what: str, *, hint: str = ""
) -> Fields:
    """The entries whose keys are known. The others are reported; one that was misspelled goes by the name it meant.

    So a slip of the pen is one problem, and not another one for everything that is missing because of it. A `hint`
    replaces the list of keys.
    """
    names = sorted(set(known))
    kept: dict[str, Entry] = {entry.name: entry for entry in node.entries if entry.name in names}
    for entry in node.entries:
        if entry.name in names:
            continue
        guess = nearest(entry.name, names)
        problems.add(
            code,
            entry.key,
            f"{what} has no {entry.name}." if hint else f"{what} has no {entry.name}; it may have {listed(names)}.",
            subject=entry.name,
            hint=f"Did you mean {guess}?" if guess else hint,
        )
        if guess and guess not in kept:
            kept[guess] = replace(entry, key=replace(entry.key, value=guess, text=guess))
    return replace(node, entries=tuple(kept.values()))


def flag(node: Node, problems: Problems, what: str) -> bool:
    """The node as a boolean, spelled in any of the ways CloudFormation takes."""
    spelled = node.text.lower() if isinstance(node, Scalar) else ""
    if spelled not in TRUTH:
        problems.add(codes.WRONG_SHAPE, node, f"{what} must be true or false, and is {describe(node)}.")
    return TRUTH.get(spelled, False)
