"""AWS says in many codes that a call was one too many; the provider says it in one word."""

import pytest
from botocore.exceptions import ClientError

from tenuto.model.outcome import Pending
from tenuto.providers.aws.client.answers.faults import translate
from tenuto.providers.aws.outcomes import outcome_of


def answer(code: str, status: int = 400) -> ClientError:
    told = {"Error": {"Code": code, "Message": "m"}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(told, "CreateVpc")


@pytest.mark.parametrize(
    "error",
    [
        answer("ThrottlingException"),
        answer("RequestLimitExceeded", 503),
        answer("SlowDown", 503),
        answer("ProvisionedThroughputExceededException"),
        answer("LimitExceededException", 429),
    ],
)
def test_a_call_too_many_is_throttled_whatever_its_code(error: ClientError) -> None:
    failure = translate(error, "ec2 CreateVpc")
    outcome = outcome_of(failure)
    assert failure.is_throttled
    assert isinstance(outcome, Pending)
    assert outcome.is_throttled


@pytest.mark.parametrize("error", [answer("VpcLimitExceeded"), answer("InternalError", 500), answer("IncorrectState")])
def test_another_refusal_is_not_throttled(error: ClientError) -> None:
    failure = translate(error, "ec2 CreateVpc")
    outcome = outcome_of(failure)
    assert not failure.is_throttled
    assert not (isinstance(outcome, Pending) and outcome.is_throttled)
