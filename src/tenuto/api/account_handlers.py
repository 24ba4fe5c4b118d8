"""The requests about accounts: from a call to the document that answers it."""

from tenuto.api.calls import Call, Fields
from tenuto.model.ids import JsonMap
from tenuto.service import accounts_view
from tenuto.service.accounts import Way


def all_accounts(call: Call) -> JsonMap:
    return accounts_view.accounts_document(call.commands.accounts.all())


def show(call: Call) -> JsonMap:
    return accounts_view.account_document(call.commands.accounts.show(call.path["account"]))


def add(call: Call) -> JsonMap:
    body = call.body
    view = call.commands.accounts.add(
        body.required("name"),
        _way(body),
        region=body.text("region"),
        looks=not body.flag("unchecked"),
        actor=call.actor,
    )
    return accounts_view.account_document(view)


def update(call: Call) -> JsonMap:
    body = call.body
    view = call.commands.accounts.update(
        call.path["account"],
        _way(body),
        region=body.text("region"),
        looks=not body.flag("unchecked"),
        actor=call.actor,
    )
    return accounts_view.account_document(view)


def check(call: Call) -> JsonMap:
    return accounts_view.account_document(call.commands.accounts.check(call.path["account"], actor=call.actor))


def remove(call: Call) -> JsonMap:
    return accounts_view.removed_document(call.commands.accounts.remove(call.path["account"], actor=call.actor))


def _way(body: Fields) -> Way:
    return Way(
        profile=body.text("profile"),
        role_arn=body.text("role_arn"),
        external_id=body.text("external_id"),
        source=body.text("source"),
    )
