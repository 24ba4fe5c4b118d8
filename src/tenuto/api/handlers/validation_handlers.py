"""Requests about the rules that every composition is held to."""

from dataclasses import asdict

from tenuto.api.requests.calls import Call
from tenuto.errors import UserError
from tenuto.model.account import DEFAULT_ACCOUNT
from tenuto.model.ids import JsonMap
from tenuto.service.intake.validations import validation_document


def validations(call: Call) -> JsonMap:
    return {"validations": [validation_document(one) for one in call.services.validations.rules()]}


def validation(call: Call) -> JsonMap:
    return validation_document(call.services.validations.rule(call.path["name"]))


def add_validation(call: Call) -> JsonMap:
    return validation_document(
        call.services.validations.add(call.body.mapping("rule"), replaces=call.body.flag("replace"), actor=call.actor)
    )


def remove_validation(call: Call) -> JsonMap:
    return validation_document(call.services.validations.remove(call.path["name"], actor=call.actor))


def check_validations(call: Call) -> JsonMap:
    composition = call.body.mapping("composition")
    if not composition:
        raise UserError("The body needs 'composition': a compiled composition, as 'tenuto compile' prints it.")
    found = call.services.validations.check(composition, account=call.body.text("account") or DEFAULT_ACCOUNT)
    return {"diagnostics": [asdict(one) for one in found]}
