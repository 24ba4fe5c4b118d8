"""Equality of documents in JSON: everything in them counts, and a policy has more than one spelling.

Theory of operation. A structure of a service may be shown with members of the service's own; a document is a person's
own throughout. A member that is added to a policy, a pattern or an input changes what it means, and so does one that is
taken out, also when it holds `false`. So both sides have the same members at every depth.

A service that reads a policy writes it down in a spelling of its own: single values for lists of one, lists in another
order, accounts by another name (`Documents`). Any other text in JSON is kept as it is: the order of its lists counts.
"""

import json
import re
from collections.abc import Mapping

from tenuto.core.language.expressions import is_list
from tenuto.core.planning.equality.programs import is_same_program
from tenuto.core.planning.equality.scalars import scalar
from tenuto.model.ids import Json
from tenuto.model.spelling import Documents, Program, Retelling

WHOLE = Program()
"""The rule of documents of which no more is known."""


def is_same_text(sent: Json, shown: Json, words: Retelling) -> bool:
    """Whether two values, of which one at least is a text in JSON, are the same document."""
    one, other = document_of(sent), document_of(shown)
    if isinstance(one, Mapping) and not words.policies.isdisjoint(one):
        return bool(in_one_spelling(one, words.documents) == in_one_spelling(other, words.documents))
    return is_same_program(one, other, WHOLE)


def document_of(value: Json) -> Json:
    """The document that a text is the JSON of; any other value as it is."""
    inside = inside_of(value)
    return value if inside is None else inside


def inside_of(text: Json) -> Json:
    """The document that a text is the JSON of; None for any other value."""
    if not isinstance(text, str) or not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def parsed(text: Json) -> Json:
    """The mapping that a text is the JSON of: policies may be declared as either. Anything else stays as it is."""
    inside = inside_of(text)
    return inside if isinstance(inside, Mapping) else text


def in_one_spelling(document: Json, rule: Documents) -> Json:
    """A document in one spelling: parsed, single values as they are, lists of one unpacked, lists sorted."""
    document = parsed(document)
    if isinstance(document, Mapping):
        found = {key: in_one_spelling(value, rule) for key, value in sorted(document.items())}
        return found | {key: short for key, (long, short) in rule.members.items() if found.get(key) == long}
    if is_list(document):
        members = [in_one_spelling(member, rule) for member in document]
        if len(members) == 1:
            return members[0]
        return sorted(members, key=lambda member: json.dumps(member, sort_keys=True))
    text = scalar(document)
    for pattern in rule.texts:
        if match := re.fullmatch(pattern, text):
            return match["same"]
    return text
