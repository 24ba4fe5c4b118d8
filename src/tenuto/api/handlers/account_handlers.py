"""The requests about accounts: from a call to the document that answers it."""

from tenuto.api.requests.calls import Call, Fields
from tenuto.errors import UserError
from tenuto.model.ids import JsonMap
from tenuto.service.accounts import accounts_view

AWS_FIELDS = ("profile", "role_arn", "external_id", "source")
"""The settings of AWS that the API has had as fields since its first version."""


def all_accounts(call: Call) -> JsonMap:
    document = accounts_view.accounts_document(call.commands.accounts.all())
    return {"accounts": [_with_fields(one) for one in document["accounts"]]}


def show(call: Call) -> JsonMap:
    return _with_fields(accounts_view.account_document(call.commands.accounts.show(call.path["account"])))


def add(call: Call) -> JsonMap:
    body = call.body
    view = call.commands.accounts.add(
        body.required("name"),
        _settings(body),
        provider=body.text("provider"),
        region=body.text("region"),
        checks=not body.flag("unchecked"),
        actor=call.actor,
    )
    return _with_fields(accounts_view.account_document(view))


def update(call: Call) -> JsonMap:
    body = call.body
    view = call.commands.accounts.update(
        call.path["account"],
        _settings(body),
        region=body.text("region"),
        checks=not body.flag("unchecked"),
        actor=call.actor,
    )
    return _with_fields(accounts_view.account_document(view))


def check(call: Call) -> JsonMap:
    view = call.commands.accounts.check(call.path["account"], actor=call.actor)
    return _with_fields(accounts_view.account_document(view))


def remove(call: Call) -> JsonMap:
    removed = call.commands.accounts.remove(call.path["account"], actor=call.actor)
    return _with_fields(accounts_view.removed_document(removed))


def _settings(body: Fields) -> JsonMap:
    """The settings that a body gives: those of AWS may be fields of their own."""
    given = dict(body.mapping("settings"))
    fields = {name: body.text(name) for name in AWS_FIELDS}
    for name, value in fields.items():
        if value is not None and name in given:
            raise UserError(f"The body gives the setting {name} twice: leave it out of 'settings'.")
    return given | {name: value for name, value in fields.items() if value is not None}


def _with_fields(document: JsonMap) -> JsonMap:
    """An account with the settings of AWS as fields of their own, null for an account that has them not."""
    settings = document["settings"]
    return {**{name: settings.get(name) for name in AWS_FIELDS if name != "source"}, **document}
