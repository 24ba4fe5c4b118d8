"""The tags of ECS, which knows things by their ARNs."""

from tenuto.providers.aws.types.tag_calls import TagCalls


def ecs_tags(arn: str) -> TagCalls:
    """The calls about them; `arn` is where an answer shows the ARN."""
    return TagCalls(
        service="ecs",
        list_call="ListTagsForResource",
        put_call="TagResource",
        remove_call="UntagResource",
        id_name="resourceArn",
        listed_as="tags",
        given_as="tags",
        keys_as="tagKeys",
        key_as="key",
        value_as="value",
        named=lambda _, shown: shown[arn],
    )
