"""The JSON Schema of policies. The compiler of policies has the last word (`access_policy`)."""

from tenuto.compositions.policies.approvals import PROPOSED
from tenuto.compositions.schemas.composition import DIALECT
from tenuto.model.access import Right
from tenuto.model.identity import DEFAULT_MINUTES
from tenuto.model.ids import JsonMap
from tenuto.model.proposal import When

_NAME: JsonMap = {"type": ["string", "number"]}
_VALUE: JsonMap = {"type": ["string", "number", "boolean"]}


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
    claim: JsonMap = {"anyOf": [_VALUE, {"type": "array", "items": _VALUE}]}
    identity = _object(
        {
            "Issuer": {"type": "string", "description": "The URL of the issuer whose tokens are meant."},
            "Audience": {"type": "string", "description": "The audience that a token must be for."},
            "Claims": {"type": "object", "description": "Claims with their values.", "additionalProperties": claim},
            "User": {**_NAME, "description": "A user of the policy, or a claim such as `{email}`."},
            "Commands": _some(commands, "The only commands that such a token gives."),
            "Accounts": _some(_NAME, "The only accounts, by name."),
            "Minutes": {"type": ["integer", "string"], "description": f"Until it ends; default: {DEFAULT_MINUTES}."},
        },
        required=["Issuer", "Audience", "User"],
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
                "Identities": {"type": "array", "items": identity},
            },
            required=["TenutoPolicy"],
        ),
    }


def _some(item: JsonMap, description: str) -> JsonMap:
    """One, or a list."""
    return {"description": description, "anyOf": [item, {"type": "array", "items": item}]}


def _object(properties: JsonMap, *, required: list[str]) -> JsonMap:
    return {"type": "object", "properties": properties, "additionalProperties": False, "required": required}
