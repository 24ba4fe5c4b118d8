"""The guide to objects by request works as it is printed, with its plugin, on a simulated provider."""

import re
import shlex
from pathlib import Path

import pytest
from desk import MINUTE_S, Desk
from front import SECRET, served
from terminal import Shell

from tenuto.bootstrap.log import LogLevels
from tenuto.bootstrap.services import make_services
from tenuto.conductor.phases.plugins import find_plugins
from tenuto_testing.world import World

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "objects.md"
TYPED = re.compile(r"```console\n(.*?)```", re.DOTALL)
PLUGIN = re.compile(r"```python\n(.*?)```", re.DOTALL)


def test_the_guide_works_as_it_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    [plugin] = PLUGIN.findall(text)
    (tmp_path / "build.py").write_text(plugin)
    found = find_plugins([tmp_path], [])
    assert found.errors == ()
    world = World()
    world.plugins = found
    world.crash()
    services = make_services(world.system, clock=world.clock, secret=SECRET, levels=LogLevels("ERROR"))
    with served(services) as url:
        desk = Desk(world, Shell(url, tmp_path, capsys), tmp_path, services)
        for line in "".join(TYPED.findall(text)).splitlines():
            _type(desk, shlex.split(line.removeprefix("$ tenuto ")))
        built = desk.document("object", "show", "web")
    assert (built["state"], built["attributes"]) == ("created", {"Location": "farm/nginx"})


def _type(desk: Desk, words: list[str]) -> None:
    """One line of the guide. Time passes only where the guide waits."""
    is_waited_for = "--wait" in words
    ended = desk(*(word for word in words if word != "--wait"))
    assert ended.code == 0, ended
    if is_waited_for:
        name = words[words.index("create") + (2 if "object" in words else 1)]
        desk.advance(MINUTE_S)
        assert desk("object", "wait", name).code == 0
