"""The page about namespaces, typed as it is printed on a Conductor of the local provider."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from live import Live

GUIDES = Path(__file__).parents[2] / "docs/guide"
NOWHERE = "http://127.0.0.1:9"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    """An installation that reaches no cloud at all."""
    found = Live(tmp_path, NOWHERE, TENUTO_PROVIDERS="local")
    found.start()
    yield found
    found.stop()


def test_the_page_of_namespaces_does_what_it_says(live: Live, tmp_path: Path) -> None:
    (template,) = re.findall(r"```yaml\n(.*?)```", (GUIDES / "local-cloud.md").read_text(), re.DOTALL)
    file = tmp_path / "shop.yaml"
    file.write_text(template)
    blocks = re.findall(r"```sh\n(.*?)```", (GUIDES / "namespaces.md").read_text(), re.DOTALL)
    started, *lines = [line for text in blocks for line in text.splitlines()]
    assert started == "tenuto conductor --provider local --period 5"

    said: dict[str, str] = {}
    for number, line in enumerate(lines):
        words = shlex.split(line.replace("shop.yaml", str(file)))[1:]
        is_refused = line in lines[number + 1 :]
        ended = live.tenuto(*words, check=not is_refused)
        said[line] = ended.out
        assert not is_refused or "is not empty: process shop" in ended.err, ended
    assert "system" in said["tenuto namespace list"]
    assert "ci" in said["tenuto namespace key list red"]
    assert said["tenuto --yes namespace key add red ci --commands suspend,resume,questions --expires 90d"].startswith(
        "tenuto."
    )
