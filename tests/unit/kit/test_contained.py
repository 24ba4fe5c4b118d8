"""Exceptions that are meant to end a program, raised by code of others."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tenuto.kit.contained import ContainedError, contained
from tenuto_testing.mortality import Crash


def leave(error: BaseException) -> None:
    with contained("it"):
        raise error


@pytest.mark.parametrize("error", [SystemExit(1), GeneratorExit()])
def test_an_exception_that_ends_a_thread_becomes_an_error_that_names_the_code(error: BaseException) -> None:
    with pytest.raises(ContainedError, match=r"^it "):
        leave(error)


def test_an_error_goes_on_as_it_is() -> None:
    with pytest.raises(KeyError):
        leave(KeyError("a"))


def test_ctrl_c_goes_on_in_the_main_thread_and_nowhere_else() -> None:
    with pytest.raises(KeyboardInterrupt):
        leave(KeyboardInterrupt())
    with ThreadPoolExecutor(1) as other, pytest.raises(Crash):
        other.submit(leave, Crash()).result()
    with ThreadPoolExecutor(1) as other, pytest.raises(ContainedError, match="raised KeyboardInterrupt"):
        other.submit(leave, KeyboardInterrupt()).result()
