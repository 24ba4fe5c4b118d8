"""Blobs from host to host: the right one to the right host, over TLS; damaged copies; and the way by the Conductor."""

import socket
import ssl
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from images import digest, disk

from tenuto.model.ids import Instant, JsonMap, ObjectId
from tenuto.model.observation import Condition
from tenuto.providers.local.agent import peers
from tenuto.providers.local.agent.calls import RefusedError, SilentError
from tenuto.providers.local.agent.peers import PeerServer, take
from tenuto.providers.local.agent.staging import VERIFY_S, Staging
from tenuto.providers.local.agent.staging_driver import StagingDriver
from tenuto.providers.local.driver import Seen, Spec
from tenuto.providers.local.drivers.memory import make_driver
from tenuto.providers.local.images.folder import BLOBS, BlobFolder
from tenuto.providers.local.objects import BLOB
from tenuto.providers.local.rules.machines.bases import BASES
from tenuto.providers.local.rules.tickets import WINDOW_S, ticket

CONTENT = disk("kept", 3 * 1024**2)
KEY, HERE = "k" * 64, "127.0.0.1"
COPY = ObjectId("blob@rack/h2")


def keep(blobs: BlobFolder, content: bytes) -> None:
    name = ObjectId("x")
    blobs.begin(name, Instant(0.0))
    blobs.append(name, 0, content, Instant(0.0))
    blobs.keep(name, blobs.seal(name).sha512)


@pytest.fixture
def first(tmp_path: Path) -> Iterator[PeerServer]:
    """A host with a blob."""
    state = tmp_path / "h1"
    blobs = BlobFolder(state / BLOBS)
    keep(blobs, CONTENT)
    server = PeerServer(address=HERE, name="h1", secret_digest=KEY, blobs=blobs, state=state)
    server.hosts = {"h1": "127.0.0.9", "h2": HERE, "h3": "127.0.0.3"}
    yield server
    server.close()


def source(server: PeerServer, *, target: str = "h2", sha512: str = "", now: float | None = None) -> JsonMap:
    made = ticket(KEY, sha512=sha512 or digest(CONTENT), source="h1", target=target, now=now or time.time())
    url = f"https://{HERE}:{server.port}"
    return {"Host": "h1", "Url": url, "Fingerprint": server.fingerprint, "Ticket": made}


def taken(found: JsonMap, begin: int = 0, sha512: str = "") -> bytes:
    return b"".join(take(found, sha512 or digest(CONTENT), begin))


def test_a_host_takes_a_blob_from_another_one_as_a_whole_and_in_parts(first: PeerServer, tmp_path: Path) -> None:
    assert taken(source(first)) == CONTENT
    assert taken(source(first), begin=1000) == CONTENT[1000:]
    assert taken(source(first), begin=len(CONTENT)) == b""
    assert stat.S_IMODE((tmp_path / "h1/peer.pem").stat().st_mode) == 0o600


def test_nothing_goes_without_a_ticket_for_just_that(first: PeerServer) -> None:
    other = digest(disk("other"))
    for found, sha512 in (
        ({**source(first), "Ticket": "h2:9999999999:" + "0" * 64}, ""),
        ({**source(first), "Ticket": ""}, ""),
        (source(first, target="h3"), ""),  # Another host has that address.
        (source(first, target="h7"), ""),
        (source(first, sha512=other), ""),
        (source(first, sha512=other), other),
        (source(first, now=time.time() - 2 * WINDOW_S), ""),
        (source(first), "../identity.json"),
    ):
        with pytest.raises(RefusedError, match="does not give it") as refused:
            taken(found, sha512=sha512)
        assert refused.value.status == 403


def test_a_server_with_another_certificate_is_told_nothing(first: PeerServer) -> None:
    with pytest.raises(SilentError):
        taken({**source(first), "Fingerprint": "0" * 64})


@pytest.mark.parametrize(
    "damage", [b"", b"\xff\x00", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
)
def test_a_damaged_certificate_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    """It would give no copies for ever, and tell it in its log alone."""
    (tmp_path / "peer.pem").write_bytes(damage)
    server = PeerServer(address=HERE, name="h1", secret_digest=KEY, blobs=BlobFolder(tmp_path / BLOBS), state=tmp_path)
    server.close()
    assert len(server.fingerprint) == 64
    assert stat.S_IMODE((tmp_path / "peer.pem").stat().st_mode) == 0o600


def test_a_host_that_has_another_address_gives_its_copies_there(tmp_path: Path) -> None:
    server = PeerServer(address=HERE, name="h1", secret_digest=KEY, blobs=BlobFolder(tmp_path / BLOBS), state=tmp_path)
    server.move("127.0.0.2")
    assert server.address == "127.0.0.2"
    socket.create_connection(("127.0.0.2", server.port), 5).close()
    with pytest.raises(OSError):
        server.move("192.0.2.1")
    assert server.address == "127.0.0.2", "an address that cannot be used changes nothing"
    server.close()


def drip(caller: ssl.SSLSocket) -> None:
    """Ask for 20 seconds, and never end the question. Raises OSError once the other side has ended it."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        caller.sendall(b"G")
        time.sleep(0.05)


def test_a_caller_that_asks_byte_by_byte_is_cut_off(first: PeerServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixteen of them would keep all others away."""
    monkeypatch.setattr(peers, "HEAD_S", 0.3)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    plain = socket.create_connection((HERE, first.port), timeout=5)
    with context.wrap_socket(plain) as caller, pytest.raises(OSError):
        drip(caller)
    assert taken(source(first)) == CONTENT


class Second:
    """A host that is to keep a copy, whose time passes when it is told to."""

    def __init__(self, folder: Path) -> None:
        self.now = 1_000_000.0
        self.asked: list[str] = []
        self.blobs = BlobFolder(folder / BLOBS)
        self.staging = Staging(self.blobs, self.fetch, lambda: self.now)
        self.driver = StagingDriver(make_driver(folder, host="h2", address=""), self.staging)

    def fetch(self, sha512: str, begin: int) -> Iterator[bytes]:
        self.asked.append(sha512)
        yield CONTENT[begin:]

    def order(self, *sources: JsonMap) -> None:
        sha512 = digest(CONTENT)
        spec = Spec(
            type=BLOB,
            object_id=COPY,
            account="system",
            owner=None,
            host="h2",
            properties={"Sha512": sha512, "SizeBytes": len(CONTENT), "Sources": list(sources)},
            attributes={BASES: {"blob": sha512}},
        )
        self.driver.ensure([spec])
        settled("transfer")
        assert not self.driver.ensure([spec])

    def shows(self) -> Seen | None:
        found = [one for one in self.driver.observe() if one.object_id == COPY]
        settled("verification")
        return found[0] if found else None


def settled(name: str) -> None:
    for one in threading.enumerate():
        if one.name == name:
            one.join(30)


@pytest.fixture
def second(tmp_path: Path) -> Second:
    return Second(tmp_path / "h2")


def test_a_copy_comes_from_another_host_and_the_conductor_is_not_asked(first: PeerServer, second: Second) -> None:
    second.order(source(first))
    assert second.blobs.path(digest(CONTENT)).read_bytes() == CONTENT
    assert second.asked == []
    shown = second.shows()
    assert shown is not None
    assert shown.condition is Condition.READY
    assert shown.attributes["VerifiedAt"] == "1970-01-12T13:46:40.000Z"


def test_behaviour_63_a_copy_that_comes_damaged_is_thrown_away_and_the_conductor_is_asked(
    first: PeerServer, second: Second, tmp_path: Path
) -> None:
    BlobFolder(tmp_path / "h1" / BLOBS).path(digest(CONTENT)).write_bytes(b"spoiled")
    second.order(source(first), {**source(first), "Url": "https://127.0.0.1:9"}, {"Host": "h4"})
    assert second.asked == [digest(CONTENT)]
    assert second.blobs.path(digest(CONTENT)).read_bytes() == CONTENT


def test_behaviour_62_a_damaged_copy_is_found_within_a_day_removed_and_told(second: Second) -> None:
    second.order()
    file = second.blobs.path(digest(CONTENT))
    file.write_bytes(CONTENT[:-1] + b"?")
    second.now += VERIFY_S - 1
    assert (shown := second.shows()) is not None
    assert shown.condition is Condition.READY
    second.now += 1
    second.shows()
    assert (shown := second.shows()) is not None
    assert (shown.condition, "were not what they had been" in shown.message) == (Condition.BROKEN, True)
    assert not file.exists()
    # The order is given again, and the copy is as it was.
    second.order()
    assert (shown := second.shows()) is not None
    assert (shown.condition, file.read_bytes()) == (Condition.READY, CONTENT)


def test_a_copy_is_kept_until_it_is_to_go(second: Second) -> None:
    second.order()
    for _ in range(3):
        second.now += 3 * 3600
        assert second.shows() is not None
    second.driver.remove([COPY])
    assert second.shows() is None
    second.now += 2 * 3600
    second.shows()
    assert not second.blobs.stored()
