"""Requests about objects that requests make."""

from tenuto.api.answers import objects, past
from tenuto.api.handlers import object_handlers
from tenuto.api.requests.route import ACCOUNT, ApiRoute, Open, Parameter
from tenuto.model.access import Right

_TYPE = Parameter(name="type", summary="only an object of this type, whole or by its last part, is meant")

OBJECT_ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute(
        method="GET",
        path="/v1/object-types",
        operation="object_types",
        right=Open.TO_USERS,
        summary="The types of objects that requests can make, with their fields.",
        handler=object_handlers.types,
        answer=objects.OBJECT_TYPES,
    ),
    ApiRoute(
        method="GET",
        path="/v1/objects",
        operation="objects",
        right=Right.STATUS,
        summary="Objects that requests made, by id; a page at a time.",
        handler=object_handlers.page,
        answer=objects.OBJECT_PAGE,
        query=(
            Parameter(name="type", summary="only of these types, separated by commas", kind="array"),
            Parameter(name="state", summary="only in these states, separated by commas", kind="array"),
            Parameter(name="account", summary="only in this account"),
            Parameter(name="name", summary="only of this name"),
            Parameter(name="live", summary="leave out those in a final state", kind="boolean"),
            Parameter(name="after", summary="only with a greater id: the `next` of the page before"),
            Parameter(name="limit", summary="the first so many; default and maximum 1000", kind="integer"),
        ),
    ),
    ApiRoute(
        method="GET",
        path="/v1/declared-objects",
        operation="declared_objects",
        right=Right.STATUS,
        summary="Live objects that compositions declare, by name.",
        handler=object_handlers.declared,
        answer=objects.DECLARED_OBJECTS,
        query=(
            Parameter(name="type", summary="of these types, whole, separated by commas", kind="array"),
            Parameter(name="account", summary="only in this account"),
            Parameter(
                name="reference",
                summary="only the one that this id, PROCESS/RESOURCE or RESOURCE means; refused when it means several",
            ),
            Parameter(
                name="needs",
                summary="only those that need the object of this id; `needed_by` then names what needs each of them",
            ),
        ),
    ),
    ApiRoute(
        method="POST",
        path="/v1/objects",
        operation="create_object",
        right=Right.OBJECT,
        summary="Make an object. Some types take another right, as `object-types` says.",
        handler=object_handlers.create,
        answer=objects.OBJECT,
        body=(
            Parameter(name="type", summary="the type, whole or by its last part", is_required=True),
            Parameter(name="name", summary="its name, for a type whose objects have one"),
            Parameter(name="fields", summary="the fields of the type", kind="object"),
            Parameter(name="tags", summary="texts by name", kind="object"),
            ACCOUNT,
            Parameter(name="region", summary="default: that of the account"),
        ),
        status=201,
    ),
    ApiRoute(
        method="GET",
        path="/v1/objects/{object}",
        operation="object",
        right=Right.STATUS,
        summary="One object in detail, by its id or its name.",
        handler=object_handlers.show,
        answer=objects.OBJECT,
        query=(_TYPE,),
    ),
    ApiRoute(
        method="DELETE",
        path="/v1/objects/{object}",
        operation="delete_object",
        right=Right.OBJECT,
        summary="Delete an object that no other object needs. It stays readable for an hour.",
        handler=object_handlers.delete,
        answer=objects.OBJECT,
        query=(_TYPE,),
    ),
    ApiRoute(
        method="POST",
        path="/v1/objects/{object}/retry",
        operation="retry_object",
        right=Right.OBJECT,
        summary="Let the failed phases of an object start over, and the sleeping ones run now.",
        handler=object_handlers.retry,
        answer=objects.OBJECT,
        query=(_TYPE,),
    ),
    ApiRoute(
        method="POST",
        path="/v1/objects/{object}/tags",
        operation="tag_object",
        right=Right.OBJECT,
        summary="Set tags of an object, and remove others.",
        handler=object_handlers.tag,
        answer=objects.OBJECT,
        query=(_TYPE,),
        body=(
            Parameter(name="tags", summary="texts by name", kind="object"),
            Parameter(name="removed", summary="names of tags", kind="array"),
        ),
    ),
    ApiRoute(
        method="GET",
        path="/v1/objects/{object}/events",
        operation="object_events",
        right=Right.EVENTS,
        summary="What happened to an object, in rising order.",
        handler=object_handlers.events,
        answer=past.EVENTS,
        query=(
            _TYPE,
            Parameter(name="start", summary="not before this time: ISO 8601 or seconds since 1970"),
            Parameter(name="end", summary="not after this time"),
            Parameter(name="after", summary="only with a higher number", kind="integer"),
            Parameter(name="before", summary="only with a lower number: `older` of the page before", kind="integer"),
            Parameter(name="limit", summary="the newest so many; default 1000, at most 10000", kind="integer"),
        ),
    ),
)
