"""Programs that hand out credentials (`credential_process`): none of them is waited for longer than its limit."""

import os
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from botocore.credentials import DeferredRefreshableCredentials
from botocore.exceptions import CredentialRetrievalError
from botocore.session import Session

from tenuto.errors import PermanentError, ProviderError, TransientError, UnconfirmedError
from tenuto.model.account import Account
from tenuto.providers.aws.client.entrance.guard import GuardedCredentials
from tenuto.providers.aws.client.entrance.programs import LATE, LONGEST_OUTPUT, AccountPrograms, CredentialPrograms
from tenuto.providers.aws.client.entrance.sessions import Sessions
from tenuto_testing.clock import VirtualClock

LIMIT_S = 1.0
PROD = Account(name="prod", provider="aws", settings={"profile": "p"})
CALLERS = 12
PATIENCE_S = 30.0
"""Far less than all callers would wait for with a program each, on any machine."""


class Book:
    """An account book with one account."""

    account_now = PROD

    def account(self, name: str) -> Account:
        if name != self.account_now.name:
            raise PermanentError("unknown", code="UnknownAccount")
        return self.account_now

    def confirm(self, name: str, account_id: str) -> None:
        raise AssertionError("nothing was to be confirmed")

    def secret(self, account: Account, setting: str) -> str | None:
        return None


class World:
    """The profile `p` with a program that notes the number of its process, starts another one, and never ends."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pids = folder / "pids"
        self.pids.touch()
        self.programs = CredentialPrograms(limit_s=LIMIT_S)
        self.clock = VirtualClock()
        self.book = Book()
        self.sessions = Sessions(own=Session(), accounts=self.book, clock=self.clock, programs=self.programs)
        self.have(f"sleep 3000 & echo $$ $! >> {shlex.quote(str(self.pids))}; exec sleep 3000")

    def have(self, script: str) -> None:
        program = self.folder / "program"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        (self.folder / "config").write_text(f"[profile p]\ncredential_process = {program}\n")

    @property
    def started(self) -> list[list[int]]:
        return [[int(word) for word in line.split()] for line in self.pids.read_text().splitlines()]

    def entered(self) -> ProviderError:
        with pytest.raises(ProviderError) as told:
            self.sessions.of("prod", "eu-west-1")
        return told.value

    def checked(self) -> ProviderError:
        with pytest.raises(ProviderError) as told:
            self.sessions.identify(PROD)
        return told.value

    def at_once(self, ask: Callable[[], ProviderError]) -> tuple[list[ProviderError], float]:
        """The answers to many callers that come together, and the seconds until the last of them."""
        together = threading.Barrier(CALLERS)

        def one(_number: int) -> ProviderError:
            together.wait()
            return ask()

        with ThreadPoolExecutor(CALLERS) as pool:
            began = time.monotonic()
            return list(pool.map(one, range(CALLERS))), time.monotonic() - began


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[World]:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    made = World(tmp_path)
    yield made
    made.programs.close()
    left = [pid for line in made.started for pid in line if is_running(pid)]
    assert not left, "programs were left behind"


def is_running(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_program_that_never_ends_is_ended_and_told_with_the_next_step(world: World) -> None:
    told = world.checked()
    assert isinstance(told, UnconfirmedError)
    assert told.code == LATE
    assert str(told).startswith("account prod: the program program (credential_process of the profile p) gave no ")
    assert "within 1 s, and Tenuto ended it." in str(told)
    assert "then 'tenuto account check prod'" in str(told)
    assert world.sessions.credentials("prod").problem == str(told)
    assert not any(is_running(pid) for line in world.started for pid in line)


def test_callers_who_check_an_account_together_wait_for_one_program(world: World) -> None:
    answers, lasted_s = world.at_once(world.checked)
    assert {one.code for one in answers} == {LATE}
    assert len(world.started) == 1
    assert lasted_s < PATIENCE_S


def test_callers_who_enter_an_account_together_wait_for_one_program(world: World) -> None:
    answers, _ = world.at_once(world.entered)
    assert {one.code for one in answers} == {LATE}
    assert len(world.started) == 1
    assert world.sessions.credentials("prod").problem == str(answers[0])
    world.entered()
    assert len(world.started) == 1, "it was tried again at once"
    world.clock.sleep(3600)
    world.entered()
    assert len(world.started) == 2, "it was never tried again"


def test_no_caller_waits_for_a_second_try_after_a_program_that_was_late(world: World) -> None:
    world.entered()
    with ThreadPoolExecutor(1) as pool:
        checking = pool.submit(world.checked)
        while len(world.started) < 2:
            time.sleep(0.01)
        world.clock.sleep(3600)
        assert world.entered().code == LATE
        assert not checking.done(), "the caller waited for the program of the other one"
        assert checking.result().code == LATE
    assert len(world.started) == 2


def test_the_problem_is_forgotten_with_the_next_answer_of_the_program(world: World) -> None:
    world.checked()
    world.have("echo no way in >&2; exit 1")
    assert "no way in" in str(world.checked())
    assert world.sessions.credentials("prod").problem == ""
    assert "no way in" in str(world.entered())


def test_settings_that_are_only_tried_are_no_problem_of_the_account(world: World) -> None:
    world.book.account_now = Account(name="prod", provider="aws", settings={"profile": "other"})
    world.checked()
    assert world.sessions.credentials("prod").problem == ""


def test_the_end_of_the_conductor_ends_a_program_and_starts_no_more(world: World) -> None:
    world.programs.limit_s = 3000.0
    with ThreadPoolExecutor(1) as pool:
        checking = pool.submit(world.checked)
        while not world.started:
            time.sleep(0.01)
        world.sessions.close()
        told = checking.result(timeout=PATIENCE_S)
    assert isinstance(told, TransientError)
    assert "since the Conductor ends" in str(told)
    assert isinstance(world.checked(), TransientError)
    assert len(world.started) == 1


def run(code: str, limit_s: float = PATIENCE_S) -> tuple[int, bytes, bytes]:
    start = AccountPrograms(CredentialPrograms(limit_s), PROD)
    ended = start([sys.executable, "-c", code])
    return ended.returncode, *ended.communicate()


def test_a_program_that_ends_gives_its_code_and_both_outputs() -> None:
    code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    assert run(code) == (3, b"out\n", b"err\n")


def test_a_long_output_is_read_to_its_end_and_kept_in_part() -> None:
    returncode, out, _ = run(f"print('x' * {8 * LONGEST_OUTPUT})")
    assert (returncode, len(out)) == (0, LONGEST_OUTPUT)


def test_a_program_that_closes_its_outputs_and_goes_on_is_ended() -> None:
    with pytest.raises(UnconfirmedError, match="gave no credentials within 1 s"):
        run("import os, time; os.close(1); os.close(2); time.sleep(3000)", LIMIT_S)


def test_a_program_that_was_late_is_not_started_again_by_its_session(world: World) -> None:
    start = world.programs.of(PROD)
    for _ in range(3):
        with pytest.raises(UnconfirmedError):
            start([str(world.folder / "program")])
    assert len(world.started) == 1


def test_a_program_that_does_not_exist_is_an_error_of_the_profile(world: World) -> None:
    with pytest.raises(CredentialRetrievalError, match="the program nothing cannot be started: No such file"):
        world.programs.of(PROD)([str(world.folder / "nothing")])
    (world.folder / "config").write_text("[profile p]\ncredential_process = /nothing\n")
    assert "Correct the profile p" in str(world.checked())


def test_a_renewal_that_comes_too_late_takes_the_credentials_as_lost(world: World) -> None:
    def renew() -> dict[str, str]:
        world.programs.of(PROD)([str(world.folder / "program")])
        raise AssertionError("the program has ended")

    found = DeferredRefreshableCredentials(refresh_using=renew, method="custom-process")
    lost: list[ProviderError] = []
    guard = GuardedCredentials(PROD, found, lambda _: "123456789012", lost.append, world.clock, 300.0)
    with pytest.raises(UnconfirmedError) as told:
        guard.get_frozen_credentials()
    assert lost == [told.value]
