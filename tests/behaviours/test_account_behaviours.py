"""Several accounts and regions of one Conductor, at a desk."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from desk import GRP, NET, Desk, a_desk

from tenuto.model.ids import Partition
from tenuto.providers.simulated.behaviour import Behaviour

PROD = Partition(account="prod", region="sim-1")


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Desk]:
    """A desk before a cloud with two accounts."""
    accounts = {"default": "111111111111", "prod": "222222222222"}
    with a_desk(tmp_path, capsys, Behaviour(accounts=accounts)) as desk:
        desk.does("account", "add", "prod", "--region", "sim-1")
        yield desk


def test_behaviour_74_later_commands_act_in_the_account_of_the_process(desk: Desk) -> None:
    desk.runs(NET, alias="own")
    desk.does("run", desk.template(NET, GRP, name="there"), "-a", "there", "--account", "prod")
    desk.settle()
    desk.does("update", "there", desk.template(NET, name="less"))
    desk.settle()
    desk.does("suspend", "there")
    desk.does("resume", "there")
    desk.does("kill", "there")
    desk.settle()
    changed = {call.partition for call in desk.world.calls if call.is_changing and "Grp" in call.subjects}
    assert changed == {PROD}
    assert [one["alias"] for one in desk.document("status", "--account", "default")["processes"]] == ["own"]
    assert desk.document("status", "--account", "prod")["processes"] == []
    assert {thing.partition.account for thing in desk.things().values()} == {"default"}
