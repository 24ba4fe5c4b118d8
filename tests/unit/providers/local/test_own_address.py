"""The address of a host: it stays while the host has it, and gives way to another one when it is gone."""

import pytest

from tenuto.errors import UserError
from tenuto.providers.local.agent.own_address import OwnAddress, address_towards, addresses_of, has_address
from tenuto.providers.local.agent.troubles import ADDRESS, DISK, Troubles


class Links:
    """The addresses of a host, and the one that it would call from."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = list(addresses)
        self.troubles = Troubles()

    def towards(self) -> str:
        if not self.addresses:
            raise UserError("This machine has no IPv4 address.")
        return self.addresses[0]

    def own(self, named: str = "") -> OwnAddress:
        return OwnAddress(
            named, self.towards, is_here=lambda address: address in self.addresses, troubles=self.troubles
        )


def test_an_address_that_is_still_there_stays_wherever_the_routes_lead() -> None:
    links = Links("10.0.0.11")
    own = links.own()
    links.addresses = ["10.9.9.9", "10.0.0.11"]
    assert own.now() == "10.0.0.11"


def test_an_address_that_is_gone_gives_way_to_the_one_towards_the_conductor() -> None:
    links = Links("10.0.0.11")
    own = links.own()
    links.addresses = ["10.0.0.21"]
    assert own.now() == "10.0.0.21"
    links.addresses = ["10.0.0.11", "10.0.0.21"]
    assert own.now() == "10.0.0.21", "and it goes back and forth with nothing"


def test_a_host_without_any_address_keeps_the_last_one() -> None:
    """An uplink that is down for a while is no move."""
    links = Links("10.0.0.11")
    own = links.own()
    links.addresses = []
    assert own.now() == "10.0.0.11"
    links.addresses = ["10.0.0.11"]
    assert own.now() == "10.0.0.11"


def test_an_address_that_a_person_has_named_stays_and_its_loss_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    links = Links("10.0.0.21")
    own = links.own("10.0.0.11")
    assert [own.now(), own.now()] == ["10.0.0.11"] * 2
    told = capsys.readouterr()
    assert (told.out + told.err).count("no link of this host has the address") == 1


def test_an_address_that_is_gone_is_a_trouble_of_the_host_until_it_is_back() -> None:
    links = Links("10.0.0.21")
    own = links.own("10.0.0.11")
    own.now()
    [told] = links.troubles.now()
    assert "no link of this host has the address 10.0.0.11" in told
    links.addresses.append("10.0.0.11")
    own.now()
    assert links.troubles.now() == ()


def test_the_worst_trouble_is_told_first() -> None:
    troubles = Troubles()
    troubles.tell(ADDRESS, "the address is gone")
    troubles.tell(DISK, "the disk takes no writes")
    assert troubles.now() == ("the disk takes no writes", "the address is gone")


def test_a_machine_tells_its_own_addresses_and_those_of_others_apart() -> None:
    assert has_address("127.0.0.1")
    assert not has_address("192.0.2.1")
    assert address_towards("https://127.0.0.1:8687") == "127.0.0.1"


def test_the_addresses_of_a_conductor_are_those_of_its_name() -> None:
    assert addresses_of("https://192.0.2.9:8687") == ("192.0.2.9",)
    assert addresses_of("https://localhost:8687") == ("127.0.0.1",)
    assert addresses_of("https://[::1]:8687") == addresses_of("https://name.invalid") == ()
