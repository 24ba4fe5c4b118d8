"""The folder of a host's machines and networks, where root of the host has put something else."""

import os
from pathlib import Path

import pytest

from tenuto.kit.state_folder import StateFolder


@pytest.mark.timeout(30)
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_has_an_empty_text_and_holds_nothing_up(tmp_path: Path, make: object) -> None:
    """A pipe in the place of a record was read for ever: the executor stood still, and with it the whole host."""
    assert callable(make)
    folder = StateFolder(tmp_path)
    make(folder.made("networks", "5000") / "rules")
    assert folder.read("networks", "5000", "rules") == ""
    assert folder.read("networks", "5000", "others") is None
    folder.write("networks", "5000", "text", "a text")
    assert folder.read("networks", "5000", "text") == "a text"
