"""Programs in EC2 instances, by commands of Systems Manager: sent once, and told as they ended."""

import base64
import subprocess
from collections.abc import Iterator
from typing import Any, cast

import pytest

from tenuto.errors import PermanentError, TransientError, UserError
from tenuto.model.ids import JsonMap, ObjectId, PhysicalId
from tenuto.model.resource import ManagedObject
from tenuto.ports.programs import NEVER_RAN, ProgramEnd, ProgramOrder
from tenuto.providers.aws.programs import CommandPrograms
from tenuto_testing.store_samples import an_object

NODE = an_object(object_id=ObjectId("node-1"), physical_id=PhysicalId("i-1"), state="Installation")


class Manager:
    """Systems Manager as far as programs need it: its calls are those of a client of an account."""

    def __init__(self) -> None:
        self.commands: list[JsonMap] = []
        self.failure: PermanentError | None = None
        self.invocation: JsonMap = {"Status": "Pending"}

    def pages(self, paging: Any, **asked: Any) -> Iterator[JsonMap]:
        yield from (one for one in self.commands if asked["InstanceId"] in one["InstanceIds"])

    def change(self, service: str, operation: str, objects: Any, **given: Any) -> JsonMap:
        if self.failure is not None:
            raise self.failure
        self.commands.append({**given, "CommandId": f"c-{len(self.commands) + 1}"})
        return {"Command": self.commands[-1]}

    def ask(self, service: str, operation: str, **asked: Any) -> JsonMap:
        if self.failure is not None:
            raise self.failure
        return self.invocation


@pytest.fixture
def manager() -> Manager:
    return Manager()


@pytest.fixture
def programs(manager: Manager) -> CommandPrograms:
    return CommandPrograms(lambda _: cast(Any, manager))


def an_order(words: tuple[str, ...] = ("uname", "-r"), stdin: bytes = b"", id: str = "one") -> ProgramOrder:  # noqa: A002
    return ProgramOrder(id=id, words=words, stdin=stdin, deadline_s=90, asked_by="phase Site.Install")


def test_an_order_that_comes_twice_is_one_command_and_another_one_is_another(
    programs: CommandPrograms, manager: Manager
) -> None:
    assert [programs.start(NODE, an_order()) for _ in range(2)] == ["c-1", "c-1"]
    assert programs.start(NODE, an_order(id="two")) == "c-2"
    [first, _] = manager.commands
    assert (first["InstanceIds"], first["DocumentName"], first["Comment"]) == (["i-1"], "AWS-RunShellScript", "one")
    assert first["Parameters"]["executionTimeout"] == ["90"]


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        (("echo", "a b", "$HOME", "it's", "*"), b""),
        (("cat",), b"one\n$two 'three'\x00\xff"),
        (("sh", "-s", "x y"), b'echo "got $1"'),
        (("cat",), b""),
    ],
)
def test_the_shell_of_the_agent_runs_the_words_and_gives_the_input_as_they_are(
    programs: CommandPrograms, manager: Manager, words: tuple[str, ...], stdin: bytes
) -> None:
    programs.start(NODE, an_order(words, stdin))
    [line] = manager.commands[0]["Parameters"]["commands"]
    through_the_agent = subprocess.run(
        ["sh", "-c", line], capture_output=True, check=True, stdin=subprocess.PIPE
    ).stdout
    assert through_the_agent == subprocess.run(list(words), capture_output=True, check=True, input=stdin).stdout


@pytest.mark.parametrize(
    ("told", "end"),
    [
        ({"Status": "InProgress"}, None),
        (
            {"Status": "Success", "ResponseCode": 0, "StandardOutputContent": "6.1\n"},
            ProgramEnd(code=0, stdout="6.1\n"),
        ),
        ({"Status": "Failed", "ResponseCode": 3, "StandardErrorContent": "no"}, ProgramEnd(code=3, stderr="no")),
        (
            {"Status": "TimedOut", "StatusDetails": "DeliveryTimedOut", "ResponseCode": -1},
            ProgramEnd(code=NEVER_RAN, stderr="it was not run to its end: DeliveryTimedOut"),
        ),
        ({"Status": "Cancelled"}, ProgramEnd(code=NEVER_RAN, stderr="it was not run to its end: Cancelled")),
    ],
)
def test_the_end_is_told_as_it_was(
    programs: CommandPrograms, manager: Manager, told: JsonMap, end: ProgramEnd | None
) -> None:
    manager.invocation = told
    assert programs.end(NODE, "c-1") == end


def test_an_agent_that_has_not_reported_yet_is_waited_for(programs: CommandPrograms, manager: Manager) -> None:
    manager.failure = PermanentError("Instances not in a valid state for account", code="InvalidInstanceId")
    with pytest.raises(TransientError, match="i-1 has not reported yet: it needs an InstanceProfile"):
        programs.start(NODE, an_order())
    manager.failure = PermanentError("no", code="InvocationDoesNotExist")
    with pytest.raises(TransientError, match=r"knows of no command c-1 at i-1 \(yet\)"):
        programs.end(NODE, "c-1")


def test_any_other_refusal_is_final(programs: CommandPrograms, manager: Manager) -> None:
    manager.failure = PermanentError("not authorized", code="AccessDeniedException")
    for call in (lambda: programs.start(NODE, an_order()), lambda: programs.end(NODE, "c-1")):
        with pytest.raises(PermanentError, match="not authorized"):
            call()


def test_a_node_without_a_machine_and_an_input_that_is_too_large_are_refused(
    programs: CommandPrograms, manager: Manager
) -> None:
    bare: ManagedObject = an_object(state="Validation")
    with pytest.raises(PermanentError, match="has no machine in the state Validation"):
        programs.start(bare, an_order())
    with pytest.raises(UserError, match="has 40,001 bytes, and Systems Manager takes 40,000"):
        programs.start(NODE, an_order(stdin=b"x" * 40_001))
    assert len(base64.b64encode(b"x" * 40_000)) < 64 * 1024
    assert manager.commands == []
