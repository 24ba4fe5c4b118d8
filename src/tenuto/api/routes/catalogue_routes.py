"""Requests for the knowledge and the parts of the Conductor: existing resources, phases, types, nodes."""

from tenuto.api.answers import checks, estate, insights
from tenuto.api.handlers import catalogue_handlers as handlers
from tenuto.api.requests.route import ACCOUNT, ApiRoute, Open, Parameter
from tenuto.model.access import Right

CATALOGUE_ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute(
        method="POST",
        path="/v1/templates",
        operation="existing",
        right=Right.IMPORT,
        summary="A template of resources that exist, to be run with `import`. Changes nothing.",
        handler=handlers.existing,
        answer=checks.TEMPLATE,
        body=(
            Parameter(name="resources", summary="each as `TYPE ID`", kind="array", is_required=True),
            Parameter(name="region", summary="their region", is_required=True),
            ACCOUNT,
        ),
    ),
    ApiRoute(
        method="POST",
        path="/v1/lookups",
        operation="lookups",
        right=Right.PLAN,
        summary="Values of the provider's parameter store, for a template that has conditions on them. No secrets.",
        handler=handlers.lookups,
        answer=checks.LOOKUPS,
        body=(
            Parameter(name="keys", summary="the keys, such as `/vpc/id`", kind="array", is_required=True),
            Parameter(name="region", summary="their region", is_required=True),
            ACCOUNT,
        ),
    ),
    ApiRoute(
        method="GET",
        path="/v1/phases",
        operation="phases",
        right=Open.TO_USERS,
        summary="The loaded phases and their activity.",
        handler=handlers.phases,
        answer=insights.PHASES,
    ),
    ApiRoute(
        method="POST",
        path="/v1/phases/reload",
        operation="reload_phases",
        right=Right.PHASES,
        summary="Read the plugins again. Runs under way end as they began; a bad plugin leaves the one before.",
        handler=handlers.reload_phases,
        answer=estate.RELOADED,
    ),
    ApiRoute(
        method="GET",
        path="/v1/types",
        operation="types",
        right=Open.TO_USERS,
        summary="The resource types that the Conductor manages; `more` names those without a block of their own.",
        handler=handlers.types,
        answer=estate.RESOURCE_TYPES,
    ),
    ApiRoute(
        method="GET",
        path="/v1/types/{type}",
        operation="type",
        right=Open.TO_USERS,
        summary="One resource type in full, by its whole name.",
        handler=handlers.type_,
        answer=estate.RESOURCE_TYPE,
    ),
    ApiRoute(
        method="GET",
        path="/v1/nodes",
        operation="nodes",
        right=Open.TO_USERS,
        summary="The Conductor nodes and their states.",
        handler=handlers.nodes,
        answer=estate.NODES,
    ),
)
