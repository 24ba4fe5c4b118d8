"""The rules in force, as one text: a judgement is void when the rules have changed since."""

import hashlib
from collections.abc import Iterable
from dataclasses import asdict

from tenuto.kit.canonical import to_text
from tenuto.model.rule import Rule


def fingerprint(rules: Iterable[Rule]) -> str:
    """Return a digest that is the same for the same rules in any order."""
    documents = sorted((asdict(rule) for rule in rules), key=lambda document: str(document["name"]))
    return hashlib.sha256(to_text(documents).encode()).hexdigest()
