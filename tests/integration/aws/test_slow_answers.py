"""An answer that comes drop by drop is lost when its time is over. The time is short, and nothing is measured."""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest
from botocore.config import Config
from botocore.exceptions import ReadTimeoutError

from tenuto.errors import TransientError
from tenuto.model.account import Account
from tenuto.providers.aws.client.answers.faults import translate
from tenuto.providers.aws.client.entrance.account_session import AccountSession
from tenuto_testing.cloud.sessions import ClosedSession

BODY = b"<DescribeVpcsResponse><vpcSet/></DescribeVpcsResponse>"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: %d\r\n\r\n" % len(BODY)


class DrippingEndpoint:
    """Sends the first part of an answer at once, and of the rest a byte whenever it has waited for `drop_s`."""

    def __init__(self, at_once: bytes, drops: bytes, drop_s: float) -> None:
        self._at_once = at_once
        self._drops = drops
        self._drop_s = drop_s
        self._closing = threading.Event()
        self._server = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.getsockname()[1]}"

    def close(self) -> None:
        self._closing.set()
        self._thread.join()
        self._server.close()

    def _serve(self) -> None:
        connection, _ = self._server.accept()
        with connection, suppress(OSError):
            connection.recv(65536)
            connection.sendall(self._at_once)
            for at in range(len(self._drops)):
                self._closing.wait(self._drop_s)
                connection.sendall(self._drops[at : at + 1])
            self._closing.wait()


@pytest.fixture
def endpoint(request: pytest.FixtureRequest) -> Iterator[DrippingEndpoint]:
    made = DrippingEndpoint(*request.param)
    yield made
    made.close()


def describe(endpoint: DrippingEndpoint, read_timeout_s: float) -> object:
    session = AccountSession(ClosedSession(endpoint=endpoint.url), Account(name="a"), "eu-west-1")
    config = Config(read_timeout=read_timeout_s, retries={"total_max_attempts": 1})
    return session.create_client("ec2", "eu-west-1", config).describe_vpcs()["Vpcs"]


@pytest.mark.parametrize(
    "endpoint", [(HEAD, BODY, 0.1), (HEAD[:20], HEAD[20:] + BODY, 0.1)], ids=["body", "headers"], indirect=True
)
def test_an_answer_whose_drops_never_end_in_time_is_a_lost_one(endpoint: DrippingEndpoint) -> None:
    """Each drop comes before anybody would call it silence, and all of them would take seconds."""
    with pytest.raises(ReadTimeoutError) as lost:
        describe(endpoint, 0.5)
    error = translate(lost.value, "ec2 DescribeVpcs")
    assert isinstance(error, TransientError)
    assert error.code == "NoAnswer"


@pytest.mark.parametrize("endpoint", [(HEAD[:20], HEAD[20:] + BODY, 0.0)], indirect=True)
def test_drops_that_are_there_in_time_are_an_answer(endpoint: DrippingEndpoint) -> None:
    assert describe(endpoint, 30.0) == []
