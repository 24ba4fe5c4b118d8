"""Another type of an attribute that a key of a table uses: the table, or the index alone, is made anew."""

import json
from pathlib import Path
from typing import Any

import pytest
from strict_life import settled

from tenuto.model.verb import Verb
from tenuto_testing.cloud import Cloud
from tenuto_testing.strict_world import REGION, StrictWorld, submission

BY_AGE = {"IndexName": "by-age", "Projection": {"ProjectionType": "ALL"}}
KEYS = {
    "GlobalSecondaryIndexes": [{"AttributeName": "age", "KeyType": "HASH"}],
    "LocalSecondaryIndexes": [{"AttributeName": "id", "KeyType": "HASH"}, {"AttributeName": "age", "KeyType": "RANGE"}],
}


def template(folder: Path, indexes: str, **types: str) -> Path:
    table: dict[str, Any] = {
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()],
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": name, "KeyType": key} for name, key in (("id", "HASH"), ("at", "RANGE"))],
        indexes: [{**BY_AGE, "KeySchema": KEYS[indexes]}],
    }
    path = folder / "web.json"
    path.write_text(json.dumps({"Resources": {"Tb": {"Type": "AWS::DynamoDB::Table", "Properties": table}}}))
    return path


def types_of(world: StrictWorld, name: str) -> dict[str, str]:
    client = world.stranger().create_client("dynamodb", REGION)
    table = client.describe_table(TableName=name)["Table"]
    return {one["AttributeName"]: one["AttributeType"] for one in table["AttributeDefinitions"]}


@pytest.mark.parametrize(
    ("indexes", "types", "verb"),
    [
        ("GlobalSecondaryIndexes", {"id": "N", "at": "S", "age": "S"}, Verb.REPLACE),
        ("GlobalSecondaryIndexes", {"id": "S", "at": "N", "age": "S"}, Verb.REPLACE),
        ("LocalSecondaryIndexes", {"id": "S", "at": "S", "age": "N"}, Verb.REPLACE),
        ("GlobalSecondaryIndexes", {"id": "S", "at": "S", "age": "N"}, Verb.MODIFY),
    ],
)
def test_another_type_of_a_key_is_planned_as_what_happens(
    tmp_path: Path, indexes: str, types: dict[str, str], verb: Verb
) -> None:
    world = StrictWorld(Cloud)
    world.run(template(tmp_path, indexes, id="S", at="S", age="S"), "web")
    settled(world)
    before = world.ids("web")["Tb"]
    changed = template(tmp_path, indexes, **types)
    plan = world.system.commands.dry_runs.update("web", submission(changed)).planning.plan
    assert next(one.verb for one in plan.operations) is verb
    world.update(changed, "web")
    settled(world)
    after = world.ids("web")["Tb"]
    assert (after == before) is (verb is Verb.MODIFY)
    assert types_of(world, after) == types
    assert world.system.queries.plan("web").planning.plan.is_empty
