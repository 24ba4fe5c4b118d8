"""Every request that the API answers, as one table: the application and its documents are made from it."""

from collections.abc import Callable
from dataclasses import dataclass

from tenuto.api import handlers
from tenuto.api.calls import Call
from tenuto.model.ids import JsonMap


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One value of a query string or a body. `kind` is a JSON schema type."""

    name: str
    summary: str
    kind: str = "string"
    is_required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiRoute:
    """One request. `operation` is the name of the service function behind it."""

    method: str
    path: str
    operation: str
    summary: str
    handler: Callable[[Call], JsonMap]
    query: tuple[Parameter, ...] = ()
    body: tuple[Parameter, ...] = ()
    status: int = 200


_COMPOSITION = Parameter(
    name="composition", summary="a compiled composition, as `tenuto compile` prints it", kind="object", is_required=True
)
_SECRETS = Parameter(name="secrets", summary="the values of its NoEcho parameters, by name", kind="object")
_ACCOUNT = Parameter(name="account", summary="the target account; `default` is the Conductor's own")
_IMPORT = Parameter(name="import", summary="adopt what the composition names by ResourceIdentifier", kind="boolean")
_DRY_RUN = Parameter(name="dry_run", summary="answer with the plan and change nothing", kind="boolean")
_PLAN_FILE = Parameter(
    name="plan_file", summary="with `dry_run`: add the plan file, which can be executed later", kind="boolean"
)
_START = Parameter(name="start", summary="not before this time: ISO 8601 or seconds since 1970")
_END = Parameter(name="end", summary="not after this time")
_LIMIT = Parameter(name="limit", summary="the newest so many; default 1000, at most 10000", kind="integer")
_RESOURCES = Parameter(name="resources", summary="only these logical ids; default all", kind="array")

ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute(
        method="GET",
        path="/v1/processes",
        operation="processes",
        summary="All live processes.",
        handler=handlers.processes,
        query=(Parameter(name="account", summary="only those of this account"),),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes",
        operation="run",
        summary="Run a composition as a new process.",
        handler=handlers.run,
        body=(
            _COMPOSITION,
            _SECRETS,
            Parameter(name="alias", summary="a name, unique among live processes"),
            _ACCOUNT,
            _IMPORT,
            _DRY_RUN,
            _PLAN_FILE,
        ),
        status=201,
    ),
    ApiRoute(
        method="GET",
        path="/v1/processes/{process}",
        operation="process",
        summary="One process in detail.",
        handler=handlers.process,
        query=(
            Parameter(name="look", summary="ask the provider for drift that enforcement leaves alone", kind="boolean"),
        ),
    ),
    ApiRoute(
        method="PUT",
        path="/v1/processes/{process}",
        operation="apply",
        summary="Run under this alias, or update the process that has it, or do nothing when it is the same.",
        handler=handlers.apply,
        body=(_COMPOSITION, _SECRETS, _ACCOUNT, _IMPORT, _DRY_RUN, _PLAN_FILE),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/update",
        operation="update",
        summary="Give the process another composition.",
        handler=handlers.update,
        body=(_COMPOSITION, _SECRETS, _DRY_RUN, _PLAN_FILE),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/suspend",
        operation="suspend",
        summary="No more jobs; pauses a kill.",
        handler=handlers.suspend,
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/resume",
        operation="resume",
        summary="Jobs again; clears failed phases, approves a held plan, cancels a paused kill.",
        handler=handlers.resume,
        body=(_DRY_RUN, _PLAN_FILE),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/kill",
        operation="kill",
        summary="Delete its resources, and then the process.",
        handler=handlers.kill,
        body=(_DRY_RUN, _PLAN_FILE),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/release",
        operation="release",
        summary="Let go of its resources, which stay, and end the process.",
        handler=handlers.release,
        body=(
            Parameter(name="keep_tags", summary="leave our ownership tags on them", kind="boolean"),
            _DRY_RUN,
            _PLAN_FILE,
        ),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/execute",
        operation="execute",
        summary="Execute a plan file exactly, or refuse it because something moved.",
        handler=handlers.execute,
        body=(Parameter(name="plan", summary="the plan file", kind="object", is_required=True),),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/retry",
        operation="retry",
        summary="Clear failed phases and try again.",
        handler=handlers.retry,
        body=(_RESOURCES,),
    ),
    ApiRoute(
        method="GET",
        path="/v1/processes/{process}/properties/{key}",
        operation="property",
        summary="The value of `alias`, `lock` or `enforcement`.",
        handler=handlers.get_property,
    ),
    ApiRoute(
        method="PUT",
        path="/v1/processes/{process}/properties/{key}",
        operation="set_property",
        summary="Set `alias`, `lock` or `enforcement`.",
        handler=handlers.set_property,
        body=(
            Parameter(name="value", summary="a name, or `on` or `off`", is_required=True),
            Parameter(name="until", summary="when `enforcement` `off` ends: `2h`, or a time with its zone"),
        ),
    ),
    ApiRoute(
        method="GET",
        path="/v1/processes/{process}/plan",
        operation="plan",
        summary="What the next job would do, and what it waits for.",
        handler=handlers.plan,
    ),
    ApiRoute(
        method="GET",
        path="/v1/processes/{process}/explain",
        operation="explain",
        summary="Why each resource is as it is.",
        handler=handlers.explain,
        query=(_RESOURCES,),
    ),
    ApiRoute(
        method="GET",
        path="/v1/processes/{process}/history",
        operation="history",
        summary="Commands and jobs; also of a process that is gone.",
        handler=handlers.history,
        query=(_START, _END, _LIMIT),
    ),
    ApiRoute(
        method="GET",
        path="/v1/processes/{process}/ops",
        operation="ops",
        summary="Provider operations; also of a process that is gone.",
        handler=handlers.ops,
        query=(_START, _END, _LIMIT),
    ),
    ApiRoute(
        method="GET",
        path="/v1/plans/{plan}",
        operation="stored_plan",
        summary="A plan of the history.",
        handler=handlers.stored_plan,
    ),
    ApiRoute(
        method="GET",
        path="/v1/events",
        operation="events",
        summary="Events in rising order; with `follow=true` a stream of server-sent events that goes on.",
        handler=handlers.events,
        query=(
            Parameter(name="process", summary="only of this process, also one that is gone"),
            Parameter(name="types", summary="only these types, separated by commas"),
            _START,
            _END,
            Parameter(name="after", summary="only with a higher number", kind="integer"),
            _LIMIT,
            Parameter(name="follow", summary="keep the connection and send what comes", kind="boolean"),
        ),
    ),
    ApiRoute(
        method="POST",
        path="/v1/templates",
        operation="existing",
        summary="A template of resources that exist, to be run with `import`. Changes nothing.",
        handler=handlers.existing,
        body=(
            Parameter(name="resources", summary="each as `TYPE ID`", kind="array", is_required=True),
            Parameter(name="region", summary="their region", is_required=True),
            _ACCOUNT,
        ),
    ),
    ApiRoute(
        method="GET",
        path="/v1/phases",
        operation="phases",
        summary="The loaded phases and their activity.",
        handler=handlers.phases,
    ),
    ApiRoute(
        method="GET",
        path="/v1/types",
        operation="types",
        summary="The resource types that the Conductor manages.",
        handler=handlers.types,
    ),
)
