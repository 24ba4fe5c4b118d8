"""A property that no provider can hold is refused before anything is planned, whoever sends the composition."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tenuto.compositions.compile import compile_file
from tenuto.compositions.documents.document import to_document
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic
from tenuto.service.intake.composition import Submission
from tenuto_testing.cloud import Cloud
from tenuto_testing.strict_world import REGION, StrictWorld

TABLE = """
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
"""
REFUSED = """
      StreamSpecification:
        StreamViewType: KEYS_ONLY
        Tags: [{Key: team, Value: shop}]
"""


def submitted(path: Path, text: str) -> Submission:
    path.write_text(text)
    compiled = compile_file(path, parameters={}, region=REGION)
    return Submission(document=to_document(compiled.composition), secrets={})


@pytest.mark.parametrize("command", ["run", "dry run", "update", "dry update"])
def test_a_member_that_cannot_be_held_is_refused_and_nothing_happens(tmp_path: Path, command: str) -> None:
    world = StrictWorld(Cloud)
    commands, path = world.system.commands, tmp_path / "orders.yaml"
    if "update" in command:
        commands.run(submitted(path, TABLE), alias="orders")
        assert world.settle()
    wrong, changes = submitted(path, TABLE + REFUSED), len(world.changes())
    ways: dict[str, Callable[[], object]] = {
        "run": lambda: commands.run(wrong, alias="orders"),
        "dry run": lambda: commands.dry_runs.run(wrong, alias="orders", account="default"),
        "update": lambda: commands.update("orders", wrong),
        "dry update": lambda: commands.dry_runs.update("orders", wrong),
    }
    with pytest.raises(CompileError, match="does not manage StreamSpecification") as refused:
        ways[command]()
    [told] = refused.value.diagnostics
    assert isinstance(told, Diagnostic)
    assert (told.code, told.subject) == (
        "T710",
        "Resources.Orders.Properties.StreamSpecification.Tags",
    )
    assert len(world.changes()) == changes
