"""Uploads of files, which another command for the same file may end first."""

from pathlib import Path
from typing import Any, cast

import pytest

from tenuto.bootstrap.clock import SystemClock
from tenuto.cli.client.client import Client
from tenuto.cli.objects.transfers import upload
from tenuto.cli.terminal.exits import ApiProblem
from tenuto.cli.terminal.session import Session
from tenuto.model.ids import JsonMap

GONE = ApiProblem({"code": "not-found", "detail": "The upload u has ended: begin another one."})


class Quiet:
    """A session without a terminal."""

    is_live = is_json = False

    def say(self, text: str) -> None:
        """Nothing listens."""


class Conductor:
    """A Conductor whose upload another command ends before this one has sent its bytes."""

    def __init__(self, *, is_deleted: bool) -> None:
        self._is_deleted = is_deleted
        self.sent = 0

    def post(self, *path: str, body: JsonMap | None = None) -> JsonMap:
        if path[-1] != "finish":
            return {"id": "u", "offset": 0, "artifact": None, "version": None}
        if self._is_deleted:
            raise GONE
        return {"id": "u", "offset": 3, "artifact": "base", "version": 1}

    def send_bytes(self, *path: str, content: bytes, offset: int) -> JsonMap:
        self.sent += 1
        raise GONE


def send(path: Path, conductor: Conductor) -> JsonMap:
    file = path / "file"
    file.write_bytes(b"abc")
    return upload(cast(Session, Quiet()), cast(Client, conductor), SystemClock(), "red", file, {"name": "base"})


def test_an_upload_that_another_command_ended_is_the_version_that_it_became(tmp_path: Path) -> None:
    conductor = Conductor(is_deleted=False)
    done: Any = send(tmp_path, conductor)
    assert (done["artifact"], done["version"], conductor.sent) == ("base", 1, 1)


def test_an_upload_that_was_deleted_meanwhile_is_told(tmp_path: Path) -> None:
    with pytest.raises(ApiProblem, match="has ended"):
        send(tmp_path, Conductor(is_deleted=True))
