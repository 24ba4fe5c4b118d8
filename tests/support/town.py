"""A Conductor of the local cloud with its API and a command line, as the owner of all namespaces uses it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from front import SECRET, Http, served
from local_world import LocalWorld
from terminal import Shell

from tenuto.bootstrap.log import LogLevels
from tenuto.bootstrap.services import make_services


class Town:
    """The Conductor; to call it is to type a command as its owner."""

    def __init__(self, world: LocalWorld, url: str, shell: Shell) -> None:
        self.world, self.url, self.shell = world, url, shell
        self.root = Http(url)

    def __call__(self, *words: str, code: int = 0) -> str:
        ended = self.shell(*words, environ=self.shell.environ(TENUTO_SECRET=SECRET, TENUTO_REGION="zone-1"))
        assert ended.code == code, ended
        return (ended.out if code == 0 else ended.err).strip()

    def key(self, namespace: str, name: str, commands: str, *more: str) -> Http:
        return Http(self.url, self("-y", "namespace", "key", "add", namespace, name, "--commands", commands, *more))


@contextmanager
def a_town(folder: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Town]:
    """A town until the end of the context."""
    world = LocalWorld()
    services = make_services(world.system, clock=world.clock, secret=SECRET, levels=LogLevels("ERROR"))
    services.namespaces.ensure_system()
    with served(services) as url:
        yield Town(world, url, Shell(url, folder, capsys))
