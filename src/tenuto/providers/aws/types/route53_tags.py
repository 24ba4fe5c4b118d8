"""The tags of Route 53: one call puts and removes them, and it names the kind of thing."""

from tenuto.providers.aws.types.tag_calls import TagCalls


def tags_of(kind: str, declared_as: str) -> TagCalls:
    """The tag calls of one kind of thing. `declared_as` is the property that declares the tags."""
    return TagCalls(
        service="route53",
        put_call="ChangeTagsForResource",
        remove_call="ChangeTagsForResource",
        id_name="ResourceId",
        fixed={"ResourceType": kind},
        listed_as="ResourceTagSet.Tags",
        given_as="AddTags",
        keys_as="RemoveTagKeys",
        declared_as=declared_as,
    )
