"""`tenuto simulated` shows the values of the cloud as people write them."""

from pathlib import Path

from terminal import Shell

from tenuto.model.ids import Fid, LogicalId, ObjectId, Partition
from tenuto.model.outcome import Request
from tenuto.providers.simulated.kept import KeptCloud, cloud_file
from tenuto.providers.simulated.provider import SimulatedProvider
from tenuto.providers.simulated.types import NETWORK
from tenuto_testing.clock import VirtualClock
from tenuto_testing.ops import RecordedOps


def test_letters_of_every_script_stay_letters(tenuto: Shell, tmp_path: Path) -> None:
    database, clock = tmp_path / "tenuto.db", VirtualClock()
    provider = SimulatedProvider(KeptCloud(cloud_file(database), clock), clock=clock, ops=RecordedOps())
    wish = Request(
        object_id=ObjectId("object"),
        fid=Fid("fid"),
        process_name="web",
        logical_id=LogicalId("Net"),
        type=NETWORK,
        token="token",
        properties={"CidrBlock": "10.0.0.0/16", "Label": "バケツ 🎉"},
    )
    provider.create(Partition(account="default", region="eu-west-1"), [wish])
    place = ("--database", str(database))
    assert '"Label": "バケツ 🎉"' in tenuto("simulated", "list", *place).out
    changed = tenuto("simulated", "set", "net-1", "Label", "مرحبا", *place).out
    assert changed.strip() == 'net-1 Label: "バケツ 🎉" → "مرحبا"'
    assert tenuto("simulated", "set", "net-1", "Label", *place).out.strip() == 'net-1 Label: "مرحبا" → nothing'
    hidden, spelled = "a\x1b[31m\nb", r"a\x1b[31m\nb"
    assert tenuto("simulated", "set", "net-1", "Label", hidden, *place).out.endswith(r'→ "a\u001b[31m\nb"' "\n")
    assert r'"Label": "a\u001b[31m\nb"' in tenuto("simulated", "list", *place).out
    assert tenuto("simulated", "set", "net-1", "Label", spelled, *place).out.endswith(r'→ "a\\x1b[31m\\nb"' "\n")
