"""The JSON Schema of policies: who may do what. The compiler of policies has the last word (`access_policy`)."""

from tenuto.compositions.policies.approvals import PROPOSED
from tenuto.compositions.schemas.composition import DIALECT
from tenuto.model.access import Right
from tenuto.model.ids import JsonMap
from tenuto.model.proposal import When

_NAME: JsonMap = {"type": ["string", "number"]}


def policy_schema() -> JsonMap:
    """The schema of a file that begins with `TenutoPolicy: 1`."""
    commands: JsonMap = {"enum": ["all", "questions", *(right.value for right in Right)]}
    grant = _object(
        {
            "To": _some(_NAME, "Users and groups."),
            "Commands": _some(commands, "Commands; `questions` are those that only read, `all` those about processes."),
            "Accounts": _some(_NAME, "Patterns of the accounts of processes."),
            "Aliases": _some(_NAME, "Patterns of the aliases of processes; without them every process."),
        },
        required=["To", "Commands"],
    )
    approval = _object(
        {
            "Accounts": _some(_NAME, "Patterns of the accounts in which the rule applies."),
            "Commands": _some({"enum": [right.value for right in PROPOSED]}, "Commands that take an approval."),
            "When": {"enum": [one.value for one in When]},
            "By": _some(_NAME, "Users and groups who may approve."),
            "Count": {"type": ["integer", "string"], "description": "Approvals that are needed; default: 1."},
        },
        required=["Accounts", "Commands", "By"],
    )
    return {
        "$schema": DIALECT,
        "title": "A policy of Tenuto",
        **_object(
            {
                "TenutoPolicy": {"enum": [1, "1"]},
                "Users": _some(_NAME, "The users, by name."),
                "Groups": {"type": "object", "additionalProperties": _some(_NAME, "The users of the group.")},
                "Grants": {"type": "array", "items": grant},
                "Approvals": {"type": "array", "items": approval},
            },
            required=["TenutoPolicy"],
        ),
    }


def _some(item: JsonMap, description: str) -> JsonMap:
    """One, or a list."""
    return {"description": description, "anyOf": [item, {"type": "array", "items": item}]}


def _object(properties: JsonMap, *, required: list[str]) -> JsonMap:
    return {"type": "object", "properties": properties, "additionalProperties": False, "required": required}
