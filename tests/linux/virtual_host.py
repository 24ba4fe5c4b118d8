"""This machine as a host of driver `qemu`, with the image `tiny` that Tenuto builds, kept for all tests."""

import os
import shutil
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

from test_own_host import Host

from tenuto.bootstrap.tools.image_builder import build_tiny
from tenuto.kit.state_folder import StateFolder
from tenuto.model.observation import Condition
from tenuto.providers.local.driver import Seen, Spec
from tenuto.providers.local.drivers.qemu.driver import VirtualHost
from tenuto.providers.local.executor.link import ExecutorLink

IMAGE = Path("/tmp") / f"tenuto-tests-{os.getuid()}" / "tiny.qcow2"
BOOT_S = 90
"""The patience with a boot: two seconds alone, and ten times that on two busy processors."""


@cache
def image() -> Path:
    """The image, built once for a machine and a release of its packages."""
    IMAGE.parent.mkdir(mode=0o755, exist_ok=True)
    build_tiny(IMAGE, lambda _: None)
    return IMAGE


class Virtual(Host):
    """The host, in a folder of its own."""

    def start(self) -> None:
        images = self.folder / "images"
        if not images.exists():
            images.mkdir()
            shutil.copy(image(), images / "tiny.qcow2")
        self.link = ExecutorLink(self.folder / "executor", name=self.group, images=images)
        folder = StateFolder(self.folder / "agent")
        self.driver: VirtualHost = VirtualHost(self.link, folder, host="h1", address="127.0.0.1", mtu=1450)

    def document(self, spec: Spec) -> Path:
        return self.folder / "executor/virtual" / spec.object_id

    def pid(self, spec: Spec) -> int:
        return int((self.document(spec) / "pid").read_text())

    def answers(self, spec: Spec) -> Seen:
        """The machine, when its guest answers."""
        found: list[Seen] = []

        def is_ready() -> bool:
            seen = self.seen(spec)
            assert seen is not None
            found.append(seen)
            return seen.condition is Condition.READY and seen.attributes["AgentState"] == "ready"

        until(is_ready, BOOT_S)
        return found[-1]

    def says(self, spec: Spec, script: str) -> str:
        """The output of a script in the guest, which must end well."""
        guest = self.driver.guests.known(spec.object_id)
        assert guest is not None
        with guest.turn:
            agent = guest.agent()
            pid = agent.start("/bin/sh", ["-c", script])
            ended = None
            while ended is None:
                ended = agent.ended(pid)
                time.sleep(0.02)
        assert ended.code == 0, (script, ended)
        return ended.out.decode()


def until(condition: Callable[[], bool], patience_s: float = 60) -> None:
    end = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < end, "still not"
        time.sleep(0.2)
