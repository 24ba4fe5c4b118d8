"""AWS::ServiceCatalogAppRegistry: applications, and groups of attributes that describe them. Their Refs are their ids.

Their associations go through Cloud Control.
"""

from typing import Any

from tenuto.model.ids import Json, JsonMap
from tenuto.model.spelling import Documents
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.kind import AwsType
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_SERVICE = "servicecatalog-appregistry"
_TAGS = TagCalls(
    service=_SERVICE,
    id_name="resourceArn",
    listed_as="tags",
    given_as="tags",
    keys_as="tagKeys",
    is_mapping=True,
    named=lambda _, shown: shown["arn"],
)


def _tag_key(shown: JsonMap) -> Json:
    """The key of the tag by which resources are counted to the application."""
    return next(iter(sorted(shown.get("applicationTag") or {})), None)


def _tag_value(shown: JsonMap) -> Json:
    return (shown.get("applicationTag") or {}).get(_tag_key(shown))


def _thing(name: str, key: str, changing: str, **more: Any) -> AwsType:
    """An application or a group, of which these properties change."""
    return block(
        f"AWS::ServiceCatalogAppRegistry::{name}",
        _SERVICE,
        key=key,
        listed=Listed(operation=f"List{name}s", id="id", size=100),
        described=Described(call=Call(f"Get{name}")),
        named=Named("Name", 256),
        create=f"Create{name}",
        made=f"{key}.id",
        modify={f"Update{name}": changing},
        delete=f"Delete{name}",
        tags=_TAGS,
        token="clientToken",
        # AppRegistry renames nothing any more, although the schema does not say so.
        create_only="Name",
        defaults={"Description": ""},
        named_by="",
        **more,
    )


APPLICATION = _thing(
    "Application",
    "application",
    "Description",
    attributes={
        "ApplicationName": "name",
        "ApplicationTagKey": _tag_key,
        "ApplicationTagValue": _tag_value,
        "Arn": "arn",
        "Id": "id",
    },
)
GROUP = _thing(
    "AttributeGroup",
    "attributeGroup",
    "Attributes Description",
    attributes={"Arn": "arn", "Id": "id"},
    compare_as={"Attributes": Documents()},
)
TYPES = (APPLICATION, GROUP)
