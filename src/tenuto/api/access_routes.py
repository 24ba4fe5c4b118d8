"""Requests about who may do what, and the settings of a running Conductor."""

from tenuto.api import access_handlers
from tenuto.api.route import ApiRoute, Open, Parameter
from tenuto.model.access import Right

ACCESS_ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute(
        method="GET",
        path="/v1/me",
        operation="whoami",
        right=Open.TO_USERS,
        summary="Who is asking, and what the policy grants them.",
        handler=access_handlers.whoami,
    ),
    ApiRoute(
        method="GET",
        path="/v1/policy",
        operation="policy",
        right=Right.POLICY,
        summary="The policy that holds, as it was set; `policy` is null when there is none.",
        handler=access_handlers.policy,
    ),
    ApiRoute(
        method="PUT",
        path="/v1/policy",
        operation="set_policy",
        right=Right.POLICY,
        summary="Set the policy. Users whom it does not name lose their secrets.",
        handler=access_handlers.set_policy,
        body=(
            Parameter(name="text", summary="the policy, YAML", is_required=True),
            Parameter(name="file", summary="the name of its file, for messages"),
        ),
    ),
    ApiRoute(
        method="DELETE",
        path="/v1/policy",
        operation="remove_policy",
        right=Right.POLICY,
        summary="Remove the policy: only `root` may act, and all users lose their secrets.",
        handler=access_handlers.remove_policy,
    ),
    ApiRoute(
        method="GET",
        path="/v1/users",
        operation="users",
        right=Right.USER,
        summary="The users of the policy, and whether they have a secret.",
        handler=access_handlers.users,
    ),
    ApiRoute(
        method="POST",
        path="/v1/users/{user}/secret",
        operation="generate_secret",
        right=Right.USER,
        summary="Make a secret for a user; the answer is the only place where it is shown. Revokes an earlier one.",
        handler=access_handlers.generate_secret,
        status=201,
    ),
    ApiRoute(
        method="DELETE",
        path="/v1/users/{user}/secret",
        operation="revoke_secret",
        right=Right.USER,
        summary="Revoke the secret of a user, who cannot act until there is another one.",
        handler=access_handlers.revoke_secret,
    ),
    ApiRoute(
        method="GET",
        path="/v1/runtime",
        operation="runtime",
        right=Right.RUNTIME,
        summary="Settings that can be changed while the Conductor runs.",
        handler=access_handlers.runtime,
        query=(Parameter(name="key", summary="only keys that match this pattern; `*` is any text"),),
    ),
    ApiRoute(
        method="PUT",
        path="/v1/runtime/{key}",
        operation="set_runtime",
        right=Right.RUNTIME,
        summary="Change every setting that matches the pattern, at once and until it is unset.",
        handler=access_handlers.set_runtime,
        body=(Parameter(name="value", summary="the new value, as text", is_required=True),),
    ),
    ApiRoute(
        method="DELETE",
        path="/v1/runtime/{key}",
        operation="unset_runtime",
        right=Right.RUNTIME,
        summary="Give every setting that matches the pattern its default again.",
        handler=access_handlers.unset_runtime,
    ),
)
