"""Keys of KMS: what names them, and how each service shows one."""

from typing import Any

import pytest
from strict_cloud import REGION, Stage, code_of

ACCOUNT = "123456789012"
SOME_ID = "1234abcd-12ab-34cd-56ef-1234567890ab"


@pytest.fixture
def stage() -> Stage:
    return Stage()


def key_of(stage: Stage, alias: str = "alias/data") -> str:
    """The ARN of a new key with this alias."""
    made = stage.me.kms.create_key(Description="of data")["KeyMetadata"]
    stage.me.kms.create_alias(AliasName=alias, TargetKeyId=made["KeyId"])
    return str(made["Arn"])


def spellings(arn: str, alias: str = "alias/data") -> list[str]:
    return [arn, arn.rpartition("/")[2], alias, f"arn:aws:kms:{REGION}:{ACCOUNT}:{alias}"]


def volume(stage: Stage, **more: Any) -> dict[str, Any]:
    made = stage.me.ec2.create_volume(AvailabilityZone=f"{REGION}a", Size=1, Encrypted=True, **more)["VolumeId"]
    [shown] = stage.me.ec2.describe_volumes(VolumeIds=[made])["Volumes"]
    return dict(shown)


def table(stage: Stage, key: str, name: str = "orders") -> dict[str, Any]:
    return dict(
        stage.me.dynamodb.create_table(
            TableName=name,
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            BillingMode="PAY_PER_REQUEST",
            SSESpecification={"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": key},
        )["TableDescription"]
    )


def test_a_key_is_described_by_each_of_its_names(stage: Stage) -> None:
    arn = key_of(stage)
    described = [stage.me.kms.describe_key(KeyId=name)["KeyMetadata"] for name in spellings(arn)]
    assert {one["Arn"] for one in described} == {arn}
    assert {one["KeyManager"] for one in described} == {"CUSTOMER"}


def test_an_alias_is_listed_moved_and_deleted(stage: Stage) -> None:
    first, other = key_of(stage), key_of(stage, "alias/other")
    assert [one["AliasName"] for one in stage.me.kms.list_aliases()["Aliases"]] == ["alias/data", "alias/other"]
    stage.me.kms.update_alias(AliasName="alias/data", TargetKeyId=other)
    assert stage.me.kms.describe_key(KeyId="alias/data")["KeyMetadata"]["Arn"] == other != first
    stage.me.kms.delete_alias(AliasName="alias/data")
    assert code_of(lambda: stage.me.kms.describe_key(KeyId="alias/data")) == "NotFoundException"


def test_an_alias_of_aws_is_there_from_its_first_use_on_and_stays_the_same_key(stage: Stage) -> None:
    first = volume(stage)["KmsKeyId"]
    assert volume(stage, KmsKeyId="alias/aws/ebs")["KmsKeyId"] == first
    assert stage.me.kms.describe_key(KeyId="alias/aws/ebs")["KeyMetadata"]["Arn"] == first


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("NotFoundException", lambda me: me.kms.describe_key(KeyId="alias/none")),
        ("NotFoundException", lambda me: me.kms.describe_key(KeyId="no key at all")),
        ("NotFoundException", lambda me: me.kms.describe_key(KeyId=f"arn:aws:kms:eu-west-1:{ACCOUNT}:key/{SOME_ID}")),
        ("NotFoundException", lambda me: me.kms.update_alias(AliasName="alias/none", TargetKeyId=SOME_ID)),
        ("AlreadyExistsException", lambda me: me.kms.create_alias(AliasName="alias/data", TargetKeyId=SOME_ID)),
        ("InvalidAliasNameException", lambda me: me.kms.create_alias(AliasName="alias/aws/x", TargetKeyId=SOME_ID)),
        ("ValidationException", lambda me: me.kms.create_alias(AliasName="alias/x", TargetKeyId="alias/data")),
    ],
)
def test_what_is_no_key_is_refused(stage: Stage, code: str, call: Any) -> None:
    key_of(stage)
    assert code_of(lambda: call(stage.me)) == code


def test_volumes_tables_and_log_groups_show_the_arn_of_a_key_however_it_was_named(stage: Stage) -> None:
    arn = key_of(stage)
    assert {volume(stage, KmsKeyId=name)["KmsKeyId"] for name in spellings(arn)} == {arn}
    tables = [table(stage, name, f"table{number}") for number, name in enumerate(spellings(arn))]
    assert {one["SSEDescription"]["KMSMasterKeyArn"] for one in tables} == {arn}
    for number, name in enumerate((arn, f"arn:aws:kms:{REGION}:{ACCOUNT}:alias/data")):
        stage.me.logs.create_log_group(logGroupName=f"g{number}", kmsKeyId=name)
    assert {one["kmsKeyId"] for one in stage.me.logs.describe_log_groups()["logGroups"]} == {arn}


def test_queues_topics_and_buckets_show_a_key_as_it_was_named(stage: Stage) -> None:
    for number, name in enumerate(spellings(key_of(stage))):
        url = stage.me.sqs.create_queue(QueueName=f"q{number}", Attributes={"KmsMasterKeyId": name})["QueueUrl"]
        shown = stage.me.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["KmsMasterKeyId"])["Attributes"]
        arn = stage.me.sns.create_topic(Name=f"t{number}", Attributes={"KmsMasterKeyId": name})["TopicArn"]
        told = stage.me.sns.get_topic_attributes(TopicArn=arn)["Attributes"]
        stage.me.s3.create_bucket(Bucket=f"bucket{number}")
        rule = {"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": name}}
        configuration = {"Rules": [rule]}
        stage.me.s3.put_bucket_encryption(Bucket=f"bucket{number}", ServerSideEncryptionConfiguration=configuration)
        kept = stage.me.s3.get_bucket_encryption(Bucket=f"bucket{number}")["ServerSideEncryptionConfiguration"]
        by_default = kept["Rules"][0]["ApplyServerSideEncryptionByDefault"]
        assert (shown["KmsMasterKeyId"], told["KmsMasterKeyId"], by_default["KMSMasterKeyID"]) == (name, name, name)


def test_a_volume_with_a_key_that_is_none_is_taken_and_fails(stage: Stage) -> None:
    assert volume(stage, KmsKeyId="alias/none")["State"] == "error"


def test_a_table_with_a_key_that_is_none_is_refused(stage: Stage) -> None:
    assert code_of(lambda: table(stage, "alias/none")) == "ValidationException"


def test_a_key_keeps_its_settings_and_is_listed_with_all_others(stage: Stage) -> None:
    kms = stage.me.kms
    key = key_of(stage).rpartition("/")[2]
    assert "kms:*" in kms.get_key_policy(KeyId=key)["Policy"]
    assert code_of(lambda: kms.put_key_policy(KeyId=key, Policy="no")) == "MalformedPolicyDocumentException"
    kms.put_key_policy(KeyId=key, Policy='{"Statement": []}')
    assert kms.get_key_policy(KeyId=key)["Policy"] == '{"Statement": []}'
    kms.enable_key_rotation(KeyId=key)
    assert kms.get_key_rotation_status(KeyId=key)["KeyRotationEnabled"]
    kms.tag_resource(KeyId=key, Tags=[{"TagKey": "team", "TagValue": "web"}])
    assert kms.list_resource_tags(KeyId=key)["Tags"] == [{"TagKey": "team", "TagValue": "web"}]
    kms.disable_key(KeyId=key)
    assert kms.describe_key(KeyId=key)["KeyMetadata"]["KeyState"] == "Disabled"
    key_of(stage, "alias/other")
    assert [len(kms.list_keys(Limit=one)["Keys"]) for one in (1, 100)] == [1, 2]


def test_a_key_waits_in_the_window_of_its_deletion_and_takes_no_change_there(stage: Stage) -> None:
    kms = stage.me.kms
    key = key_of(stage).rpartition("/")[2]
    assert code_of(lambda: kms.schedule_key_deletion(KeyId=key, PendingWindowInDays=5)) == "ValidationException"
    kms.schedule_key_deletion(KeyId=key, PendingWindowInDays=7)
    assert kms.describe_key(KeyId=key)["KeyMetadata"]["KeyState"] == "PendingDeletion"
    assert code_of(lambda: kms.enable_key_rotation(KeyId=key)) == "KMSInvalidStateException"
    asymmetric = kms.create_key(KeySpec="RSA_2048", KeyUsage="SIGN_VERIFY")["KeyMetadata"]["KeyId"]
    assert code_of(lambda: kms.enable_key_rotation(KeyId=asymmetric)) == "UnsupportedOperationException"
