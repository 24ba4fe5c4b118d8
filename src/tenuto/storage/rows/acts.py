"""The text of an attempt in its column: a JSON object with the fields that were set, and no text for none.

An attempt is written by every run of a provider's phase, so its few fields are copied by name.
"""

import json
from dataclasses import fields

from tenuto.kit.canonical import to_text
from tenuto.model.attempt import UNTRIED, Attempt, AttemptState

_DEFAULTS = tuple((field.name, getattr(UNTRIED, field.name)) for field in fields(Attempt) if field.name != "state")


def act_text(act: Attempt) -> str | None:
    """The text of an attempt. Raises DocumentError when the provider's note of it is no JSON value."""
    if act is UNTRIED:
        return None
    written = {name: value for name, default in _DEFAULTS if (value := getattr(act, name)) != default}
    if not written and act.state is UNTRIED.state:
        return None
    return to_text({"state": act.state.value, **written})


def act_of(text: str | None) -> Attempt:
    """The attempt of a text, or of none."""
    if text is None:
        return UNTRIED
    document = json.loads(text)
    duplicates = tuple(document.pop("duplicates", ()))
    return Attempt(state=AttemptState(document.pop("state")), duplicates=duplicates, **document)
