"""Downloads over HTTP on loopback: what comes, what is unchanged, and the true cause of what does not come."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from images import digest, disk

from tenuto.kit.reach import Reach
from tenuto.model.ids import ObjectId
from tenuto.providers.local.images.fetching import Downloads, Ended, Fetched, Lost, Unchanged, Wanted
from tenuto.providers.local.images.folder import BlobFolder
from tenuto_testing.clock import VirtualClock

PART = ObjectId("a1")
CONTENT = disk("web", 9 * 512)
LOOPBACK = Reach.parse("127.0.0.0/8")


class Handler(BaseHTTPRequestHandler):
    """A source with one content at /good, and what goes wrong elsewhere."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def do_GET(self) -> None:
        match self.path.partition("?")[0]:
            case "/good" if self.headers.get("If-None-Match") == '"one"':
                self._answer(304)
            case "/good":
                self._answer(200, CONTENT, ETag='"one"')
            case "/moved":
                self._answer(302, Location="/good")
            case "/round":
                self._answer(302, Location="/round")
            case "/inside":
                self._answer(302, Location="http://169.254.169.254/latest/meta-data")
            case "/local-file":
                self._answer(302, Location="file:///etc/passwd")
            case "/short":
                self._answer(200, CONTENT[:100], length=len(CONTENT))
            case "/empty":
                self._answer(200)
            case "/huge":
                self._answer(200, b"x", length=1 << 60)
            case "/busy":
                self._answer(503)
            case _:
                self._answer(404)

    def _answer(self, status: int, body: bytes = b"", *, length: int | None = None, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def folder(tmp_path: Path) -> BlobFolder:
    return BlobFolder(tmp_path)


Ask = Callable[..., Ended]


@pytest.fixture
def ask(folder: BlobFolder) -> Ask:
    """A question that is asked until it has an end, as phases do."""

    def asked(place: str, *, etag: str = "", reach: Reach = LOOPBACK, most: int | None = None) -> Ended:
        downloads = Downloads(folder, VirtualClock(), reach)
        wanted = Wanted(part=PART, url=place, etag=etag, most_bytes=most)
        while isinstance(end := downloads.ask(wanted), int):
            [one.join(30) for one in threading.enumerate() if one.name == "fetch"]
        return end

    return asked


@pytest.mark.parametrize("path", ["/good", "/moved"])
def test_what_comes_is_sealed_in_its_part(url: str, ask: Ask, folder: BlobFolder, path: str) -> None:
    end = ask(url + path)
    assert isinstance(end, Fetched)
    assert (end.content.sha512, end.content.size, end.etag) == (digest(CONTENT), len(CONTENT), '"one"')
    folder.keep(PART, end.content.sha512)
    assert folder.path(end.content.sha512).read_bytes() == CONTENT


def test_what_is_known_is_not_fetched_again(url: str, ask: Ask, folder: BlobFolder) -> None:
    assert ask(f"{url}/good", etag='"one"') == Unchanged()
    assert folder.part(PART) is None


@pytest.mark.parametrize(
    ("path", "told", "may_pass"),
    [
        ("/none", "HTTP 404 Not Found", False),
        ("/busy", "HTTP 503", True),
        ("/short", "before everything had come", True),
        ("/empty", "has no bytes", False),
        ("/huge", "more than 1,099,511,627,776 bytes", False),
        ("/round", "more than 5 times", False),
        ("/inside", "not public", False),
        ("/local-file", "no URL that can be fetched", False),
    ],
)
def test_the_true_cause_is_told(url: str, ask: Ask, path: str, told: str, may_pass: bool) -> None:
    end = ask(url + path)
    assert isinstance(end, Lost)
    assert told in end.cause
    assert end.may_pass is may_pass


@pytest.mark.parametrize("path", ["/good", "/moved"])
def test_what_is_beyond_the_limit_of_a_namespace_is_not_fetched(
    url: str, ask: Ask, folder: BlobFolder, path: str
) -> None:
    end = ask(url + path, most=len(CONTENT) - 1)
    assert isinstance(end, Lost)
    assert f"its namespace may have {len(CONTENT) - 1:,} more" in end.cause
    assert not end.may_pass
    assert folder.part(PART) is None
    assert isinstance(ask(url + path, most=len(CONTENT)), Fetched)


def test_a_private_address_is_not_called_unless_it_is_allowed(url: str, ask: Ask) -> None:
    end = ask(f"{url}/good", reach=Reach())
    assert isinstance(end, Lost)
    assert "--image-allow" in end.cause


def test_where_no_server_listens_is_told_without_the_secrets_of_the_url(ask: Ask) -> None:
    end = ask("http://127.0.0.1:9/base?token=secret")
    assert isinstance(end, Lost)
    assert "no server listens there" in end.cause
    assert "secret" not in end.cause


def test_an_end_is_told_once_and_then_it_is_fetched_again(url: str, folder: BlobFolder) -> None:
    downloads = Downloads(folder, VirtualClock(), LOOPBACK)
    wanted = Wanted(part=PART, url=f"{url}/good")

    def end() -> Ended:
        while isinstance(found := downloads.ask(wanted), int):
            [one.join(30) for one in threading.enumerate() if one.name == "fetch"]
        return found

    assert isinstance(end(), Fetched)
    assert isinstance(downloads.ask(wanted), int)
    assert isinstance(end(), Fetched)


def test_a_full_disk_is_told_and_a_part_that_came_makes_room(url: str, tmp_path: Path) -> None:
    """The next try begins anew, so what came of this one is not kept; once there is room, it succeeds."""
    folder = BlobFolder(tmp_path, kept_free=1 << 60)
    wanted = Wanted(part=PART, url=f"{url}/good")
    ends: list[Ended] = []
    for each in (folder, BlobFolder(tmp_path)):
        downloads = Downloads(each, VirtualClock(), LOOPBACK)
        while isinstance(end := downloads.ask(wanted), int):
            [one.join(30) for one in threading.enumerate() if one.name == "fetch"]
        ends.append(end)
        if each is folder:
            assert folder.part(PART) is None
    full, good = ends
    assert isinstance(full, Lost)
    assert full.is_full
    assert "the disk of the Conductor has no room" in full.cause
    assert isinstance(good, Fetched)
