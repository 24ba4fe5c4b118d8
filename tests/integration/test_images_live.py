"""The page about images, typed as it is printed; and a client that is killed in the middle of an upload."""

import hashlib
import os
import re
import shlex
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from live import Live

PAGE = Path(__file__).parents[2] / "docs/guide/images.md"
BLOCK = re.compile(r"```(sh|yaml)\n(.*?)```", re.DOTALL)
NOWHERE = "http://127.0.0.1:9"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    """An installation that reaches no cloud at all."""
    found = Live(tmp_path, NOWHERE, TENUTO_PROVIDERS="local", TENUTO_IMAGE_ALLOW="127.0.0.0/8")
    found.start()
    yield found
    found.stop()


class Quiet(SimpleHTTPRequestHandler):
    """Files of a folder, with the time of their change and without a log."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def qcow2(mark: str) -> bytes:
    head = b"QFI\xfb" + struct.pack(">IQIIQIIQQIIQ", 3, 0, 0, 16, 1 << 30, 0, 1, 0x200, 0x10000, 1, 0, 0)
    return head + struct.pack(">QQQII", 0, 0, 0, 4, 104) + mark.encode().ljust(2048, b"\0")


def test_the_page_of_images_does_what_it_says(live: Live, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name in ("base.qcow2", "newer.qcow2", "source/cirros.qcow2"):
        (tmp_path / name).write_bytes(qcow2(name))
    blocks = BLOCK.findall(PAGE.read_text())
    started, *lines = [line for kind, text in blocks if kind == "sh" for line in text.splitlines()]
    assert started == "tenuto conductor --provider local --period 5 --image-allow 127.0.0.0/8"
    (template,) = (text for kind, text in blocks if kind == "yaml")
    said: dict[str, str] = {}
    with served(source) as url:
        there = f"{url}/cirros.qcow2"
        (tmp_path / "images.yaml").write_text(template.replace('"URL"', there))
        for line in lines:
            words = shlex.split(line)[1:]
            if "BLOB" in words:
                listed = live.tenuto("--json", "artifact", "versions", "base", check=True).document
                words = [listed["versions"][-1]["blob"] if one == "BLOB" else one for one in words]
            typed = [
                str(tmp_path / one) if one.endswith((".qcow2", ".yaml")) else there if one == "URL" else one
                for one in words
            ]
            said[line] = live.tenuto(*typed, check=True).out
    assert "base has version 2" in said["tenuto artifact upload --account red base newer.qcow2"]
    assert (tmp_path / "copy.qcow2").read_bytes() == qcow2("base.qcow2")
    assert "created" in said["tenuto artifact show cirros"]
    assert "images/Base" in said["tenuto artifact list"]
    assert "red trusts blue and system" in said["tenuto namespace trust red"]
    assert "is good" in said["tenuto blob verify BLOB"]
    digest = hashlib.sha512(qcow2("source/cirros.qcow2")).hexdigest()
    assert live.status("images")["outputs"]["Digest"] == digest


def test_a_killed_client_and_a_restarted_conductor_go_on_where_they_stopped(live: Live, tmp_path: Path) -> None:
    content = bytearray(os.urandom(1024**2) * 96)
    content[510:512] = b"\x55\xaa"
    content[:4] = b"disk"
    file = tmp_path / "big.img"
    file.write_bytes(content)
    words = [sys.executable, "-m", "tenuto", "artifact", "upload", "big", str(file)]
    parts = tmp_path / "tenuto.blobs" / "parts"

    def sent() -> int:
        return sum(one.stat().st_size for one in parts.glob("*.part")) if parts.exists() else 0

    client = subprocess.Popen(words, env=live.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    live.until(lambda: sent() > 0 or client.poll() is not None, "bytes come")
    live.kill_9()
    client.send_signal(signal.SIGKILL)
    client.communicate()
    before = sent()
    assert 0 < before < len(content), "the client was killed in the middle"
    live.start()
    ended = live.tenuto("artifact", "upload", "big", str(file), check=True)
    assert f"goes on after {before / 1024**2:.1f}" in ended.err
    assert "big has version 1" in ended.out
    found = tmp_path / "tenuto.blobs" / hashlib.sha512(content).hexdigest()[:2] / hashlib.sha512(content).hexdigest()
    assert found.read_bytes() == content
    live.until(lambda: sent() == 0, "the part is gone")
