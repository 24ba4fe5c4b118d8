"""The real AWS showed of each thing, right after it was deployed, its declared values; any change of it is found.

The recordings are not part of the project. TENUTO_RECORDINGS names a folder with `live/TYPE.NAME.json`, each with what
a template `declared` and the `live` model that Cloud Control read; without it these tests are skipped.
"""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.compositions.existing import Thing, template_of
from tenuto.core.language import resolve
from tenuto.core.planning.comparing.changes import changes_of
from tenuto.core.planning.comparing.secrets import Desired
from tenuto.core.planning.equality.values import pointers_of
from tenuto.errors import CompileError, NotDeclarableError
from tenuto.model.ids import Fid, Instant, LogicalId, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.naming import ANYTHING
from tenuto.model.resource import Comparison, ManagedObject, ResourceType
from tenuto.model.spelling import Documents, Program
from tenuto.providers.aws.client.owner import is_reserved, read_tags
from tenuto.providers.aws.comparisons import WORDS
from tenuto.providers.aws.kind import AwsType
from tenuto.providers.aws.types.catalogue import CATALOGUE
from tenuto.providers.aws.types.cloud_control_acts import CloudControlType
from tenuto_testing.cloud.resource_models import refusal_of, schema_of

FOLDER = Path(os.environ.get("TENUTO_RECORDINGS") or "no recordings")
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="TENUTO_RECORDINGS names no folder of recorded answers")
UNKNOWN = "__cdkrd_corpus_unresolved__"
NOWHERE = object()

BEHIND_ITS_BACK = "someone changed it before it was recorded"
OTHER_CALL = "Cloud Control leaves it out; the block reads it by a call of the service"
SEPARATE = "it belongs to resources that the template declares besides"
CHANGED: dict[str, tuple[str, set[str]]] = {
    "AWS__ApiGateway__Method.ApiqueuePOST69F945C0": (BEHIND_ITS_BACK, {"Integration.IntegrationResponses"}),
    "AWS__CloudFront__Distribution.MultiOriginCdn": (BEHIND_ITS_BACK, {"DistributionConfig.Origins"}),
    "AWS__DAX__Cluster.Cluster": (OTHER_CALL, {"ReplicationFactor"}),
    "AWS__DynamoDB__Table.HuntTable71D348F5": (BEHIND_ITS_BACK, {"ProvisionedThroughput.ReadCapacityUnits"}),
    "AWS__EC2__LaunchTemplate.LaunchTpl": (OTHER_CALL, {"LaunchTemplateData"}),
    "AWS__EC2__SecurityGroup.SgD4954771.protocols": (SEPARATE, {"SecurityGroupIngress"}),
    "AWS__EC2__SecurityGroup.SgIngressRemoved": (BEHIND_ITS_BACK, {"SecurityGroupIngress"}),
    "AWS__ElastiCache__ReplicationGroup.HuntCmeRg": (OTHER_CALL, {"NumNodeGroups"}),
    "AWS__ElastiCache__ReplicationGroup.ReplicationGroup": (OTHER_CALL, {"SecurityGroupIds"}),
    "AWS__ElasticLoadBalancingV2__LoadBalancer.Edge7038544F.drifted": (BEHIND_ITS_BACK, {"LoadBalancerAttributes"}),
    "AWS__Events__Rule.MatrixRuleF1E32BBB.drifted": (BEHIND_ITS_BACK, {"State"}),
    "AWS__Glue__Table.EventsTable": (BEHIND_ITS_BACK, {"TableInput.Parameters"}),
    "AWS__IAM__ManagedPolicy.SharedRoleDetached": (BEHIND_ITS_BACK, {"Roles"}),
    "AWS__IAM__ManagedPolicy.SharedUsersGroupsDetach": (BEHIND_ITS_BACK, {"Groups", "Roles", "Users"}),
    "AWS__IAM__Role.RoleInlinePolicyRemoved": (BEHIND_ITS_BACK, {"Policies"}),
    "AWS__Lambda__Function.FnEnvRemoved": (BEHIND_ITS_BACK, {"Environment"}),
    "AWS__Lambda__Function.FreeFormEnvVar.drifted": (BEHIND_ITS_BACK, {"Environment.Variables"}),
    "AWS__Logs__LogGroup.MatrixLogsDDD521D9.drifted": (BEHIND_ITS_BACK, {"RetentionInDays"}),
    "AWS__S3__Bucket.BucketConfigRemoved": (BEHIND_ITS_BACK, {"CorsConfiguration", "LifecycleConfiguration"}),
    "AWS__S3__Bucket.BucketConfigsOmit2": (
        BEHIND_ITS_BACK,
        {f"{kind}Configurations" for kind in ("Analytics", "IntelligentTiering", "Metrics")}
        | {"OwnershipControls", "WebsiteConfiguration"},
    ),
    "AWS__SNS__Topic.MatrixTopic643E8545.drifted": (BEHIND_ITS_BACK, {"DisplayName"}),
    "AWS__SQS__Queue.MatrixQueueEEAE6F08.drifted": (BEHIND_ITS_BACK, {"VisibilityTimeout"}),
    "AWS__KinesisFirehose__DeliveryStream.Tap": (OTHER_CALL, {"S3DestinationConfiguration"}),
    "AWS__Pipes__Pipe.Pipe": (OTHER_CALL, {"SourceParameters"}),
    "AWS__Pipes__Pipe.Pipe_rich": (OTHER_CALL, {"SourceParameters"}),
    "AWS__SQS__Queue.WorkQueue": (BEHIND_ITS_BACK, {"VisibilityTimeout"}),
    "AWS__SSM__Parameter.GreetingParam": (
        "CloudFormation gave the template back with question marks for other letters; the description: " + OTHER_CALL,
        {"Description", "Value"},
    ),
    "AWS__SSM__Parameter.Param165332EC": (OTHER_CALL, {"Description"}),
    "AWS__StepFunctions__StateMachine.MachineDefObject": (
        "AWS shows the text; the block shows it as a mapping, too",
        {"Definition"},
    ),
}
"""The recordings in which AWS shows another value than was declared, why, and where."""
NOT_KEPT = {
    "AWS__CloudTrail__Trail.Audit3D8ADE0A": ("an empty list is shown as the default selector", {"EventSelectors"}),
    "AWS__DLM__LifecyclePolicy.PolicyDefault": ("it is never shown", {"DefaultPolicy"}),
    "AWS__Redshift__Cluster.Warehouse": ("it is never shown", {"Port"}),
}
"""Values that AWS does not keep as they were sent, by no rule that would hold elsewhere. Tenuto sends such a value once
more, and then tells that the provider does not keep it (`test_values_not_kept`)."""


def cases() -> list[Any]:
    return [
        pytest.param(path, id=path.stem)
        for path in sorted(FOLDER.glob("live/*.json"))
        if TypeName(path.stem.partition(".")[0].replace("__", "::")) in CATALOGUE
    ]


class Case:
    """One recording as the planner meets it: what was declared, and what a sweep shows."""

    def __init__(self, path: Path) -> None:
        found = json.loads(path.read_text(encoding="utf-8"))
        self.kind: AwsType = CATALOGUE[TypeName(found["type"])]
        self.facts = self.kind.facts
        known = {name: known_part(value) for name, value in found["declared"].items()}
        self.declared = {
            name: value for name, value in known.items() if value is not NOWHERE and name not in self.kind.facts.refused
        }
        self.live = found["live"]
        self.shown = self._shown(found)

    @property
    def _is_block(self) -> bool:
        return not self.facts.through

    def _shown(self, found: Any) -> dict[str, Any]:
        if self._is_block:
            name = next((one for one in self.facts.when_absent if one.endswith("Tags")), "Tags")
            tags = found["live"].get(name, [])
            if isinstance(tags, dict):
                return {**found["live"], name: {key: tags[key] for key in tags if not is_reserved(key)}}
            return {**found["live"], name: list(read_tags(tags).declared)}
        own: CloudControlType = self.kind.source.read.__self__  # type: ignore[attr-defined]
        self.item = own.seen(found["physical_id"], found["live"])[1]
        return dict(self.item.properties)

    @property
    def has_tags(self) -> bool:
        """Whether tags are declared of a type that says that it has some."""
        return "Tags" in self.declared and "Tags" in self.facts.when_absent

    @property
    def pointers(self) -> set[str]:
        """The declared names that say by themselves nothing of what they stand for."""
        return {name for name in self.declared if pointers_of([({name: self.declared[name]}, self.facts.namings)])}

    def differs(self, shown: dict[str, Any] | None = None) -> set[str]:
        """The paths at which the planner finds something to change, when nothing new is declared."""
        current = thing(self.facts.name, self.declared)
        wish = Desired(properties=self.declared, digest="same", names=ANYTHING)
        changes = changes_of(wish, self.shown if shown is None else shown, current, self.facts, None)
        return {one.path for one in changes if one.path in self.declared or one.path.partition(".")[0] in self.declared}


def thing(type_name: str, declared: dict[str, Any]) -> ManagedObject:
    return ManagedObject(
        object_id=ObjectId("obj-1"),
        lifecycle="resource",
        type=TypeName(type_name),
        provider="aws",
        partition=Partition(account="default", region="us-east-1"),
        fid=Fid("fid-1"),
        logical_id=LogicalId("Thing"),
        state="Ready",
        target="Ready",
        created_at=Instant(0),
        moved_at=Instant(0),
        touched_at=Instant(0),
        physical_id=PhysicalId("thing"),
        desired=declared,
        desired_digest="same",
    )


def known_part(value: Any) -> Any:
    """A declared value without what the recording does not know."""
    if isinstance(value, dict):
        known = {name: known_part(one) for name, one in value.items() if UNKNOWN not in name}
        rest = {name: one for name, one in known.items() if one is not NOWHERE}
        return rest if len(rest) == len(value) or rest else NOWHERE
    if isinstance(value, list):
        members = [known_part(one) for one in value]
        return NOWHERE if any(one is NOWHERE for one in members) else members
    return NOWHERE if isinstance(value, str) and UNKNOWN in value else value


@pytest.mark.parametrize("path", cases())
def test_what_aws_showed_after_a_deployment_is_as_it_was_declared(path: Path) -> None:
    _, expected = {**CHANGED, **NOT_KEPT}.get(path.stem, ("", set()))
    assert Case(path).differs() == expected


@pytest.mark.parametrize("path", cases())
def test_a_change_of_any_declared_value_is_found(path: Path) -> None:
    case = Case(path)
    as_it_is = case.differs()
    missed = []
    for name in sorted(case.declared.keys() & case.shown.keys()):
        if (
            case.facts.is_unseen(name)
            # Such a moment is cut off to the hour; the changes here are smaller.
            or case.facts.compare_as.get(name) is Comparison.HOUR
            or name in case.pointers
            or any(one.partition(".")[0] == name for one in as_it_is)
        ):
            continue
        for at, other, without in changes_in(case.shown[name]):
            if case.differs({**case.shown, name: other}):
                continue
            if at[-1] == "account" and not re.search(r"\d{12}", json.dumps(case.declared[name])):
                # A plain name is of the account that the thing is in.
                continue
            if not any(not case.differs({**case.shown, name: one}) for one in without):
                missed.append((name, at))
    assert missed == []


@pytest.mark.parametrize("path", cases())
def test_a_member_that_comes_or_goes_anywhere_in_a_document_is_found(path: Path) -> None:
    case = Case(path)
    declared, as_it_is = case.declared, case.differs()
    missed = []
    for name in sorted(declared.keys() & case.shown.keys()):
        if case.facts.is_unseen(name) or any(one.partition(".")[0] == name for one in as_it_is):
            continue
        told = {at for at, _ in with_a_member(declared[name], case.facts, name, "more")}
        for at, one in with_a_member(case.shown[name], case.facts, name, "more"):
            # A document that was not declared belongs to the service.
            missed += [(at, one)] if at in told and not case.differs({**case.shown, name: one}) else []
        for nothing in (False, 0, "none"):
            for at, one in with_a_member(declared[name], case.facts, name, nothing):
                case.declared = {**declared, name: one}
                is_hidden = any(at.startswith(f"{hidden}.") for hidden in case.facts.hidden)
                missed += [] if is_hidden or case.differs() else [(at, one)]
        case.declared = declared
    assert missed == []


HIDES = "AWS never shows what the type requires, so that no description could make it again"
CUT = "the authors of the recording left required properties out"
UNDESCRIBED = {
    "AWS__CloudFront__Distribution.MultiOriginCdn": CUT,
    "AWS__Events__Connection.BasicConn": HIDES,
    "AWS__Events__Connection.Conn": HIDES,
    "AWS__Glue__Table.EventsTable": CUT,
    "AWS__Lambda__Function.Handler.drifted": CUT,
    "AWS__Lambda__Function.VpcHandler": CUT,
    "AWS__Redshift__Cluster.Warehouse": CUT,
}
"""The recordings that no import describes, and why."""


@pytest.mark.parametrize("path", [one for one in cases() if Case(one.values[0]).facts.through])
def test_a_thing_of_a_type_without_a_block_is_described_adopted_as_it_is_and_can_be_made_again(path: Path) -> None:
    case = Case(path)
    thing = Thing(facts=case.facts, item=case.item)
    if path.stem in UNDESCRIBED:
        with pytest.raises((CompileError, NotDeclarableError)):
            template_of([thing], region="us-east-1")
        return
    document = json.dumps(template_of([thing], region="us-east-1"))
    [made] = compile_text(document, file="seen.json", parameters={}, region="us-east-1").composition.resources
    case.declared = {name: value for name, value in made.properties.items() if resolve.is_resolved(value)}
    assert case.differs() == set()
    schema = schema_of(case.facts.name)
    assert schema is not None
    assert refusal_of(schema, dict(made.properties)) == ""


@pytest.mark.parametrize("path", [one for one in cases() if Case(one.values[0]).has_tags])
def test_a_tag_that_is_added_or_taken_away_is_found(path: Path) -> None:
    case = Case(path)
    tags = case.shown["Tags"]
    if isinstance(tags, dict):
        more: Any = {**tags, "zz": "1"}
        less: Any = dict(list(tags.items())[1:])
    else:
        more, less = [*tags, {"Key": "zz", "Value": "1"}], tags[1:]
    assert "Tags" in case.differs({**case.shown, "Tags": more})
    assert "Tags" in case.differs({**case.shown, "Tags": less})


def changes_in(value: Any) -> Iterator[tuple[Any, Any, list[Any]]]:
    """Each change of one leaf: where, the changed value, and the value without that leaf, or without what holds it.

    What may be left out was not declared.
    """
    if isinstance(value, dict):
        for name, one in value.items():
            gone = {other: rest for other, rest in value.items() if other != name}
            for at, changed, without in changes_in(one):
                yield (name, *at), {**value, name: changed}, [gone, *({**value, name: rest} for rest in without)]
    elif isinstance(value, list):
        for index, one in enumerate(value):
            before, after = value[:index], value[index + 1 :]
            for at, changed, without in changes_in(one):
                rests = [[*before, *after], *([*before, rest, *after] for rest in without)]
                yield (index, *at), [*before, changed, *after], rests
    elif isinstance(value, bool):
        yield ("other",), not value, []
    elif isinstance(value, int | float):
        yield ("other",), value + 1, []
        yield ("between",), value + 0.25, []
    elif isinstance(value, str) and not re.fullmatch(r"\s*[\[{].*", value, re.DOTALL):
        yield ("other",), f"zz{value}", []
        if match := re.fullmatch(r"(arn:[^:]*:[^:]*:[^:]*:)\d{12}(:.*)", value):
            yield ("account",), f"{match[1]}999999999999{match[2]}", []


def with_a_member(
    value: Any, facts: ResourceType, path: str, member: Any, *, is_within: bool = False
) -> Iterator[tuple[str, Any]]:
    """The value with one more member, for each mapping inside its documents, and the path of that mapping."""
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        try:
            inside = json.loads(value)
        except ValueError:
            return
        for at, one in with_a_member(inside, facts, path, member, is_within=True):
            yield at, json.dumps(one)
    elif isinstance(value, dict):
        is_within = is_within or is_document(facts, path)
        if is_within:
            yield path, {**value, "zz": member}
        for name, one in value.items():
            for at, other in with_a_member(one, facts, f"{path}.{name}", member, is_within=is_within):
                yield at, {**value, name: other}
    elif isinstance(value, list):
        for index, one in enumerate(value):
            for at, other in with_a_member(one, facts, path, member, is_within=is_within):
                yield at, [*value[:index], other, *value[index + 1 :]]


def is_document(facts: ResourceType, path: str) -> bool:
    """Whether a document is at the place, and no settings to which the service adds its own."""
    is_settings = re.fullmatch(WORDS.settings, path.rpartition(".")[2]) is not None
    return isinstance(facts.compare_as.get(path), Documents | Program) and not is_settings
