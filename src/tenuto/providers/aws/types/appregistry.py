"""AWS::ServiceCatalogAppRegistry: applications, and groups of attributes that describe them. Their Refs are their ids.

Their associations go through Cloud Control.
"""

from tenuto.model.ids import Json, JsonMap
from tenuto.model.spelling import Documents
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
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


APPLICATION = block(
    "AWS::ServiceCatalogAppRegistry::Application",
    _SERVICE,
    key="application",
    listed=Listed(operation="ListApplications", id="id", size=100),
    described=Described(call=Call("GetApplication")),
    named=Named("Name", 256),
    create="CreateApplication",
    made="application.id",
    modify={"UpdateApplication": "Description"},
    delete="DeleteApplication",
    attributes={
        "ApplicationName": "name",
        "ApplicationTagKey": _tag_key,
        "ApplicationTagValue": _tag_value,
        "Arn": "arn",
        "Id": "id",
    },
    tags=_TAGS,
    token="clientToken",
    # AppRegistry renames nothing any more, although the schema does not say so.
    create_only="Name",
    defaults={"Description": ""},
    named_by="",
)
GROUP = block(
    "AWS::ServiceCatalogAppRegistry::AttributeGroup",
    _SERVICE,
    key="attributeGroup",
    listed=Listed(operation="ListAttributeGroups", id="id", size=100),
    described=Described(call=Call("GetAttributeGroup")),
    named=Named("Name", 256),
    create="CreateAttributeGroup",
    made="attributeGroup.id",
    modify={"UpdateAttributeGroup": "Attributes Description"},
    delete="DeleteAttributeGroup",
    attributes={"Arn": "arn", "Id": "id"},
    tags=_TAGS,
    token="clientToken",
    create_only="Name",
    compare_as={"Attributes": Documents()},
    defaults={"Description": ""},
    named_by="",
)
TYPES = (APPLICATION, GROUP)
