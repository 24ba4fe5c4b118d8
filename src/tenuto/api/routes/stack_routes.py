"""Requests about stacks of another tool: read to be imported, and let go."""

from tenuto.api.answers import checks
from tenuto.api.handlers import stack_handlers
from tenuto.api.requests.route import ACCOUNT, ApiRoute, Parameter
from tenuto.model.access import Right

_STACK = Parameter(name="stack", summary="its name, or its id", is_required=True)
_REGION = Parameter(name="region", summary="its region", is_required=True)
_PLACE = (_STACK, _REGION, ACCOUNT)

STACK_ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute(
        method="POST",
        path="/v1/stacks/describe",
        operation="stack",
        right=Right.IMPORT,
        summary="A CloudFormation stack, with the id of each resource put into its template. Changes nothing.",
        handler=stack_handlers.stack,
        answer=checks.STACK,
        body=_PLACE,
    ),
    ApiRoute(
        method="POST",
        path="/v1/stacks/retain",
        operation="retain_stack",
        right=Right.RELEASE,
        summary="Take the next step on the way to a stack that retains every resource: a change set. Idempotent.",
        handler=stack_handlers.retain,
        answer=checks.STACK_STEP,
        body=_PLACE,
    ),
    ApiRoute(
        method="POST",
        path="/v1/stacks/empty",
        operation="empty_stack",
        right=Right.RELEASE,
        summary="Take the next step on the way to a shell: the exports of the stack, and no resource. Idempotent.",
        handler=stack_handlers.empty,
        answer=checks.STACK_STEP,
        body=_PLACE,
    ),
    ApiRoute(
        method="POST",
        path="/v1/stacks/delete",
        operation="delete_stack",
        right=Right.RELEASE,
        summary="Delete a stack that retains every resource, when a process holds each of them. `gone` tells the end.",
        handler=stack_handlers.delete,
        answer=checks.STACK_STEP,
        body=(*_PLACE, Parameter(name="role", summary="the ARN of a role that CloudFormation deletes with")),
    ),
    ApiRoute(
        method="POST",
        path="/v1/things/check",
        operation="check_things",
        right=Right.IMPORT,
        summary="Those of the things that a fresh sweep does not show.",
        handler=stack_handlers.check_things,
        answer=checks.MISSING,
        body=(
            Parameter(name="resources", summary="each as `TYPE ID`", kind="array", is_required=True),
            _REGION,
            ACCOUNT,
        ),
    ),
)
