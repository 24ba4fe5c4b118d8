"""The requests about objects that requests make: from a call to the document that answers it."""

from collections.abc import Callable, Sequence
from functools import partial

from tenuto.api.handlers.event_answers import events_answer
from tenuto.api.requests.calls import Call
from tenuto.errors import UserError
from tenuto.model.access import Right
from tenuto.model.account import DEFAULT_ACCOUNT
from tenuto.model.event import Event
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_claims import ObjectQuery
from tenuto.service.objects import objects_view
from tenuto.service.objects.declared_objects import declared_document, named
from tenuto.service.objects.managed_objects import MOST


def _is_seen(call: Call) -> Callable[[ManagedObject], bool]:
    """Whether the caller sees an object: it is of an account that they see, or is shared with one."""
    sees = call.services.gatekeeper.reader(call.caller, Right.STATUS)
    return lambda one: call.services.artifacts.sharing.is_seen(one, sees)


def types(call: Call) -> JsonMap:
    return objects_view.types_document(call.services.objects.types())


def page(call: Call) -> JsonMap:
    query = call.query
    account = query.text("account")
    given = ObjectQuery(
        types=query.texts("type"),
        states=query.texts("state"),
        account=call.services.gatekeeper.account_name(account) if account else "",
        name=query.text("name") or "",
        live=query.flag("live"),
        after=query.text("after") or "",
        limit=query.number("limit", MOST, MOST),
    )
    return objects_view.page_document(call.services.objects.page(given, _is_seen(call)))


def declared(call: Call) -> JsonMap:
    is_seen = call.services.gatekeeper.seen_by(call.caller, Right.STATUS)
    found = call.queries.declared(call.query.texts("type"), account=call.query.text("account"), is_seen=is_seen)
    reference = call.query.text("reference")
    chosen = found if reference is None else (named(reference, found),)
    target = call.query.text("needs")
    if target is None:
        return {"objects": [declared_document(one) for one in chosen]}
    users = call.queries.needing(ObjectId(target), chosen)
    return {
        "objects": [
            {**declared_document(one), "needed_by": call.queries.users_of(one, is_seen=is_seen)} for one in users
        ]
    }


def create(call: Call) -> JsonMap:
    body = call.body
    view = call.services.objects.create(
        body.required("type"),
        body.text("name"),
        fields=body.mapping("fields"),
        tags=body.mapping("tags"),
        account=body.text("account") or DEFAULT_ACCOUNT,
        region=body.text("region"),
        actor=call.actor,
    )
    return objects_view.object_document(view)


def show(call: Call) -> JsonMap:
    view = call.services.objects.show(call.path["object"], call.query.text("type"))
    return objects_view.object_document(view, _is_seen(call))


def delete(call: Call) -> JsonMap:
    found = call.services.objects.delete(call.path["object"], call.query.text("type"), actor=call.actor)
    return objects_view.object_document(found)


def retry(call: Call) -> JsonMap:
    found = call.services.objects.retry(call.path["object"], call.query.text("type"), actor=call.actor)
    return objects_view.object_document(found)


def tag(call: Call) -> JsonMap:
    tags, removed = call.body.mapping("tags"), call.body.texts("removed")
    if not tags and not removed:
        raise UserError("The body needs 'tags', 'removed', or both.")
    view = call.services.objects.tag(
        call.path["object"], tags, removed, type_name=call.query.text("type"), actor=call.actor
    )
    return objects_view.object_document(view)


def events(call: Call) -> JsonMap:
    reference, type_name = call.path["object"], call.query.text("type")
    read: Callable[..., Sequence[Event]] = partial(call.services.objects.events, reference, type_name)
    if call.caller.is_root:  # The owner asks about objects that were removed, too.
        return events_answer(call, read, lambda _: True)
    item, sharing = call.services.objects.find(reference, type_name), call.services.artifacts.sharing
    sees = call.services.gatekeeper.reader(call.caller, Right.STATUS)
    return events_answer(call, lambda **window: sharing.told(item, read(**window), sees), lambda _: True)
