"""A rule that a Conductor holds every composition to: data, never code of a user.

A judgement is void when the rules have changed since, so it notes their `fingerprint`.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from tenuto.kit.canonical import to_text
from tenuto.model.diagnostic import Severity
from tenuto.model.ids import Instant

WHOLE = "composition"
"""The subject of a rule that is asked once, about the whole composition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule. `expression` is CEL and must be true of every resource of the type that `applies_to` names."""

    name: str
    applies_to: str
    """A resource type, or `composition`."""
    expression: str
    message: str
    """The text that is told to the author of a violation."""
    severity: Severity = Severity.ERROR
    description: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRule:
    """A rule, and who added it when."""

    rule: Rule
    added_at: Instant
    added_by: str


def fingerprint(rules: Iterable[Rule]) -> str:
    """Return a digest that is the same for the same rules in any order."""
    documents = sorted((asdict(rule) for rule in rules), key=lambda document: str(document["name"]))
    return hashlib.sha256(to_text(documents).encode()).hexdigest()
