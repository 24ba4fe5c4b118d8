"""Echo requests: their form, and what counts as an answer."""

import struct

import pytest

from tenuto.providers.local.executor.networking.echo import checksum, is_answer, packet
from tenuto.providers.local.executor.requests import NetworkOrder, PingNetwork
from tenuto.providers.local.rules.networks.spec import UnusableValueError

CONTENT = b"0123456789"
ORDER = NetworkOrder(
    vni=5000,
    cidr="10.1.0.0/24",
    gateway_host="h1",
    mtu=1450,
    has_dhcp=True,
    has_nat=False,
    host="h1",
    hosts={"h1": "192.0.2.1"},
    ports=(),
)


def answer(request: bytes, options: int = 0) -> bytes:
    """The answer of an honest guest, as a raw socket gives it: behind a header with so many words of options."""
    body = b"\0" + request[1:2] + b"\0\0" + request[4:]
    return bytes([0x45 + options]) + bytes(19 + 4 * options) + body


def test_a_request_carries_a_right_checksum() -> None:
    request = packet(7, 1, CONTENT)
    assert checksum(request) == 0
    assert struct.unpack(">BBHHH", request[:8])[::3] == (8, 7), request
    assert checksum(b"\x01") == 0xFEFF


@pytest.mark.parametrize("options", [0, 10])
def test_the_answer_to_the_request_counts(options: int) -> None:
    assert is_answer(answer(packet(7, 1, CONTENT), options), 7, 1, CONTENT)


@pytest.mark.parametrize(
    "received",
    [
        b"",
        bytes(19),
        b"\x4f" + bytes(30),
        answer(packet(8, 1, CONTENT)),
        answer(packet(7, 2, CONTENT)),
        answer(packet(7, 1, b"forged")),
        bytes([0x45]) + bytes(19) + packet(7, 1, CONTENT),
    ],
)
def test_everything_else_does_not(received: bytes) -> None:
    assert not is_answer(received, 7, 1, CONTENT)


def test_the_executor_takes_addresses_of_the_network_alone() -> None:
    PingNetwork(network=ORDER, address="10.1.0.5", count=3)
    for address, count in (("10.2.0.5", 3), ("10.1.0.5", 0), ("10.1.0.5", 6), ("-c1", 3), ("10.1.0.5 ", 3)):
        with pytest.raises(UnusableValueError):
            PingNetwork(network=ORDER, address=address, count=count)
