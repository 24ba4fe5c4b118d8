"""Every property that takes a name in several spellings, declared in each of them, in front of a cloud that shows one.

What was declared in another spelling than AWS shows is as declared: it is made without a fault, adopted without a
change, and not replaced when the spelling changes. Another key is another key.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from night import by_day
from strict_life import settled

from tenuto.compositions.compile import compile_file
from tenuto.compositions.documents.document import to_document
from tenuto.model.command import ProcessState
from tenuto.model.plan import Plan
from tenuto.model.resource import ManagedObject
from tenuto.model.verb import Verb
from tenuto.service.intake.composition import Submission
from tenuto_testing.cloud import Cloud, Failure, Fault
from tenuto_testing.cloud.served import SERVED
from tenuto_testing.strict_world import REGION, StrictWorld

ACCOUNT = "123456789012"
Properties = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A property that names a key, and a resource that declares it."""

    type: str
    path: str
    declared: Callable[[str], Properties]
    others: Callable[[], dict[str, Properties]] = dict
    """Resources that it needs beside it, by type."""
    spellings: tuple[str, ...] = ("id", "arn", "alias", "alias_arn")
    is_forced: bool = False
    """Whether another key can only be had by a replacement."""

    def __str__(self) -> str:
        return f"{self.type.rpartition('::')[2]}.{self.path.rpartition('.')[2]}"


def _table(key: str) -> Properties:
    return {
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "SSESpecification": {"SSEEnabled": True, "SSEType": "KMS", "KMSMasterKeyId": key},
        "TableName": "orders",
    }


def _encrypted(key: str) -> Properties:
    by_default = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": key}
    rules = [{"ServerSideEncryptionByDefault": by_default, "BucketKeyEnabled": True}]
    return {"BucketName": "orders", "BucketEncryption": {"ServerSideEncryptionConfiguration": rules}}


def _replicated(key: str) -> Properties:
    destination = {"Bucket": "arn:aws:s3:::copies", "EncryptionConfiguration": {"ReplicaKmsKeyID": key}}
    rule = {
        "DeleteMarkerReplication": {"Status": "Disabled"},
        "Destination": destination,
        "Filter": {"Prefix": ""},
        "Id": "all",
        "Priority": 1,
        "SourceSelectionCriteria": {"SseKmsEncryptedObjects": {"Status": "Enabled"}},
        "Status": "Enabled",
    }
    return {
        "BucketName": "orders",
        "VersioningConfiguration": {"Status": "Enabled"},
        "ReplicationConfiguration": {"Role": f"arn:aws:iam::{ACCOUNT}:role/copier", "Rules": [rule]},
    }


def _instance(key: str) -> Properties:
    disk = {"Encrypted": True, "KmsKeyId": key, "VolumeSize": 20}
    return {
        "BlockDeviceMappings": [{"DeviceName": "/dev/xvda", "Ebs": disk}],
        "ImageId": "ami-0abcdef1234567890",
        "InstanceType": "t3.micro",
    }


KEY_PLACES = (
    Place(
        type="AWS::EC2::Volume",
        path="KmsKeyId",
        declared=lambda key: {"AvailabilityZone": f"{REGION}a", "Encrypted": True, "KmsKeyId": key, "Size": 10},
        is_forced=True,
    ),
    Place(type="AWS::EC2::Instance", path="BlockDeviceMappings.Ebs.KmsKeyId", declared=_instance, is_forced=True),
    Place(type="AWS::DynamoDB::Table", path="SSESpecification.KMSMasterKeyId", declared=_table),
    Place(
        type="AWS::S3::Bucket",
        path="BucketEncryption.ServerSideEncryptionConfiguration.ServerSideEncryptionByDefault.KMSMasterKeyID",
        declared=_encrypted,
    ),
    Place(
        type="AWS::S3::Bucket",
        path="ReplicationConfiguration.Rules.Destination.EncryptionConfiguration.ReplicaKmsKeyID",
        declared=_replicated,
    ),
    Place(
        type="AWS::SQS::Queue",
        path="KmsMasterKeyId",
        declared=lambda key: {"QueueName": "orders", "KmsMasterKeyId": key},
    ),
    Place(
        type="AWS::SNS::Topic",
        path="KmsMasterKeyId",
        declared=lambda key: {"TopicName": "orders", "KmsMasterKeyId": key},
    ),
    Place(
        type="AWS::Logs::LogGroup",
        path="KmsKeyId",
        declared=lambda key: {"LogGroupName": "orders", "KmsKeyId": key},
        spellings=("arn", "alias_arn"),
    ),
)
EACH_SPELLING = [(place, spelling) for place in KEY_PLACES for spelling in place.spellings]
EACH_PLACE = [pytest.param(place, id=str(place)) for place in KEY_PLACES]


class Stage:
    """A world with two keys, each with an alias, and one resource of a process `web`."""

    def __init__(self, folder: Path) -> None:
        self.world = StrictWorld(Cloud)
        self.folder = folder
        self.kms = self.world.stranger().create_client("kms", REGION)
        self.keys = [self._new_key(alias) for alias in ("alias/data", "alias/other")]
        self.world.stranger().create_client("s3", REGION).create_bucket(Bucket="copies")

    def _new_key(self, alias: str) -> dict[str, str]:
        """A key in all its spellings."""
        made = self.kms.create_key()["KeyMetadata"]
        self.kms.create_alias(AliasName=alias, TargetKeyId=made["KeyId"])
        arn = f"arn:aws:kms:{REGION}:{ACCOUNT}:{alias}"
        return {"id": made["KeyId"], "arn": made["Arn"], "alias": alias, "alias_arn": arn}

    def run(self, place: Place, name: str) -> None:
        """Make the resource, and let the process come to rest."""
        self.world.system.commands.run(self._submission(place, name), alias="web")
        settled(self.world)

    def update(self, place: Place, name: str) -> Plan:
        """Declare another name. The plan that is then carried out, once it is."""
        plan = self.shown(place, name)
        self.world.system.commands.update("web", self._submission(place, name))
        settled(self.world)
        return plan

    def shown(self, place: Place, name: str) -> Plan:
        """The plan of an update, as its dry run shows it."""
        return self.world.system.commands.dry_runs.update("web", self._submission(place, name)).planning.plan

    def planned(self) -> Plan:
        """The plan of the next job."""
        return self.world.system.queries.plan("web").planning.plan

    def thing(self) -> ManagedObject:
        [resource] = self.world.system.queries.process("web").resources
        assert resource.current is not None
        return resource.current

    def _submission(self, place: Place, name: str, *, adopts: str = "") -> Submission:
        metadata = {"Metadata": {"Tenuto": {"ResourceIdentifier": adopts}}} if adopts else {}
        resource = {"Type": place.type, "Properties": place.declared(name), **metadata}
        path = self.folder / "data.json"
        path.write_text(json.dumps({"Resources": {"Data": resource}}))
        compiled = compile_file(path, parameters={}, region=REGION)
        return Submission(document=to_document(compiled.composition), secrets=compiled.secrets)

    def adopt(self, place: Place, name: str, physical_id: str) -> Plan:
        """Take over what exists. The plan that a person is shown of that."""
        submission = self._submission(place, name, adopts=physical_id)
        commands = self.world.system.commands
        plan = commands.dry_runs.run(submission, alias="web", account="default", adopts=True).planning.plan
        commands.run(submission, alias="web", adopts=True)
        settled(self.world)
        return plan


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def verbs(plan: Plan) -> list[Verb]:
    return [operation.verb for operation in plan.operations]


def test_every_property_that_takes_several_names_of_a_key_is_tried_here() -> None:
    declared = {
        (str(name), path)
        for name, kind in SERVED.items()
        for path, naming in kind.facts.namings.items()
        if naming.pointer
    }
    assert {(place.type, place.path) for place in KEY_PLACES} == declared


@pytest.mark.parametrize(("place", "spelling"), EACH_SPELLING, ids=str)
def test_what_is_made_with_any_spelling_is_as_declared_from_then_on(stage: Stage, place: Place, spelling: str) -> None:
    stage.run(place, stage.keys[0][spelling])
    made = stage.thing()
    assert stage.planned().is_empty
    before = stage.world.changes()
    stage.world.advance(600.0)
    assert stage.world.changes() == before
    assert stage.thing().object_id == made.object_id


@pytest.mark.parametrize(("place", "spelling"), EACH_SPELLING, ids=str)
def test_what_exists_is_adopted_in_any_spelling_without_a_change(stage: Stage, place: Place, spelling: str) -> None:
    first = "arn"
    stage.run(place, stage.keys[0][first])
    physical_id = str(stage.thing().physical_id)
    stage.world.system.commands.release("web")
    assert stage.world.settle()
    before = stage.world.changes()
    assert verbs(stage.adopt(place, stage.keys[0][spelling], physical_id)) == [Verb.ADOPT]
    stage.world.advance(120.0)
    marks = {"CreateTags", "TagResource", "TagQueue", "PutBucketTagging"}
    assert set(stage.world.changes()[len(before) :]) <= marks
    assert stage.thing().physical_id == physical_id


@pytest.mark.parametrize(("place", "spelling"), by_day(8, EACH_SPELLING), ids=str)
def test_another_spelling_of_the_same_key_replaces_nothing_and_calls_nothing(
    stage: Stage, place: Place, spelling: str
) -> None:
    stage.run(place, stage.keys[0]["arn"])
    made, before = stage.thing(), stage.world.changes()
    plan = stage.update(place, stage.keys[0][spelling])
    assert verbs(plan) in ([], [Verb.MODIFY])
    stage.update(place, stage.keys[0]["arn"])
    assert stage.planned().is_empty
    assert stage.thing().object_id == made.object_id
    assert stage.world.changes() == before


@pytest.mark.parametrize(("place", "spelling"), by_day(8, EACH_SPELLING), ids=str)
def test_another_key_is_another_one_in_any_spelling_and_a_person_is_shown_that(
    stage: Stage, place: Place, spelling: str
) -> None:
    stage.run(place, stage.keys[0]["arn"])
    made = stage.thing()
    plan = stage.update(place, stage.keys[1][spelling])
    assert verbs(plan) == [Verb.REPLACE if place.is_forced else Verb.MODIFY]
    assert (stage.thing().object_id == made.object_id) is not place.is_forced
    assert stage.planned().is_empty


@pytest.mark.parametrize("place", [one for one in EACH_PLACE if "alias" in one.values[0].spellings])
def test_an_alias_that_is_moved_replaces_nothing(stage: Stage, place: Place) -> None:
    stage.run(place, "alias/data")
    made = stage.thing()
    stage.kms.update_alias(AliasName="alias/data", TargetKeyId=stage.keys[1]["id"])
    stage.world.advance(900.0)
    process = stage.world.system.queries.process("web").process
    assert process.state is ProcessState.RUNNING
    assert stage.thing().object_id == made.object_id
    assert stage.planned().is_empty


def test_a_table_follows_an_alias_that_is_moved_since_its_key_is_changed_in_place(stage: Stage) -> None:
    [table] = [place for place in KEY_PLACES if place.type == "AWS::DynamoDB::Table"]
    stage.run(table, "alias/data")
    stage.kms.update_alias(AliasName="alias/data", TargetKeyId=stage.keys[1]["id"])
    stage.world.advance(900.0)
    dynamodb = stage.world.stranger().create_client("dynamodb", REGION)
    shown = dynamodb.describe_table(TableName="orders")["Table"]["SSEDescription"]
    assert shown["KMSMasterKeyArn"] == stage.keys[1]["arn"]


@pytest.mark.parametrize("place", [one for one in EACH_PLACE if "alias" in one.values[0].spellings])
def test_what_an_alias_stands_for_need_not_be_known(stage: Stage, place: Place) -> None:
    """Without the permission to describe keys, too, an alias is a way to name one."""
    stage.world.aws.faults.script(Fault(Failure.DENIED, "DescribeKey", count=1000))
    stage.run(place, "alias/data")
    made = stage.thing()
    assert stage.planned().is_empty
    stage.world.advance(900.0)
    assert stage.planned().is_empty
    assert Verb.REPLACE not in verbs(stage.update(place, stage.keys[0]["alias_arn"]))
    assert stage.planned().is_empty
    assert stage.thing().object_id == made.object_id


def test_an_alias_of_which_nothing_is_known_replaces_no_volume_and_the_plan_says_so(stage: Stage) -> None:
    [volume] = [place for place in KEY_PLACES if place.type == "AWS::EC2::Volume"]
    stage.run(volume, stage.keys[0]["arn"])
    made = stage.thing()
    stage.world.aws.faults.script(Fault(Failure.DENIED, "DescribeKey", count=1000))
    plan = stage.update(volume, "alias/other")
    [operation] = plan.operations
    assert operation.verb is Verb.MODIFY
    assert "the provider does not tell what a name in it stands for" in operation.reason
    assert stage.thing().object_id == made.object_id


def test_nothing_is_asked_of_kms_where_no_alias_is_declared_or_shown(stage: Stage) -> None:
    for place in KEY_PLACES[:1]:
        stage.run(place, stage.keys[0]["arn"])
    stage.world.advance(120.0)
    assert "DescribeKey" not in {asked.action for asked in stage.world.aws.log}


@pytest.mark.parametrize("spelling", ["name", "arn"])
def test_an_instance_takes_its_profile_by_name_and_by_arn(stage: Stage, spelling: str) -> None:
    iam = stage.world.stranger().create_client("iam", REGION)
    arns = {
        name: iam.create_instance_profile(InstanceProfileName=name, Path="/teams/")["InstanceProfile"]["Arn"]
        for name in ("web", "batch")
    }
    spelled = {name: arns[name] if spelling == "arn" else name for name in arns}
    place = Place(
        type="AWS::EC2::Instance",
        path="IamInstanceProfile",
        declared=lambda name: {"ImageId": "ami-0abcdef1234567890", "IamInstanceProfile": name},
    )
    stage.run(place, spelled["web"])
    made, before = stage.thing(), stage.world.changes()
    assert stage.planned().is_empty
    for name in ("web", arns["web"], spelled["web"]):
        assert stage.update(place, name).is_empty
    assert stage.world.changes() == before
    assert verbs(stage.update(place, spelled["batch"])) == [Verb.MODIFY]
    assert stage.thing().object_id == made.object_id
    assert stage.planned().is_empty
