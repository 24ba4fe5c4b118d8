"""A sweep by id shows of what is ours what a sweep of everything shows, and costs no more than it must."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.model.ids import Fid, LogicalId, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.observation import Interest
from tenuto.model.outcome import Done, Request
from tenuto.providers.aws.kind import Scope
from tenuto.providers.aws.provider import AwsProvider
from tenuto.providers.aws.reading import narrowings
from tenuto.service.intake.composition import Submission
from tenuto_testing.clock import VirtualClock
from tenuto_testing.cloud import BOUNDLESS, Cloud, InProcessSession
from tenuto_testing.cloud.served import SERVED
from tenuto_testing.ops import RecordedOps
from tenuto_testing.strict_world import StrictWorld

HERE = Partition(account="default", region="us-east-1")
NAT = Path(__file__).parents[2] / "templates" / "vpc_with_managed_nat_and_private_subnet.yaml"
ROLE = TypeName("AWS::IAM::Role")
GROUP, RULE = TypeName("AWS::EC2::SecurityGroup"), TypeName("AWS::EC2::SecurityGroupIngress")


def calls_of(cloud: Cloud, work: Callable[[], object]) -> Counter[str]:
    """The calls that it makes, by action."""
    cloud.log.clear()
    work()
    return Counter(asked.action for asked in cloud.log)


def test_every_source_shows_the_same_of_tracked_things_by_id_and_by_page() -> None:
    world = StrictWorld(Cloud)
    world.run(NAT, "web")
    assert world.settle()
    tracked: dict[str, dict[TypeName, dict[PhysicalId, Interest]]] = {}
    for process in world.store.processes():
        for found in world.store.objects(process.fid):
            source = SERVED[found.type].source
            if source.by_id and found.physical_id is not None:
                ids = tracked.setdefault(source.name, {}).setdefault(found.type, {})
                names = SERVED[found.type].facts.costly
                ids[found.physical_id] = Interest(names=names, since=found.touched_at)
    provider = AwsProvider(session=InProcessSession(world.aws), ops=RecordedOps(), clock=world.clock, workers=1)
    client = provider._client(HERE)
    sources = {kind.source.name: kind.source for kind in SERVED.values()}
    assert len(tracked) >= 6
    for name, ids in tracked.items():
        everything = dict(_mine(sources[name].read(client, Scope(tracked=ids)), ids))
        filters = narrowings(sources[name], ids)
        assert filters
        by_id = [one for some in filters for one in sources[name].read(client, Scope(tracked=ids, filters=some))]
        assert dict(_mine(by_id, ids)) == everything
        assert {key for kind, found in ids.items() for key in ((kind, one) for one in found)} == everything.keys()


def _mine(found: list, ids: dict) -> list:  # type: ignore[type-arg]
    return [((kind, item.physical_id), item) for kind, item in found if item.physical_id in ids.get(kind, ())]


def test_beside_a_thousand_groups_of_others_ours_are_read_by_id() -> None:
    clock = VirtualClock()
    cloud = Cloud(clock, quotas=BOUNDLESS)
    ec2 = InProcessSession(cloud).create_client("ec2", HERE.region)
    vpc = ec2.describe_vpcs()["Vpcs"][0]["VpcId"]
    groups = [
        ec2.create_security_group(GroupName=f"group-{number}", Description="x", VpcId=vpc)["GroupId"]
        for number in range(1001)
    ]
    provider = AwsProvider(session=InProcessSession(cloud), ops=RecordedOps(), clock=clock, workers=1)
    ours = {PhysicalId(one): Interest() for one in groups[:3]}

    def look() -> dict[PhysicalId, object]:
        return dict(provider.sweep(HERE, "ec2.DescribeSecurityGroups", {GROUP: ours})[GROUP].items)

    everything = look()
    assert len(everything) > len(groups)
    assert calls_of(cloud, look) == {"DescribeSecurityGroups": 1, "DescribeSecurityGroupRules": 1}
    assert look() == {one: everything[one] for one in ours}
    by_id = provider.sweep(HERE, "ec2.DescribeSecurityGroups", {GROUP: ours})[GROUP]
    whole = provider.sweep(HERE, "ec2.DescribeSecurityGroups", {GROUP: ours}, is_whole=True)[GROUP]
    assert (by_id.is_whole, whole.is_whole) == (False, True)
    assert whole.items.keys() == everything.keys()
    others = {PhysicalId(one): Interest() for one in groups}
    assert len(provider.sweep(HERE, "ec2.DescribeSecurityGroups", {GROUP: others})[GROUP].items) > len(groups)


def _networks(count: int, **properties: object) -> Submission:
    resources = {
        f"Net{number}": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16", **properties}}
        for number in range(count)
    }
    compiled = compile_text(str({"Resources": resources}), file="nets.yaml", parameters={}, region=HERE.region)
    return Submission(document=to_document(compiled.composition), secrets={})


def test_the_switches_of_many_networks_are_observed_in_turns_and_still_mended() -> None:
    world = StrictWorld(lambda clock: Cloud(clock, quotas=BOUNDLESS))
    world.system.commands.run(_networks(25, EnableDnsSupport=True), alias="nets")
    assert world.settle()
    ids = sorted(world.ids("nets").values())
    assert calls_of(world.aws, lambda: world.advance(30.0))["DescribeVpcAttribute"] == 10
    stranger = world.stranger().create_client("ec2", HERE.region)
    for one in ids:
        stranger.modify_vpc_attribute(VpcId=one, EnableDnsSupport={"Value": False})
    world.advance(30.0 * 4)
    assert all(
        stranger.describe_vpc_attribute(VpcId=one, Attribute="enableDnsSupport")["EnableDnsSupport"]["Value"]
        for one in ids
    )


def test_a_person_who_asks_for_a_plan_is_shown_every_detail_as_it_is_now() -> None:
    world = StrictWorld(lambda clock: Cloud(clock, quotas=BOUNDLESS))
    world.system.commands.run(_networks(25, EnableDnsSupport=True), alias="nets")
    assert world.settle()
    stranger = world.stranger().create_client("ec2", HERE.region)
    for one in world.ids("nets").values():
        stranger.modify_vpc_attribute(VpcId=one, EnableDnsSupport={"Value": False})
    world.clock.advance(1.0)
    process = world.store.processes()[0]
    planning = world.system.conductor.preview(process, world.store.composition(process.composition_digest))
    assert len(planning.plan.operations) == 25


def test_switches_that_nobody_declares_cost_nothing() -> None:
    world = StrictWorld(lambda clock: Cloud(clock, quotas=BOUNDLESS))
    world.system.commands.run(_networks(3), alias="nets")
    assert world.settle()
    world.advance(30.0)
    assert not [asked for asked in world.aws.log if asked.action == "DescribeVpcAttribute"]


def test_a_switch_that_is_declared_for_the_first_time_is_read_before_it_is_compared() -> None:
    """Off is also what absence looks like: unread, a switch that a stranger turned on would pass for off."""
    world = StrictWorld(lambda clock: Cloud(clock, quotas=BOUNDLESS))
    world.system.commands.run(_networks(1), alias="nets")
    assert world.settle()
    (vpc,) = world.ids("nets").values()
    stranger = world.stranger().create_client("ec2", HERE.region)
    stranger.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": True})
    world.system.commands.update("nets", _networks(1, EnableDnsHostnames=False))
    assert world.settle()
    shown = stranger.describe_vpc_attribute(VpcId=vpc, Attribute="enableDnsHostnames")
    assert shown["EnableDnsHostnames"]["Value"] is False


def test_of_a_bucket_only_the_declared_configurations_are_read() -> None:
    world = StrictWorld(Cloud)
    bucket = {"Type": "AWS::S3::Bucket", "Properties": {"VersioningConfiguration": {"Status": "Enabled"}}}
    compiled = compile_text(str({"Resources": {"Files": bucket}}), file="b.yaml", parameters={}, region=HERE.region)
    world.system.commands.run(Submission(document=to_document(compiled.composition), secrets={}), alias="files")
    assert world.settle()
    calls = calls_of(world.aws, lambda: world.advance(30.0))
    assert calls == {"ListBuckets": 1, "GetBucketTagging": 1, "GetBucketVersioning": 1}


def test_a_drift_that_a_person_was_shown_is_mended_once() -> None:
    world = StrictWorld(lambda clock: Cloud(clock, quotas=BOUNDLESS))
    world.system.commands.run(_networks(1, EnableDnsHostnames=True), alias="nets")
    assert world.settle()
    stranger = world.stranger().create_client("ec2", HERE.region)
    stranger.modify_vpc_attribute(VpcId=world.ids("nets")["Net0"], EnableDnsHostnames={"Value": False})
    world.clock.advance(1.0)
    process = world.store.processes()[0]
    assert world.system.conductor.preview(process, world.store.composition(process.composition_digest)).plan.operations
    assert world.settle()
    jobs = [job for job in world.store.history(process.fid).jobs if job.command == "enforce"]
    assert len(jobs) == 1


def _run(world: StrictWorld, resources: dict[str, object], alias: str = "many") -> None:
    text = str({"Resources": resources})
    compiled = compile_text(text, file="many.yaml", parameters={}, region=HERE.region)
    world.system.commands.run(Submission(document=to_document(compiled.composition), secrets={}), alias=alias)
    assert world.settle()


def test_of_a_table_its_backups_and_its_time_to_live_are_read_where_they_are_declared() -> None:
    world = StrictWorld(Cloud)
    keys = {
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    recovery = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
    table = "AWS::DynamoDB::Table"
    _run(world, {"Plain": {"Type": table, "Properties": keys}, "Safe": {"Type": table, "Properties": keys | recovery}})
    assert calls_of(world.aws, lambda: world.advance(30.0)) == {
        "ListTables": 1,
        "DescribeTable": 2,
        "ListTagsOfResource": 2,
        "DescribeContinuousBackups": 1,
    }


def test_the_tags_of_many_queues_are_observed_in_turns_and_still_mended() -> None:
    world = StrictWorld(lambda clock: Cloud(clock, quotas=BOUNDLESS))
    tags = [{"Key": "team", "Value": "web"}]
    _run(world, {f"Jobs{number}": {"Type": "AWS::SQS::Queue", "Properties": {"Tags": tags}} for number in range(12)})
    calls = calls_of(world.aws, lambda: world.advance(30.0))
    assert calls == {"ListQueues": 1, "GetQueueAttributes": 12, "ListQueueTags": 10}
    stranger = world.stranger().create_client("sqs", HERE.region)
    urls = list(world.ids("many").values())
    for url in urls:
        stranger.untag_queue(QueueUrl=url, TagKeys=["team"])
    world.advance(30.0 * 3)
    assert all(stranger.list_queue_tags(QueueUrl=url)["Tags"]["team"] == "web" for url in urls)


def test_of_a_topic_only_its_tags_are_read_when_nothing_else_is_declared() -> None:
    world = StrictWorld(Cloud)
    _run(world, {"News": {"Type": "AWS::SNS::Topic", "Properties": {}}})
    calls = calls_of(world.aws, lambda: world.advance(30.0))
    assert calls == {"ListTopics": 1, "ListSubscriptions": 1, "ListTagsForResource": 1}


def test_a_near_sweep_asks_for_nothing_else_even_where_everything_is_on_one_page() -> None:
    clock = VirtualClock()
    cloud = Cloud(clock, quotas=BOUNDLESS)
    ec2 = InProcessSession(cloud).create_client("ec2", HERE.region)
    vpcs = [PhysicalId(ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]) for _ in range(20)]
    provider = AwsProvider(session=InProcessSession(cloud), ops=RecordedOps(), clock=clock, workers=1)
    vpc = TypeName("AWS::EC2::VPC")
    near = provider.sweep(HERE, "ec2.DescribeVpcs", {vpc: {vpcs[0]: Interest()}}, is_near=True)[vpc]
    assert set(near.items) == {vpcs[0]}
    assert not near.is_whole
    assert set(provider.sweep(HERE, "ec2.DescribeVpcs", {vpc: {vpcs[0]: Interest()}})[vpc].items) >= set(vpcs)


_TRUST = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "sts:AssumeRole"}]}
_MAY = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sns:Publish", "Resource": ["*"]}]}


def test_a_near_sweep_at_a_role_shows_no_policy_that_is_a_resource_of_its_own() -> None:
    """Strict history 760055: one that was shown was drift of the role, which deletes what it does not declare."""
    trusting = {"AssumeRolePolicyDocument": _TRUST}
    role = {"Type": ROLE, "Properties": trusting | {"Policies": [{"PolicyName": "within", "PolicyDocument": _MAY}]}}
    beside = {"RoleName": {"Ref": "Role"}, "PolicyName": "beside", "PolicyDocument": _MAY}
    world = StrictWorld(lambda clock: Cloud(clock, quotas=BOUNDLESS))
    _run(world, {f"Role{n}": {"Type": ROLE, "Properties": trusting} for n in range(24)})
    _run(world, {"Role": role, "Beside": {"Type": "AWS::IAM::RolePolicy", "Properties": beside}}, alias="few")
    for seconds in (60.0, 100.0):
        world.advance(seconds)
        assert world.system.queries.plan("few").planning.plan.is_empty


def test_a_plan_of_a_small_process_asks_for_its_own_things_among_many() -> None:
    world = StrictWorld(lambda clock: Cloud(clock, quotas=BOUNDLESS))
    world.system.commands.run(_networks(250), alias="many")
    world.system.commands.run(_networks(2), alias="few")
    assert world.settle()
    world.advance(60.0)
    world.aws.log.clear()
    view = world.system.queries.plan("few")
    assert view.planning.plan.is_empty
    asked = [str(one.parameters) for one in world.aws.log if one.action == "DescribeVpcs"]
    assert len(asked) == 1
    assert all(one in asked[0] for one in world.ids("few").values())
    assert not any(one in asked[0] for one in world.ids("many").values())


def test_one_damaged_tag_hides_nothing_else_of_its_page() -> None:
    world = StrictWorld(lambda clock: Cloud(clock, quotas=BOUNDLESS))
    world.system.commands.run(_networks(2, EnableDnsSupport=True), alias="nets")
    assert world.settle()
    stranger = world.stranger().create_client("ec2", HERE.region)
    theirs = stranger.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    with pytest.raises(ClientError, match="control characters"):
        stranger.create_tags(Resources=[theirs], Tags=[{"Key": "Name", "Value": "\x1b[31mred"}])
    stranger.create_tags(Resources=[theirs], Tags=[{"Key": "Name", "Value": "red"}])
    _damage(world.aws, theirs)
    mine = world.ids("nets")["Net0"]
    stranger.modify_vpc_attribute(VpcId=mine, EnableDnsSupport={"Value": False})
    world.advance(90.0)
    assert world.settle()
    shown = stranger.describe_vpc_attribute(VpcId=mine, Attribute="enableDnsSupport")
    assert shown["EnableDnsSupport"]["Value"] is True


def _damage(cloud: Cloud, thing_id: str) -> None:
    """Have a tag of a thing hold what no XML can carry: some clouds store what they cannot show."""
    things = [
        table.things[thing_id]
        for place in cloud.places(HERE.region)
        for table in place.tables()
        if thing_id in table.things
    ]
    assert things
    for thing in things:
        thing.texts.clear()
        for tag in thing.tags():
            tag["Value"] = "\x1b[31mred"


def test_a_policy_that_is_made_while_a_sweep_is_under_way_is_no_part_of_its_role() -> None:
    clock = VirtualClock()
    cloud = Cloud(clock, quotas=BOUNDLESS)
    provider = AwsProvider(session=InProcessSession(cloud), ops=RecordedOps(), clock=clock, workers=1)
    iam = InProcessSession(cloud).create_client("iam", HERE.region)
    iam.create_role(RoleName="ours", AssumeRolePolicyDocument=json.dumps(_TRUST))
    policy = Request(
        object_id=ObjectId("one"),
        fid=Fid("f"),
        process_name="web",
        logical_id=LogicalId("Beside"),
        type=TypeName("AWS::IAM::RolePolicy"),
        token="one",
        properties={"RoleName": "ours", "PolicyName": "beside", "PolicyDocument": _MAY},
    )
    tracked = {ROLE: {PhysicalId("ours"): Interest()}}

    def shown() -> list[str]:
        sweep = provider.sweep(HERE, "iam.GetAccountAuthorizationDetails", tracked)[ROLE]
        return sorted(one["PolicyName"] for one in sweep.items[PhysicalId("ours")].properties.get("Policies") or ())

    [made] = provider.create(HERE, [policy])
    assert isinstance(made, Done)
    assert shown() == []
    clock.advance(3600.0)
    provider.create(HERE, [replace(policy, properties={**policy.properties, "PolicyName": "later"})])
    assert shown() == ["beside"], "nobody tracks it, and it was made long ago"
    provider.delete(HERE, [replace(policy, physical_id=PhysicalId("later|ours"))])
    iam.put_role_policy(RoleName="ours", PolicyName="later", PolicyDocument=json.dumps(_MAY))
    assert shown() == ["beside", "later"], "it is another one that has the name now"
