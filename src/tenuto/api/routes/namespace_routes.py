"""Requests about the keys of namespaces. Namespaces themselves are objects (`api.routes.object_routes`)."""

from tenuto.api.answers import objects
from tenuto.api.handlers import namespace_handlers
from tenuto.api.requests.route import ApiRoute, Parameter
from tenuto.model.access import Right

NAMESPACE_ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute(
        method="GET",
        path="/v1/namespaces/{namespace}/trust",
        operation="namespace_trust",
        right=Right.ACCOUNT,
        summary="The namespaces that see the artifacts of this one, besides `system`.",
        handler=namespace_handlers.trust,
        answer=objects.TRUST,
    ),
    ApiRoute(
        method="POST",
        path="/v1/namespaces/{namespace}/trust",
        operation="set_namespace_trust",
        right=Right.ACCOUNT,
        summary="Let another namespace see and use the artifacts of this one, or end that.",
        handler=namespace_handlers.set_trust,
        answer=objects.TRUST,
        body=(
            Parameter(name="other", summary="the name of the other namespace", is_required=True),
            Parameter(name="trusted", summary="whether it is trusted", kind="boolean", is_required=True),
        ),
    ),
    ApiRoute(
        method="GET",
        path="/v1/namespaces/{namespace}/limits",
        operation="namespace_limits",
        right=Right.ACCOUNT,
        summary="The limits of a namespace, and what there is in it.",
        handler=namespace_handlers.limits,
        answer=objects.LIMITS,
    ),
    ApiRoute(
        method="POST",
        path="/v1/namespaces/{namespace}/limits",
        operation="set_namespace_limits",
        right=Right.ACCOUNT,
        summary="Set limits of a namespace. null ends one; those that are not given stay.",
        handler=namespace_handlers.set_limits,
        answer=objects.LIMITS,
        body=(Parameter(name="limits", summary="numbers by thing", kind="object", is_required=True),),
    ),
    ApiRoute(
        method="GET",
        path="/v1/namespaces/{namespace}/keys",
        operation="namespace_keys",
        right=Right.ACCOUNT,
        summary="The keys of a namespace, without their secrets.",
        handler=namespace_handlers.keys,
        answer=objects.KEYS,
    ),
    ApiRoute(
        method="POST",
        path="/v1/namespaces/{namespace}/keys",
        operation="add_namespace_key",
        right=Right.ACCOUNT,
        summary="Make a key of a namespace; the answer is the only place where its secret is shown.",
        handler=namespace_handlers.add_key,
        answer=objects.NEW_KEY,
        body=(
            Parameter(name="name", summary="its name in the namespace", is_required=True),
            Parameter(
                name="commands", summary="the commands that it may give, as in a policy", kind="array", is_required=True
            ),
            Parameter(name="expires_s", summary="the seconds after which it ends; default: never", kind="integer"),
        ),
        status=201,
    ),
    ApiRoute(
        method="DELETE",
        path="/v1/namespaces/{namespace}/keys/{name}",
        operation="delete_namespace_key",
        right=Right.ACCOUNT,
        summary="Delete a key of a namespace, which ends at once.",
        handler=namespace_handlers.delete_key,
        answer=objects.KEY,
    ),
)
