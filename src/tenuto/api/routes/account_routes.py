"""Requests about target accounts."""

from tenuto.api.answers import estate
from tenuto.api.handlers import account_handlers
from tenuto.api.requests.route import ApiRoute, Parameter
from tenuto.model.access import Right

_PROVIDER = Parameter(
    name="provider", summary="the provider that the account is one of; left out, the first whose accounts have settings"
)
_WAY = (
    Parameter(name="settings", summary="how its provider enters it, by the names of its settings", kind="object"),
    Parameter(name="profile", summary="AWS: enter it by this profile of the Conductor's AWS configuration"),
    Parameter(name="role_arn", summary="AWS: enter it by assuming this role"),
    Parameter(name="external_id", summary="AWS: what the role's trust policy asks for; empty for none"),
    Parameter(name="source", summary="AWS: the account whose credentials assume the role; default `default`"),
    Parameter(name="region", summary="the region of compositions that name none"),
    Parameter(name="unchecked", summary="store it unchecked; its first use checks it", kind="boolean"),
)

ACCOUNT_ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute(
        method="GET",
        path="/v1/accounts",
        operation="accounts",
        summary="The accounts that processes can live in.",
        handler=account_handlers.all_accounts,
        answer=estate.ACCOUNTS,
        right=Right.ACCOUNT,
    ),
    ApiRoute(
        method="POST",
        path="/v1/accounts",
        operation="add_account",
        summary="Add an account. Tenuto checks its credentials first.",
        handler=account_handlers.add,
        answer=estate.ACCOUNT_DETAIL,
        right=Right.ACCOUNT,
        body=(Parameter(name="name", summary="the name of the account", is_required=True), _PROVIDER, *_WAY),
        status=201,
    ),
    ApiRoute(
        method="GET",
        path="/v1/accounts/{account}",
        operation="account",
        summary="One account, by its name or its id.",
        handler=account_handlers.show,
        answer=estate.ACCOUNT_DETAIL,
        right=Right.ACCOUNT,
    ),
    ApiRoute(
        method="PUT",
        path="/v1/accounts/{account}",
        operation="update_account",
        summary="Change the way into the account, or its region; settings that are left out stay as they are.",
        handler=account_handlers.update,
        answer=estate.ACCOUNT_DETAIL,
        right=Right.ACCOUNT,
        body=_WAY,
    ),
    ApiRoute(
        method="DELETE",
        path="/v1/accounts/{account}",
        operation="remove_account",
        summary="Forget an account in which no process lives.",
        handler=account_handlers.remove,
        answer=estate.REMOVED_ACCOUNT,
        right=Right.ACCOUNT,
    ),
    ApiRoute(
        method="POST",
        path="/v1/accounts/{account}/check",
        operation="check_account",
        summary="Ask the provider who the credentials of the account are.",
        handler=account_handlers.check,
        answer=estate.ACCOUNT_DETAIL,
        right=Right.ACCOUNT,
    ),
)
