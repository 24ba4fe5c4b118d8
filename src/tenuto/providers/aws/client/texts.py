"""Declared values as AWS takes them where everything is text: attributes of queues and topics, policy documents."""

import json

from tenuto.model.ids import Json


def text_of(value: Json) -> str:
    """Text as it is, numbers and truth values in words, anything else as JSON."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else json.dumps(value)
