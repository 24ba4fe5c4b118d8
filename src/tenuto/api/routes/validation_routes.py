"""Requests about the rules that compositions are held to."""

from tenuto.api.answers import checks
from tenuto.api.handlers import validation_handlers
from tenuto.api.requests.route import ACCOUNT, COMPOSITION, ApiRoute, Open, Parameter
from tenuto.model.access import Right

VALIDATION_ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute(
        method="GET",
        path="/v1/validations",
        operation="validations",
        right=Open.TO_USERS,
        summary="The rules that apply to every composition.",
        handler=validation_handlers.validations,
        answer=checks.RULES,
    ),
    ApiRoute(
        method="POST",
        path="/v1/validations",
        operation="add_validation",
        right=Right.VALIDATION,
        summary="Add a rule. Refused (422, `validation`, with `diagnostics`) when a running process violates it.",
        handler=validation_handlers.add_validation,
        answer=checks.RULE,
        body=(
            Parameter(
                name="rule",
                summary="name, applies_to, expression, message; severity, description, hint",
                kind="object",
                is_required=True,
            ),
            Parameter(name="replace", summary="put it in the place of the one of its name", kind="boolean"),
        ),
        status=201,
    ),
    ApiRoute(
        method="POST",
        path="/v1/validations/check",
        operation="check_validations",
        right=Right.PLAN,
        summary="What the rules say of a composition: `diagnostics`, as `run` would be refused with, and warnings.",
        handler=validation_handlers.check_validations,
        answer=checks.CHECKED,
        body=(COMPOSITION, ACCOUNT),
    ),
    ApiRoute(
        method="GET",
        path="/v1/validations/{name}",
        operation="validation",
        right=Open.TO_USERS,
        summary="One rule.",
        handler=validation_handlers.validation,
        answer=checks.RULE,
    ),
    ApiRoute(
        method="DELETE",
        path="/v1/validations/{name}",
        operation="remove_validation",
        right=Right.VALIDATION,
        summary="Remove a rule: it no longer applies.",
        handler=validation_handlers.remove_validation,
        answer=checks.RULE,
    ),
)
