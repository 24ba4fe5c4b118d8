"""A chain of lines: each holds its number, the digest of the line before it, and its own digest.

A line that is changed, taken out, put elsewhere or put in breaks the chain at a place that can be named. Lines taken
from the end break nothing: that is found by a digest that was kept elsewhere (`Chain.digests`). Digests are no
signatures: who may write the file may write all of it anew.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tenuto.kit.canonical import to_text

FIRST = "0" * 64
"""The digest before the first line."""
LONGEST_LINE = 65_536
PRUNED = "audit_pruned"
"""The operation of a line that tells which lines before it were removed because of their age."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """The place in the chain behind which the next line comes."""

    number: int = 0
    digest: str = FIRST


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """The first place at which the chain does not hold, for people."""

    file: str
    line: int
    reason: str


@dataclass(slots=True)
class Chain:
    """The outcome of a reading. `first` is the number of the first line; 0 when there is none."""

    first: int = 0
    lines: int = 0
    last: Link = field(default_factory=Link)
    broken: Break | None = None
    digests: set[str] = field(default_factory=set)
    """The digest of each line that holds."""
    before: str = FIRST
    """The digest that the first line names as that of the line before it."""
    pruned: dict[int, str] = field(default_factory=dict)
    """The last lines that retention has removed, as lines of the chain tell: their digests by their numbers."""

    @property
    def is_told(self) -> bool:
        """Whether the chain is there from its beginning, or a line of it tells the removal of exactly the missing
        lines."""
        return self.first <= 1 or self.pruned.get(self.first - 1) == self.before


def chained(entry: Mapping[str, Any], last: Link) -> tuple[str, Link]:
    """The line of an entry behind another one, without its end, and the link that it makes."""
    whole = {**entry, "number": last.number + 1, "before": last.digest}
    digest = _digest(whole)
    return to_text({**whole, "hash": digest}), Link(number=last.number + 1, digest=digest)


def link_of(line: str) -> Link | None:
    """The link of a line that is whole; None for one that was changed, or is none."""
    entry = entry_of(line)
    if entry is None or entry.get("hash") != _digest({name: one for name, one in entry.items() if name != "hash"}):
        return None
    number, before = entry.get("number"), entry.get("before")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1 or not isinstance(before, str):
        return None
    return Link(number=number, digest=str(entry["hash"]))


def entry_of(line: str) -> dict[str, Any] | None:
    """The entry of a line; None for a line that is no JSON object."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def examine(lines: Iterable[tuple[str, int, str]]) -> Chain:
    """Read lines, each with its file and its number there, up to the first that breaks the chain."""
    chain = Chain()
    place = ("", 0)
    for file, row, line in lines:
        reason, where = _reason(chain, line)
        if reason:
            before = where == "before" and chain.lines > 0
            at_file, at_row = place if before else (file, row)
            chain.broken = Break(file=at_file, line=at_row, reason=reason)
            return chain
        link = link_of(line)
        assert link is not None
        entry = entry_of(line) or {}
        if not chain.first:
            chain.first, chain.before = link.number, str(entry["before"])
        if entry.get("operation") == PRUNED and isinstance(entry.get("until"), int):
            chain.pruned[entry["until"]] = str(entry.get("until_hash"))
        chain.lines += 1
        chain.last = link
        chain.digests.add(link.digest)
        place = (file, row)
    return chain


def _reason(chain: Chain, line: str) -> tuple[str, str]:
    """The reason why a line does not come next, and whether the fault is here or with the one before it."""
    link = link_of(line)
    if link is None:
        return "The line was changed, or is not whole.", "here"
    if chain.lines == 0:
        return "", ""
    wanted, before = chain.last.number + 1, (entry_of(line) or {})["before"]
    if link.number > wanted:
        gone = (
            f"line {wanted} was removed, or stands elsewhere"
            if link.number == wanted + 1
            else f"lines {wanted} to {link.number - 1} were removed, or stand elsewhere"
        )
        return f"The chain goes on with number {link.number} here: {gone}.", "here"
    if link.number < wanted:
        return f"The line has number {link.number} and should have {wanted}: it was moved or repeated.", "here"
    if before != chain.last.digest:
        return "The line was replaced: the next one was written behind another one.", "before"
    return "", ""


def _digest(entry: Mapping[str, Any]) -> str:
    try:
        return hashlib.sha256(to_text(entry).encode()).hexdigest()
    except (ValueError, RecursionError):
        return ""
