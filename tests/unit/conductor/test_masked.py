"""The face of a provider that tells no secret."""

import traceback
from asyncio import CancelledError
from collections.abc import Callable, Sequence
from typing import cast

import pytest

from tenuto.conductor.providing.requests import MaskedProvider
from tenuto.errors import PermanentError, TransientError, UnconfirmedError
from tenuto.model.ids import LogicalId, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Pending, Refused, Request
from tenuto.ports.provider import Provider

HOME = Partition(account="default", region="here")
SECRET = "Zq9SuperSecret"
SAID = f"Value ({SECRET}) is invalid"
MASKED = "Value (****) is invalid"


def request(name: str, *secrets: str) -> Request:
    return Request(
        object_id=ObjectId(name),
        fid=None,
        process_name="",
        logical_id=LogicalId(name),
        type=TypeName("A::B"),
        token=name,
        properties={},
        secrets=secrets,
    )


REQUESTS = (request("one"), request("two", SECRET))


class Answering:
    """A provider that gives one answer to every call."""

    name = "answering"

    def __init__(self, answer: Callable[[], Sequence[object]]) -> None:
        self._answer = answer

    def __getattr__(self, method: str) -> Callable[..., Sequence[object]]:
        return lambda partition, requests: self._answer()


def masked(answer: Callable[[], Sequence[object]]) -> MaskedProvider:
    return MaskedProvider(cast("Provider", Answering(answer)))


@pytest.mark.parametrize("method", ["create", "modify", "delete", "claim", "disclaim"])
def test_the_words_of_every_outcome_are_masked_with_the_secrets_of_the_whole_call(method: str) -> None:
    outcomes: list[Outcome] = [Refused(message=SAID, code="Bad", hint=SAID), Pending(message=SAID, hint=SAID)]
    told = getattr(masked(lambda: outcomes), method)(HOME, REQUESTS)
    assert told == [Refused(message=MASKED, code="Bad", hint=MASKED), Pending(message=MASKED, hint=MASKED)]


def test_what_is_done_keeps_its_attributes() -> None:
    done = Done(physical_id=PhysicalId("x"), attributes={"Name": SECRET})
    assert masked(lambda: [done, done]).create(HOME, REQUESTS) == [done, done]


def test_a_found_thing_keeps_its_properties_and_loses_the_secret_in_its_message() -> None:
    item = ObservedItem(physical_id=PhysicalId("x"), properties={"Label": SECRET}, message=SAID)
    [nothing, found] = masked(lambda: [None, item]).find(HOME, REQUESTS)
    assert nothing is None
    assert found is not None
    assert (found.message, found.properties) == (MASKED, {"Label": SECRET})


@pytest.mark.parametrize("family", [TransientError, PermanentError, UnconfirmedError])
@pytest.mark.parametrize("method", ["find", "create", "delete"])
def test_an_error_keeps_its_family_and_code_and_tells_no_secret_in_its_traceback(
    family: type[PermanentError], method: str
) -> None:
    def fail() -> Sequence[object]:
        try:
            raise ValueError(SAID)
        except ValueError as error:
            raise family(SAID, code="Bad", request_id="req-1") from error

    with pytest.raises(family) as raised:
        getattr(masked(fail), method)(HOME, REQUESTS)
    assert type(raised.value) is family
    assert (str(raised.value), raised.value.code, raised.value.request_id) == (MASKED, "Bad", "req-1")
    assert SECRET not in "".join(traceback.format_exception(raised.value))


def test_an_error_whose_cause_alone_tells_a_secret_loses_the_cause() -> None:
    def fail() -> Sequence[object]:
        try:
            raise ValueError(SAID)
        except ValueError as error:
            raise PermanentError("refused", code="Bad") from error

    with pytest.raises(PermanentError, match="refused") as raised:
        masked(fail).create(HOME, REQUESTS)
    assert SECRET not in "".join(traceback.format_exception(raised.value))


def test_a_mistake_of_a_provider_that_tells_a_secret_becomes_a_permanent_error() -> None:
    def fail() -> Sequence[object]:
        return [int(SECRET)]

    with pytest.raises(PermanentError) as raised:
        masked(fail).modify(HOME, REQUESTS)
    assert raised.value.code == "ValueError"
    assert SECRET not in "".join(traceback.format_exception(raised.value))


def test_an_error_without_a_secret_is_raised_as_it_is() -> None:
    error = KeyError("State")

    def fail() -> Sequence[object]:
        raise error

    with pytest.raises(KeyError) as raised:
        masked(fail).create(HOME, REQUESTS)
    assert raised.value is error


@pytest.mark.parametrize("error", [CancelledError(), SystemExit(3), GeneratorExit()])
@pytest.mark.parametrize("method", ["create", "modify", "delete", "claim", "disclaim", "find"])
def test_an_exception_that_ends_threads_is_told_as_a_fault_of_the_provider(method: str, error: BaseException) -> None:
    def fail() -> Sequence[object]:
        raise error

    with pytest.raises(PermanentError, match="the provider answering") as raised:
        getattr(masked(fail), method)(HOME, REQUESTS)
    assert raised.value.code == "ProviderFault"


@pytest.mark.parametrize(
    ("answer", "told"),
    [([], "gave 0 answers"), ([None, None], r"gave 2 answers \(NoneType\)"), (None, "gave NoneType")],
)
@pytest.mark.parametrize("method", ["create", "modify", "delete", "claim", "disclaim"])
def test_answers_that_do_not_fit_the_requests_are_told_as_a_fault_of_the_provider(
    method: str, answer: Sequence[object], told: str
) -> None:
    with pytest.raises(PermanentError, match=told) as raised:
        getattr(masked(lambda: answer), method)(HOME, REQUESTS)
    assert raised.value.code == "ProviderFault"
    assert "the provider answering has a fault" in str(raised.value)


def test_a_look_up_that_answers_fewer_things_is_told_as_a_fault_of_the_provider() -> None:
    with pytest.raises(PermanentError, match=r"its 'find' must give one answer \(ObservedItem, None\)"):
        masked(lambda: [None]).find(HOME, REQUESTS)
