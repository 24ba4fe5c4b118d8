"""AWS::ECS::Service. Its Ref is its ARN; a service is known by its cluster and its name.

It is ready as soon as ECS holds it, also while its tasks start: with too few machines that would not end. A deployment
that ECS gives up is told as broken. The service is gone when its tasks have drained.

A composition forces a new deployment with another `ForceNewDeploymentNonce`. The call that changes a service would
force one each time that it names the word, so every other change leaves it out.
"""

from dataclasses import replace

from tenuto.model.ids import Json
from tenuto.model.naming import Naming
from tenuto.model.outcome import Done, Outcome
from tenuto.model.spelling import Words
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, State
from tenuto.providers.aws.kind import AwsType, Work, flag
from tenuto.providers.aws.types.cloud_control_facts import facts_of
from tenuto.providers.aws.types.cloud_control_model import SENT, is_sent_anew, sent
from tenuto.providers.aws.types.facts import published
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import tags_in_small_words

_NAME = "AWS::ECS::Service"
_HEAD = r"(?P<where>arn:[\w-]+:ecs:[\w-]*:\d*)"
_PRIMARY = "deployments[?status=='PRIMARY']"
_KEY = "cluster service"
_FORCED = "ForceNewDeployment"


def _is_forced(declared: Json) -> bool:
    return flag(declared.get("EnableForceNewDeployment", False))


_BLOCK = block(
    _NAME,
    "ecs",
    key="cluster serviceName",
    implied={"cluster": "default"},
    described=Described(
        call=Call("DescribeServices", key="cluster services[]"),
        at="services[0]",
        gone_at="failures[?reason=='MISSING']",
        anew=True,
    ),
    named=Named("ServiceName", 255),
    # ECS answers the creation of a service that is there already like any other.
    asks_first=True,
    create="CreateService",
    renamed={"PlacementStrategies": "placementStrategy"},
    shown={
        "Cluster": "clusterArn",
        "Role": "roleArn",
        "VpcLatticeConfigurations": f"{_PRIMARY}.vpcLatticeConfigurations | [0]",
    },
    attributes={"Ref": "serviceArn", "ServiceArn": "serviceArn", "Name": "serviceName"},
    sent_as={_FORCED: _is_forced},
    modify={Call("UpdateService", key=_KEY): "*"},
    defaults={
        # ECS keeps the parts that an update leaves out.
        "DeploymentConfiguration.Alarms": {"AlarmNames": [], "Enable": False, "Rollback": False},
        "DeploymentConfiguration.DeploymentCircuitBreaker": {"Enable": False, "Rollback": False},
        "EnableECSManagedTags": False,
        "EnableExecuteCommand": False,
        "HealthCheckGracePeriodSeconds": 0,
        "LoadBalancers": [],
        "PlacementConstraints": [],
        "PlacementStrategies": [],
        "ServiceRegistries": [],
    },
    delete=Call("DeleteService", key=_KEY, fixed={"force": True}),
    recovers=True,
    state=State(
        at=f"(status != 'ACTIVE' && status) || ({_PRIMARY}.rolloutState | [0])",
        going="DRAINING",
        gone="INACTIVE",
        broken="FAILED",
        reason=f"{_PRIMARY}.rolloutStateReason | [0]",
    ),
    tags=tags_in_small_words("ecs", "serviceArn"),
    named_by="",
    # The call that changes a service does not take it, although the schema does not say so.
    create_only="LaunchType",
    compare_as={
        **facts_of(published(_NAME)).compare_as,
        "Cluster": Naming(thing="ECS cluster", qualified=rf"{_HEAD}:cluster/(?P<name>.+)"),
        "Role": Naming(thing="role", qualified=r"(?P<where>arn:[\w-]+:iam::\d*):role/(?:[^/]+/)*(?P<name>[^/]+)"),
        "PlacementStrategies.Field": Words(same={"host": "instanceid"}, is_folded=True),
        # A family alone is taken for its newest revision, which is then shown.
        "TaskDefinition": Naming(
            thing="task definition", qualified=rf"{_HEAD}:task-definition/(?P<name>.+)", version=":[0-9]+"
        ),
    },
)


def _forced_once(kind: AwsType) -> AwsType:
    """The type that forces a deployment when that is declared anew, and with no other change."""
    change = kind.modify
    assert change is not None

    def modify(work: Work) -> Outcome:
        if is_sent_anew(work.request, _FORCED):
            return change(work)
        properties = {name: value for name, value in work.request.properties.items() if name != _FORCED}
        outcome = change(replace(work, request=replace(work.request, properties=properties)))
        if not isinstance(outcome, Done):
            return outcome
        return replace(outcome, attributes={**outcome.attributes, SENT: sent(work.request)})

    return replace(kind, modify=modify)


SERVICE = _forced_once(_BLOCK)
TYPES = (SERVICE,)
