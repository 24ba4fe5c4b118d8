"""Programs in EC2 instances, run for the phases of plugins: each is a command of Systems Manager.

Theory of operation. The call that sends a command takes no token, so the command carries the id of its order as its
comment, and the commands of the instance are read before one is sent. The agent of the instance fetches it; until it
has reported for the first time, Systems Manager does not know the instance, which is waited for.
"""

import base64
import shlex
from collections.abc import Callable

from tenuto.errors import PermanentError, TransientError, UserError
from tenuto.model.ids import JsonMap, Partition
from tenuto.model.resource import ManagedObject
from tenuto.ports.programs import NEVER_RAN, ProgramEnd, ProgramOrder
from tenuto.providers.aws.blocks.calls import Listed
from tenuto.providers.aws.client.client import AccountClient

_DOCUMENT = "AWS-RunShellScript"
_COMMANDS = Listed(operation="ListCommands", id="CommandId", members="Commands").paging("ssm")
_RUNNING = frozenset({"Pending", "InProgress", "Delayed", "Cancelling"})
_RAN = frozenset({"Success", "Failed"})
_UNKNOWN_INSTANCE, _UNKNOWN_INVOCATION = "InvalidInstanceId", "InvocationDoesNotExist"
_LARGEST_INPUT = 40_000
"""Bytes: a command has at most 64 KiB, and the input travels in it as base64."""


class CommandPrograms:
    """Implements `ports.programs.Programs`."""

    def __init__(self, client: Callable[[Partition], AccountClient]) -> None:
        self._client = client

    def start(self, machine: ManagedObject, order: ProgramOrder) -> str:
        if len(order.stdin) > _LARGEST_INPUT:
            raise UserError(
                f"The input of a program of {order.asked_by} has {len(order.stdin):,} bytes, and Systems Manager takes "
                f"{_LARGEST_INPUT:,}. Put it where the machine can fetch it, such as in a bucket."
            )
        client, instance = self._client(machine.partition), _instance_of(machine)
        sent = next(
            (one for one in client.pages(_COMMANDS, InstanceId=instance) if one.get("Comment") == order.id), None
        )
        if sent is None:
            sent = self._sent(client, machine, instance, order)
        return str(sent["CommandId"])

    def end(self, machine: ManagedObject, handle: str) -> ProgramEnd | None:
        client, instance = self._client(machine.partition), _instance_of(machine)
        try:
            found = client.ask("ssm", "GetCommandInvocation", CommandId=handle, InstanceId=instance)
        except PermanentError as error:
            if error.code != _UNKNOWN_INVOCATION:
                raise
            # A command is not seen at once after it was sent.
            told = f"Systems Manager knows of no command {handle} at {instance} (yet)"
            raise TransientError(told, code=error.code, request_id=error.request_id) from error
        status, out = str(found["Status"]), str(found.get("StandardOutputContent") or "")
        if status in _RUNNING:
            return None
        if status in _RAN:
            code, err = int(found.get("ResponseCode") or 0), str(found.get("StandardErrorContent") or "")
            return ProgramEnd(code=code, stdout=out, stderr=err)
        told = f"it was not run to its end: {found.get('StatusDetails') or status}"
        return ProgramEnd(code=NEVER_RAN, stdout=out, stderr=told)

    def _sent(self, client: AccountClient, machine: ManagedObject, instance: str, order: ProgramOrder) -> JsonMap:
        try:
            answer = client.change(
                "ssm",
                "SendCommand",
                (machine.object_id,),
                InstanceIds=[instance],
                DocumentName=_DOCUMENT,
                Comment=order.id,
                Parameters={"commands": [_script(order)], "executionTimeout": [str(order.deadline_s)]},
            )
        except PermanentError as error:
            if error.code != _UNKNOWN_INSTANCE:
                raise
            raise TransientError(
                f"the agent of Systems Manager on {instance} has not reported yet: it needs an InstanceProfile with "
                "the policy AmazonSSMManagedInstanceCore, and a way to Systems Manager",
                code=error.code,
                request_id=error.request_id,
            ) from error
        found: JsonMap = answer["Command"]
        return found


def _instance_of(machine: ManagedObject) -> str:
    """The id of the instance of a node. Raises PermanentError for one that has none."""
    if machine.physical_id is None:
        raise PermanentError(
            f"{machine.logical_id} has no machine in the state {machine.state}, so no program runs in it. Let the "
            "phase be one of the states from Initialization to Deconfiguration.",
            code="NoMachine",
        )
    return machine.physical_id


def _script(order: ProgramOrder) -> str:
    """The line for the shell of the agent: the words are quoted, and the input is decoded on the machine."""
    program = shlex.join(order.words)
    if not order.stdin:
        return f"{program} < /dev/null"
    return f"printf %s {base64.b64encode(order.stdin).decode()} | base64 -d | {program}"
