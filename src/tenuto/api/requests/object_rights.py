"""The authorization of requests about objects by request: by their types, their namespaces and the shared artifacts."""

from contextlib import nullcontext, suppress
from dataclasses import replace

from tenuto.api.requests.calls import Call
from tenuto.api.requests.right_checks import account_of, check, hidden, with_body
from tenuto.errors import NotFoundError, UserError
from tenuto.model.access import OF_CONDUCTOR, QUESTIONS, Right
from tenuto.model.resource import ManagedObject
from tenuto.service.access.callers import Place


def one_object(call: Call, right: Right) -> Call:
    """The object in the path, of the type in the query if one is given, handed on by its id.

    Its type names the right that a change of it needs.
    """
    objects, gatekeeper, sharing = call.services.objects, call.services.gatekeeper, call.services.artifacts.sharing
    asks = gatekeeper.reader(call.caller, Right.STATUS)

    def is_there(item: ManagedObject) -> bool:
        return not gatekeeper.hides(call.caller, gatekeeper.place_of_object(item)) or sharing.is_seen(item, asks)

    item = objects.find(
        call.path["object"], call.query.text("type"), is_there, lambda: gatekeeper.accounts_of(call.caller)
    )
    if right is Right.OBJECT:
        right = objects.right_of(item.type)
    home = gatekeeper.place_of_object(item)
    if right not in QUESTIONS or not sharing.is_seen(item, gatekeeper.reader(call.caller, right)):
        # An object that the caller sees, because it is shared, is there for them, and so a denial tells nothing new.
        with nullcontext() if sharing.is_seen(item, asks) else hidden(call, home):
            gatekeeper.check(call.caller, right, Place() if right in OF_CONDUCTOR else home)
    return replace(call, path={**call.path, "object": item.object_id})


def artifact(call: Call, right: Right) -> Call:
    """The artifact in the path: one that a request made, or by its id one that a process declares."""
    try:
        return one_object(call, right)
    except NotFoundError:
        item = call.services.artifacts.declared(call.path["object"])
        sees = call.services.gatekeeper.reader(call.caller, right)
        if item is None or not call.services.artifacts.sharing.is_seen(item, sees):
            raise
    return call


def in_namespace(call: Call, right: Right) -> Call:
    """The namespace in the path, or another account; the rest of the path belongs to it."""
    account = account_of(call, call.path["namespace"])
    check(call, right, Place(account=account))
    return replace(call, path={**call.path, "namespace": account})


def create_object(call: Call, right: Right) -> Call:
    """An object of a type and an account in the body."""
    account = account_of(call, call.body.text("account"))
    with suppress(UserError):  # The service refuses a type that there is not, to a caller who may make objects.
        right = call.services.objects.type(call.body.text("type") or "").right
    check(call, right, Place() if right in OF_CONDUCTOR else Place(account=account))
    return with_body(call, account=account)
