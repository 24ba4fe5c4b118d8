"""The folder of a host's machines and networks, where root of the host has put something else."""

import os
from pathlib import Path

import pytest

from tenuto.kit.state_folder import StateFolder


def link(path: Path) -> None:
    """Make a link to a file that is there for others."""
    path.symlink_to(__file__)


@pytest.mark.timeout(30)
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, link])
def test_what_is_no_file_has_an_empty_text_and_holds_nothing_up(tmp_path: Path, make: object) -> None:
    """A pipe in the place of a record was read for ever, and a link kept an agent from its start."""
    assert callable(make)
    folder = StateFolder(tmp_path)
    make(folder.made("networks", "5000") / "rules")
    assert folder.read("networks", "5000", "rules") == ""
    assert folder.read("networks", "5000", "others") is None
    folder.write("networks", "5000", "text", "a text")
    assert folder.read("networks", "5000", "text") == "a text"
