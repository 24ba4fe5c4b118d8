"""AWS::Batch: compute environments, job queues and job definitions. Their Refs are their ARNs.

A queue and an environment go in steps: they are switched off, Batch takes a moment for that, and only then they can be
deleted. Each step follows from the state that Batch shows, so a Conductor that dies in between goes on where it was.

An environment is changed in place as far as Batch does that; CloudFormation makes a new one of the same name for the
rest. A definition never changes: another one is the next revision, and the old one is deregistered.
"""

from collections.abc import Callable
from dataclasses import replace

from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.naming import Naming
from tenuto.model.outcome import Done, Outcome, Pending
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.kind import AwsType, Work
from tenuto.providers.aws.types.cloud_control_facts import facts_of
from tenuto.providers.aws.types.facts import published
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_SERVICE, _RESOURCES = "batch", "ComputeResources"
_DEFINITION = "AWS::Batch::JobDefinition"
_STATE = State(
    at="status", pending="CREATING UPDATING", going="DELETING", gone="DELETED", broken="INVALID", reason="statusReason"
)
_ON: JsonMap = {"state": "ENABLED"}
"""The state where none is declared. Batch takes it for granted; not everything that answers for it does."""
_ROLE = Naming(thing="role", qualified=r"(?P<where>arn:[\w-]+:iam::\d*):role/(?:[^/]+/)*(?P<name>[^/]+)")
_ASK_AGAIN_S = 5.0
"""Batch switches a queue or an environment off within some seconds."""


def _tags(arn: str) -> TagCalls:
    return TagCalls(
        service=_SERVICE,
        id_name="resourceArn",
        named=lambda _, one: one[arn],
        shown_at="tags",
        given_as="tags",
        keys_as="tagKeys",
        is_mapping=True,
    )


def _resources(shown: JsonMap) -> Json:
    """The resources of an environment, without the number of processors: that follows the jobs."""
    found = shown.get("computeResources")
    return found and {name: value for name, value in found.items() if name != "desiredvCpus"}


def _switched_off_first(word: str, words: str, key: str) -> Callable[[Work], Outcome]:
    """The deletion of a thing that must be switched off before."""

    def delete(work: Work) -> Outcome:
        shown = work.read(_SERVICE, f"Describe{word}s", **{words: [work.id]})[words]
        if not shown or shown[0].get("status") == "DELETED":
            raise PermanentError(f"There is no {work.request.type} {work.id}.", code="ResourceNotFound")
        if shown[0].get("status") in ("CREATING", "UPDATING", "DELETING"):
            return Pending(message=f"Batch is still busy with {work.id}", delay_s=_ASK_AGAIN_S)
        if shown[0].get("state") != "DISABLED":
            work.change(_SERVICE, f"Update{word}", **{key: work.id, "state": "DISABLED"})
            return Pending(message=f"{work.id} is being switched off", delay_s=_ASK_AGAIN_S)
        work.change(_SERVICE, f"Delete{word}", **{key: work.id})
        is_there = work.read(_SERVICE, f"Describe{word}s", **{words: [work.id]})[words]
        return (
            Pending(message=f"{work.id} is being deleted", delay_s=_ASK_AGAIN_S)
            if is_there
            else Done(physical_id=work.id)
        )

    return delete


def _sets(*paths: str) -> dict[str, Comparison]:
    return {f"{_RESOURCES}.{path}": Comparison.SET for path in paths}


_ENVIRONMENT = block(
    "AWS::Batch::ComputeEnvironment",
    _SERVICE,
    key="computeEnvironment",
    listed=Listed(
        operation="DescribeComputeEnvironments",
        id="computeEnvironmentArn",
        size=100,
        by_name="computeEnvironments[]",
    ),
    asked=Call("DescribeComputeEnvironments", key="computeEnvironments[]"),
    named=Named("ComputeEnvironmentName", 128),
    create=Call("CreateComputeEnvironment", fixed=_ON),
    made="computeEnvironmentArn",
    modify={
        "UpdateComputeEnvironment": f"{_RESOURCES} Context EcsSettings EksConfiguration ServiceRole State "
        "UnmanagedvCpus UpdatePolicy"
    },
    delete="DeleteComputeEnvironment",
    shown={_RESOURCES: _resources},
    recovers=True,
    state=_STATE,
    attributes={"ComputeEnvironmentArn": "computeEnvironmentArn"},
    tags=_tags("computeEnvironmentArn"),
    in_place="Tags",
    compare_as={
        **_sets("InstanceTypes", "SecurityGroupIds", "Subnets"),
        f"{_RESOURCES}.DesiredvCpus": Comparison.SHOWN,
        # It is a wish for the update alone.
        f"{_RESOURCES}.UpdateToLatestImageVersion": Comparison.SHOWN,
        "Type": Comparison.FOLDED,
        f"{_RESOURCES}.Type": Comparison.FOLDED,
        "ServiceRole": _ROLE,
        "State": Comparison.FOLDED,
    },
    defaults={"State": "ENABLED"},
)
ENVIRONMENT = replace(
    _ENVIRONMENT, delete=_switched_off_first("ComputeEnvironment", "computeEnvironments", "computeEnvironment")
)
_QUEUE = block(
    "AWS::Batch::JobQueue",
    _SERVICE,
    key="jobQueue",
    listed=Listed(operation="DescribeJobQueues", id="jobQueueArn", size=100, by_name="jobQueues[]"),
    asked=Call("DescribeJobQueues", key="jobQueues[]"),
    named=Named("JobQueueName", 128),
    create=Call("CreateJobQueue", fixed=_ON),
    made="jobQueueArn",
    modify={"UpdateJobQueue": "*"},
    delete="DeleteJobQueue",
    recovers=True,
    state=_STATE,
    attributes={"JobQueueArn": "jobQueueArn"},
    tags=_tags("jobQueueArn"),
    defaults={"State": "ENABLED"},
)
QUEUE = replace(_QUEUE, delete=_switched_off_first("JobQueue", "jobQueues", "jobQueue"))
DEFINITION = block(
    _DEFINITION,
    _SERVICE,
    key="jobDefinition",
    listed=Listed(
        operation="DescribeJobDefinitions",
        id="jobDefinitionArn",
        size=100,
        by_name="jobDefinitionName",
        fixed={"status": "ACTIVE"},
    ),
    named=Named("JobDefinitionName", 128, is_of_many=True),
    create="RegisterJobDefinition",
    made="jobDefinitionArn",
    delete="DeregisterJobDefinition",
    attributes={"JobDefinitionArn": "jobDefinitionArn"},
    tags=_tags("jobDefinitionArn"),
    # Its Ref is that of a revision.
    named_by="",
    create_only=" ".join(sorted(published(_DEFINITION).properties - {"JobDefinitionArn", "Tags"})),
    compare_as={
        **{
            path: Comparison.VARIABLES if path.endswith(".Environment") else rule
            for path, rule in facts_of(published(_DEFINITION)).compare_as.items()
        },
        "Type": Comparison.FOLDED,
    },
)
TYPES: tuple[AwsType, ...] = (ENVIRONMENT, QUEUE, DEFINITION)
