"""A failure names resource, phase, the provider's words, code and request id, and the command that goes on."""

from dataclasses import replace

import pytest
from front import Front, entry, submission

from tenuto.core.planning.failures import blocked_message, failure_message, words_of
from tenuto.core.planning.intents import command_that_goes_on
from tenuto.errors import PermanentError, TransientError
from tenuto.model.command import Command, ProcessState
from tenuto.model.process import Process, ReleaseMode
from tenuto.model.resource import ManagedObject


@pytest.fixture
def front() -> Front:
    return Front()


@pytest.fixture
def process(front: Front) -> Process:
    return front.commands.run(submission(), alias="web")


def test_every_failed_resource_is_told_with_phase_code_and_request(front: Front, process: Process) -> None:
    quota = entry("aws.create", "Failed", message="No quota is left.", code="VpcLimitExceeded", request_id="r-1")
    denied = entry("aws.create", "Failed", message="Not permitted (AccessDenied)", code="AccessDenied")
    net = front.add_object(process, "Net", phases={quota.phase: quota})
    sub = front.add_object(process, "Sub", phases={denied.phase: denied})
    assert failure_message(process, [sub, net]) == (
        "Net (Simulated::Network): aws.create failed: No quota is left (VpcLimitExceeded, request r-1); "
        "Sub (Simulated::Network): aws.create failed: Not permitted (AccessDenied). "
        "Once the cause is removed, 'tenuto resume web' goes on. "
        "Otherwise change the composition ('tenuto update web FILE', then 'tenuto resume web'), "
        "or end the process ('tenuto kill web')."
    )


def test_many_failures_are_told_by_their_reasons(front: Front, process: Process) -> None:
    def fails(name: str, code: str) -> ManagedObject:
        failed = entry("aws.create", "Failed", message=f"{name} is refused", code=code)
        return front.add_object(process, name, phases={failed.phase: failed})

    many = [fails(f"Net{number:03}", "VpcLimitExceeded") for number in range(600)]
    message = failure_message(process, [*many, fails("Sub", "AccessDenied")])
    assert message.startswith(
        "Net000 (Simulated::Network): aws.create failed: Net000 is refused (VpcLimitExceeded); "
        "Net001 (Simulated::Network): aws.create failed: Net001 is refused (VpcLimitExceeded); "
        "598 more for this reason (VpcLimitExceeded); "
        "Sub (Simulated::Network): aws.create failed: Sub is refused (AccessDenied). "
        "'tenuto show web --status failed' lists them all. Once the cause is removed"
    )
    each = [fails(f"Own{number}", f"Code{number}") for number in range(9)]
    told = failure_message(process, each)
    assert "Own4" in told
    assert "Own5" not in told
    assert "; 4 more. 'tenuto show web" in told
    assert "more" not in failure_message(process, each[:5])


@pytest.mark.parametrize(
    ("target", "command"),
    [
        ("Started", "kill web"),
        ("Terminated", "release web"),
        ("Released", "release web --keep-tags"),
    ],
)
def test_a_failure_names_a_command_that_does_not_need_what_failed(
    front: Front, process: Process, target: str, command: str
) -> None:
    denied = entry("aws.create", "Failed", message="Not permitted", code="AccessDenied")
    net = front.add_object(process, "Net", target=target, phases={denied.phase: denied})
    assert f"'tenuto {command}')." in failure_message(process, [net])


def test_a_process_that_cannot_be_observed_is_told_how_it_ends_without_a_call(process: Process) -> None:
    killing = replace(process, state=ProcessState.KILLING)
    error = PermanentError("sweep is not permitted")
    assert "'tenuto release web --keep-tags' ends the process" in blocked_message(process, error)
    assert "After 'tenuto suspend web'" in blocked_message(killing, error)
    assert blocked_message(process, TransientError("no answer")) == "no answer"


def test_a_failed_kill_goes_on_with_kill_and_a_failed_release_with_release(process: Process) -> None:
    killing = replace(process, state=ProcessState.KILLING)
    releasing = replace(process, releasing=ReleaseMode.UNTAG)
    assert command_that_goes_on(process) is Command.RESUME
    assert command_that_goes_on(killing) is Command.KILL
    assert command_that_goes_on(releasing) is Command.RELEASE
    assert "'tenuto kill web' goes on" in failure_message(killing, [])


def test_a_phase_that_said_nothing_has_the_code_for_its_words() -> None:
    assert words_of(entry("a", "Failed", code="Throttling", request_id="r")) == "Throttling, request r"
    assert words_of(entry("a", "Failed")) == ""
