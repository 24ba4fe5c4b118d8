"""AWS::CodeDeploy: applications, and the groups of machines or services that revisions of them are deployed to.

The Ref of a group is its name, and its id begins with the application's. A declared `Deployment` is no part of a group:
it is started when the group is there, and again when another one is declared. Its end is CodeDeploy's concern.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from tenuto.model.ids import Json, JsonMap
from tenuto.model.outcome import Done, Outcome
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.ids import ID
from tenuto.providers.aws.blocks.parts import Plain
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import sent
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.cloud_control_model import is_sent_anew
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import tags_by_arn

_SERVICE = "codedeploy"
_WORDS = "applicationName deploymentGroupName"
_DEPLOYMENT, _DEPLOY = "Deployment", "CreateDeployment"


def _place(one: str) -> str:
    """The last part of the ARN of an application, or of a group, whose id has two parts."""
    return f"deploymentgroup:{one.replace(ID, '/')}" if ID in one else f"application:{one}"


_TAGS = tags_by_arn(
    _SERVICE,
    _place,
    list_call="ListTagsForResource",
    put_call="TagResource",
    remove_call="UntagResource",
    id_name="ResourceArn",
)


def _start(work: Work, group: str) -> None:
    """Start the declared deployment to a group, if there is one."""
    wanted = work.want(_DEPLOYMENT)
    if isinstance(wanted, Mapping):
        about = Call(_DEPLOY).about(_WORDS, group)
        work.change(_SERVICE, _DEPLOY, **about, **sent(work.client.input_of(_SERVICE, _DEPLOY), wanted, {}))


@dataclass(frozen=True, kw_only=True)
class _Deployment(Plain):
    """The declared deployment, where another one was started before. Nothing shows it: the value that was sent is
    remembered.
    """

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_DEPLOYMENT})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {}

    def repair(self, work: Work, service: str, words: str) -> None:
        if is_sent_anew(work.request, _DEPLOYMENT):
            _start(work, work.id)

    def clear(self, work: Work, service: str, words: str) -> None:
        """A deployment ends by itself, and with its group."""

    def changes(self, service: str) -> Mapping[str, str]:
        return {_DEPLOYMENT: f"{service}:{_DEPLOY}"}


def _grouped(place: str) -> tuple[Callable[[Json], Json], Callable[[JsonMap], Json]]:
    """The two forms of a set of tags: as it is sent, lists in a list, and of an answer as it is declared."""
    name, members, group = f"{place}TagSet", f"{place}TagSetList", f"{place}TagGroup"
    called = f"{name[:1].lower()}{name[1:]}"

    def given(value: Json) -> Json:
        return {**value, members: [one.get(group) for one in value.get(members) or ()]} if value else value

    def shown(answer: JsonMap) -> Json:
        found = (answer.get(called) or {}).get(f"{called}List")
        return {members: [{group: one} for one in found]} if found else None

    return given, shown


APPLICATION = block(
    "AWS::CodeDeploy::Application",
    _SERVICE,
    key="applicationName",
    listed=Listed(operation="ListApplications", id=lambda name: name),
    described=Described(call=Call("GetApplication"), at="application"),
    named=Named("ApplicationName", 100),
    create="CreateApplication",
    delete="DeleteApplication",
    tags=_TAGS,
)

_EC2, _ON_PREMISES = _grouped("Ec2"), _grouped("OnPremises")
_GROUP = block(
    "AWS::CodeDeploy::DeploymentGroup",
    _SERVICE,
    key=_WORDS,
    described=Described(call=Call("GetDeploymentGroup"), at="deploymentGroupInfo"),
    named=Named("DeploymentGroupName", 100),
    create="CreateDeploymentGroup",
    modify={Call("UpdateDeploymentGroup", key="applicationName currentDeploymentGroupName"): "*"},
    delete="DeleteDeploymentGroup",
    parts=(_Deployment(),),
    sent_as={"Ec2TagSet": _EC2[0], "OnPremisesTagSet": _ON_PREMISES[0]},
    shown={
        "AutoScalingGroups": "autoScalingGroups[].name",
        "Ec2TagSet": _EC2[1],
        "OnPremisesTagSet": _ON_PREMISES[1],
    },
    attributes={"Ref": "deploymentGroupName"},
    tags=_TAGS,
    named_by="",
    write_only=_DEPLOYMENT,
    compare_as={
        "AlarmConfiguration.Alarms": Comparison.SET,
        "AutoRollbackConfiguration.Events": Comparison.SET,
        "AutoScalingGroups": Comparison.SET,
        "ECSServices": Comparison.SET,
        "Ec2TagFilters": Comparison.SET,
        "OnPremisesInstanceTagFilters": Comparison.SET,
        "TriggerConfigurations": Comparison.SET,
        "TriggerConfigurations.TriggerEvents": Comparison.SET,
    },
)


def _make_group(work: Work) -> Outcome:
    outcome = _GROUP.create(work)
    if isinstance(outcome, Done) and outcome.physical_id is not None:
        _start(work, outcome.physical_id)
    return outcome


GROUP = replace(_GROUP, create=_make_group)
TYPES = (APPLICATION, GROUP)
