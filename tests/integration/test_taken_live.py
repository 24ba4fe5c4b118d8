"""A thing that another process made under the name of a lost one is not the lost one: nothing changes or deletes it."""

import pytest
from live import Live

from tenuto.cli.terminal.exits import Exit

SHOP = """
Resources:
  Table:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: orders
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
  Bucket: {Type: AWS::S3::Bucket, Properties: {BucketName: shop-that-was-taken}}
  Policy:
    Type: AWS::S3::BucketPolicy
    Properties:
      Bucket: !Ref Bucket
      PolicyDocument:
        Version: "2012-10-17"
        Statement: [{Effect: Deny, Principal: "*", Action: "s3:PutObject", Resource: !Sub "${Bucket.Arn}/*"}]
"""


def taken(live: Live) -> None:
    """Lose all things of a process that does not look, and have another process make them again, with data."""
    live.apply("old", SHOP)
    live.tenuto("suspend", "old", check=True)
    table, store = live.aws("dynamodb"), live.aws("s3")
    table.delete_table(TableName="orders")
    store.delete_bucket_policy(Bucket="shop-that-was-taken")
    store.delete_bucket(Bucket="shop-that-was-taken")
    live.apply("new", SHOP)
    table.put_item(TableName="orders", Item={"id": {"S": "1"}})


@pytest.mark.parametrize("is_resumed", [False, True])
def test_a_kill_leaves_to_another_process_what_that_has_made(live: Live, is_resumed: bool) -> None:
    taken(live)
    before = len(live.changes("new"))
    if is_resumed:
        live.tenuto("resume", "old", check=True)
        live.until(lambda: live.status("old")["state"] == "Suspended", "the name is found taken")
        assert "There is a table orders already" in live.status("old")["last_job"]["message"]
    plan = live.tenuto("--json", "kill", "old", "--dry-run", check=True).document
    things = [one for one in plan["operations"] if one["id"] is not None]
    assert {one["op"] for one in things} == {"release"}
    assert {one["logical_id"] for one in things} >= {"Bucket", "Policy"}
    assert all("process new" in one["reason"] for one in things)
    live.tenuto("kill", "old", "--wait", check=True)
    assert live.asked("status", "old").code == Exit.NOT_FOUND
    live.two_jobs_later("new")
    assert len(live.changes("new")) == before
    assert live.aws("dynamodb").scan(TableName="orders")["Count"] == 1
    assert "Deny" in live.aws("s3").get_bucket_policy(Bucket="shop-that-was-taken")["Policy"]
