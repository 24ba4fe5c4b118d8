"""AWS::ECS::TaskDefinition. Its Ref is the ARN of a revision, which never changes, and is deregistered at the end."""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, State
from tenuto.providers.aws.types.cloud_control_facts import facts_of
from tenuto.providers.aws.types.facts import published
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.sizes import sizes
from tenuto.providers.aws.types.tag_calls import tags_in_small_words

_NAME = "AWS::ECS::TaskDefinition"

TASK_DEFINITION = block(
    _NAME,
    "ecs",
    key="taskDefinition",
    described=Described(call=Call("DescribeTaskDefinition"), at="taskDefinition"),
    # A family is answered with its latest revision, and a lost one is that.
    looked_up=Described(call=Call("DescribeTaskDefinition"), at="taskDefinition.taskDefinitionArn"),
    named=Named("Family", 255, is_of_many=True),
    create="RegisterTaskDefinition",
    made="taskDefinition.taskDefinitionArn",
    renamed={"ProxyConfiguration.ProxyConfigurationProperties": "properties"},
    attributes={"TaskDefinitionArn": "taskDefinitionArn"},
    delete="DeregisterTaskDefinition",
    state=State(at="status", gone="INACTIVE DELETE_IN_PROGRESS"),
    tags=tags_in_small_words("ecs", "taskDefinitionArn"),
    # Its Ref is that of a revision.
    named_by="",
    compare_as={
        **facts_of(published(_NAME)).compare_as,
        "Cpu": sizes("vcpu", (0.25, 0.5, 1, 2, 4, 8, 16)),
        "Memory": sizes("gb", (0.5, *range(1, 245))),
    },
)
TYPES = (TASK_DEFINITION,)
