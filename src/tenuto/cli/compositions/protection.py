"""Termination protection of a stack of the CDK, which is the lock of its process.

A process that is run is locked from the start, in one request. One that is there is locked after the command, when it
is not locked yet. No command takes the lock away: the app may say less than the operator who set it.
"""

from tenuto.cli.client.client import Client
from tenuto.cli.compositions.stacks import Part
from tenuto.cli.terminal.exits import ApiProblem
from tenuto.cli.terminal.session import Session
from tenuto.model.ids import JsonMap


def locking(part: Part) -> JsonMap:
    """The member of a body that locks the process where it is new."""
    return {"locked": True} if part.is_protected else {}


def locked(session: Session, client: Client, part: Part, document: JsonMap) -> JsonMap:
    """The document of the process after it is locked, when its stack is protected. A refusal is told, and ends nothing:
    the command itself was taken."""
    if not part.is_protected or document["lock"]:
        return document
    try:
        return client.put("processes", document["fid"], "properties", "lock", body={"value": "on"})
    except ApiProblem as refused:
        name = document["alias"] or document["fid"]
        session.say(
            f"Warning: {name} is not locked, although its stack has termination protection. {refused} "
            f"'tenuto property {name} lock --set on' locks it."
        )
        return document
