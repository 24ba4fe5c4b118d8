"""The JSON Schema of rules, which hold every composition. The reader of rules has the last word (`rules.document`)."""

from tenuto.compositions.rules.document import KEYS, LONGEST, NAME, REQUIRED
from tenuto.compositions.schemas.composition import DIALECT
from tenuto.model.diagnostic import Severity
from tenuto.model.ids import JsonMap


def rule_schema() -> JsonMap:
    """The schema of the file of one rule."""
    texts: dict[str, JsonMap] = {
        key: {"type": "string", "minLength": 1, "maxLength": LONGEST[key]} for key in KEYS if key in LONGEST
    }
    texts["name"] = {**texts["name"], "pattern": f"^{NAME.pattern}$"}
    texts["applies_to"] = {**texts["applies_to"], "description": "A resource type, or `composition` for the whole."}
    texts["expression"] = {**texts["expression"], "description": "An expression of CEL that holds for what is allowed."}
    return {
        "$schema": DIALECT,
        "title": "A rule of Tenuto",
        "type": "object",
        "properties": {**texts, "severity": {"enum": [one.value for one in Severity]}},
        "additionalProperties": False,
        "required": list(REQUIRED),
    }
