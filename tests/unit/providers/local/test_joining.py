"""Hosts join: tokens that end, secrets that are refused, one driver for a zone, an agent that follows one leader."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tenuto.errors import ForbiddenError, NotAllowedError, NotFoundError, UserError
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.providers.local.agent.journal import Journal
from tenuto.providers.local.hosts.blobs import HostBlobs
from tenuto.providers.local.hosts.book import TOKEN_S, HostBook
from tenuto.providers.local.hosts.door import LocalDoor
from tenuto.providers.local.hosts.lines import Lines
from tenuto.providers.local.hosts.parts import HostParts
from tenuto.providers.local.images.folder import BlobFolder
from tenuto.providers.local.wire.messages import GENERATIONS, Order, Poll, Register, Verb, written
from tenuto.providers.local.wire.tokens import Token, bearer, digest_of
from tenuto.storage.open import open_store
from tenuto_testing.clock import VirtualClock

ZONE = "rack-1"


class Zone:
    """The door of a Conductor, and agents that call it."""

    def __init__(self) -> None:
        self.store = open_store("memory:")
        self.clock = VirtualClock()
        self.steady = 0.0
        self.book = HostBook(self.store, self.clock)
        lines = Lines(lambda: 7, lambda: self.steady)
        self.door = LocalDoor(
            book=self.book,
            lines=lines,
            epoch=lambda: 7,
            is_simulated=lambda zone: zone == "toys",
            blobs=HostBlobs(self.store, BlobFolder(None)),
            parts=HostParts(self.store, BlobFolder(None), self.clock),
        )

    def token(self, name: str) -> str:
        made = self.door.enroll(ZONE, name, url="https://10.0.0.1:8687", fingerprint="0" * 64, actor="ada")
        return Token.parse(str(made["token"])).secret

    def register(self, name: str, secret: str, **told: object) -> JsonMap:
        message = Register(
            **{"versions": (1,), "boot_id": name, "driver": "ns", "cores": 2, "memory_mib": 4096, **told}  # type: ignore[arg-type]
        )
        return self.door.register(self.door.admit(bearer(ZONE, name, secret)), written(message))

    def join(self, name: str, **told: object) -> JsonMap:
        """A host joins with a token, and has the secret `own` from then on."""
        return self.register(name, self.token(name), secret_digest=digest_of("own"), **told)


@pytest.fixture
def zone() -> Iterator[Zone]:
    made = Zone()
    yield made
    made.store.close()


def test_a_host_joins_once_with_a_token_and_comes_back_with_its_own_secret(zone: Zone) -> None:
    token = zone.token("h1")
    zone.register("h1", token, secret_digest=digest_of("own"))
    with pytest.raises(ForbiddenError, match="was used or has expired"):
        zone.register("h1", token, secret_digest=digest_of("another"))
    assert zone.register("h1", "own")["epoch"] == 7


def test_a_token_ends_after_an_hour(zone: Zone) -> None:
    token = zone.token("h1")
    zone.clock.advance(TOKEN_S)
    with pytest.raises(ForbiddenError, match="was used or has expired"):
        zone.register("h1", token, secret_digest=digest_of("own"))


def test_a_wrong_secret_and_a_wrong_name_are_refused_in_the_same_words(zone: Zone) -> None:
    zone.join("h1")
    told = set()
    for name, secret in (("h1", "wrong"), ("h2", "own"), ("h1", ""), ("h1/../h1", "own")):
        with pytest.raises(ForbiddenError) as refused:
            zone.register(name, secret)
        told.add(str(refused.value))
    assert len(told) == 1


def test_the_first_host_sets_the_driver_of_its_zone(zone: Zone) -> None:
    zone.join("h1")
    with pytest.raises(NotAllowedError, match="have the driver ns"):
        zone.join("h2", driver="memory")


def test_a_live_name_is_not_given_twice_and_a_silent_one_is(zone: Zone) -> None:
    zone.join("h1")
    token = zone.token("h1")
    with pytest.raises(NotAllowedError, match="answers already"):
        zone.register("h1", token, boot_id="another machine", secret_digest=digest_of("new"))
    zone.steady += 60
    zone.register("h1", token, boot_id="another machine", secret_digest=digest_of("new"))
    with pytest.raises(ForbiddenError):
        zone.register("h1", "own")


def test_of_two_agents_with_one_state_the_later_one_is_believed(zone: Zone) -> None:
    """Each took the place of the other five times a second, and each was sent half of the orders."""
    zone.join("h1", run="first")
    zone.register("h1", "own", run="copy")
    with pytest.raises(NotAllowedError, match=r"a copy of this one's state directory\. Stop one of the two"):
        zone.register("h1", "own", run="first")
    zone.register("h1", "own", run="copy")
    zone.steady += 60
    zone.register("h1", "own", run="first")
    with pytest.raises(NotAllowedError, match="a copy"):
        zone.register("h1", "own", run="copy")


def test_an_agent_that_is_started_again_takes_the_place_of_the_one_before(zone: Zone) -> None:
    zone.join("h1", run="start 0")
    for number in range(1, 20):
        zone.register("h1", "own", run=f"start {number}")
    zone.register("h1", "own", run="start 19")


def test_an_agent_of_another_version_is_told_which_is_spoken(zone: Zone) -> None:
    with pytest.raises(UserError, match="speaks version 9 of the protocol, and this Conductor 1"):
        zone.join("h1", versions=(9,))


@pytest.mark.parametrize("address", ["localhost", "10.0.0.1 dev eth0", "::1"])
def test_an_address_that_is_none_never_reaches_other_hosts(zone: Zone, address: str) -> None:
    with pytest.raises(UserError, match="is no IPv4 address"):
        zone.join("h1", address=address)


def test_each_host_learns_the_addresses_of_all(zone: Zone) -> None:
    zone.join("h1", address="10.0.0.11")
    assert zone.join("h2", address="10.0.0.12")["hosts"] == {"h1": "10.0.0.11", "h2": "10.0.0.12"}


def test_calls_of_an_earlier_registration_are_refused(zone: Zone) -> None:
    old = zone.join("h1")
    zone.register("h1", "own")
    admitted = zone.door.admit(bearer(ZONE, "h1", "own"))
    with pytest.raises(NotFoundError, match="register"):
        zone.door.poll(admitted, written(Poll(registration=str(old["registration"]))), lambda: None)


def test_a_simulated_zone_takes_no_hosts(zone: Zone) -> None:
    with pytest.raises(NotAllowedError, match="simulated hosts"):
        zone.door.enroll("toys", "h1", url="https://x", fingerprint="0" * 64, actor="ada")


def test_an_agent_refuses_what_a_leader_of_before_orders(tmp_path: Path) -> None:
    """#16: the highest order of each thing is kept, over a death, and a lower one is told and not done."""
    thing = ObjectId("m-1")
    new, old = (Order(object_id=thing, generation=epoch * GENERATIONS + 1, verb=Verb.REMOVE) for epoch in (3, 2))
    journal = Journal(tmp_path)
    assert journal.begin([new]) == ([new], [])
    journal.close()
    journal = Journal(tmp_path)
    due, (refused,) = journal.begin([old])
    assert due == []
    assert refused.problem is not None
    assert "a Conductor that leads no more" in refused.problem.message
    # An order that was begun and not ended before the death is done again.
    assert journal.begin([new])[0] == [new]
    journal.raise_epoch(3)
    journal.raise_epoch(2)
    assert journal.epoch() == 3
    journal.close()
