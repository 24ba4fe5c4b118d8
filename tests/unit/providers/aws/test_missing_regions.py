"""The host of a service that has no address: a region without the service, or a network that is down."""

from socket import EAI_AGAIN, EAI_NONAME, gaierror
from typing import Any

import pytest
from aws_sessions import open_session
from botocore.exceptions import EndpointConnectionError

from tenuto.errors import PermanentError, ProviderError, TransientError
from tenuto.model.account import DEFAULT_ACCOUNT, Account
from tenuto.model.ids import Partition
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.client import READ_TRIES, AccountClient
from tenuto.providers.aws.client.entrance.account_session import AccountSession
from tenuto.providers.aws.rates.ledger import RateLedger
from tenuto_testing.clock import VirtualClock
from tenuto_testing.ops import RecordedOps

HOME = "us-east-1"
ELSEWHERE = "us-west-7"
"""A region that AWS may open one day."""
LIST = {"kms": "ListKeys", "iam": "ListRoles"}


class Unresolved:
    """The network of a machine where no name has an address, for a reason. Counts the tries."""

    def __init__(self, reason: int) -> None:
        self.reason = reason
        self.tries = 0

    def __call__(self, request: Any, **_: object) -> None:
        self.tries += 1
        cause = OSError("Failed to resolve")
        cause.__cause__ = gaierror(self.reason, "no address")
        raise EndpointConnectionError(endpoint_url=request.url, error=cause)


def failure(network: Unresolved, region: str, service: str = "kms") -> ProviderError:
    session = open_session()
    session.set_credentials("test", "test")
    session.register("before-send", network)
    client = AccountClient(
        session=AccountSession(session, Account(name=DEFAULT_ACCOUNT, provider="aws"), region),
        partition=Partition(account=DEFAULT_ACCOUNT, region=region),
        ops=RecordedOps(),
        clock=VirtualClock(),
        ledger=RateLedger(),
    )
    with pytest.raises(ProviderError) as failed:
        client.read(service, LIST[service])
    return failed.value


def test_a_service_that_a_region_lacks_is_asked_for_once_and_told_as_such() -> None:
    network = Unresolved(EAI_NONAME)
    error = failure(network, ELSEWHERE)
    assert isinstance(error, PermanentError)
    assert faults.is_unserved(error)
    assert "AWS publishes no endpoint of the service in us-west-7" in str(error)
    assert "choose a region that offers it" in faults.hint(error)
    assert network.tries == 1


@pytest.mark.parametrize(
    ("reason", "region", "service"),
    [(EAI_NONAME, HOME, "kms"), (EAI_AGAIN, ELSEWHERE, "kms"), (EAI_NONAME, ELSEWHERE, "iam")],
    ids=["a region that has it", "a name that nobody answered", "a service that the SDK lists nowhere"],
)
def test_a_name_without_an_address_is_a_passing_fault_elsewhere(reason: int, region: str, service: str) -> None:
    network = Unresolved(reason)
    error = failure(network, region, service)
    assert isinstance(error, TransientError)
    assert "cannot be reached" in str(error)
    assert network.tries == READ_TRIES
