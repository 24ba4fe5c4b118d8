"""Requests about one process, and the list of all."""

from tenuto.api import handlers
from tenuto.api.route import ACCOUNT, COMPOSITION, DRY_RUN, ApiRoute, Parameter
from tenuto.model.access import Right

_SECRETS = Parameter(name="secrets", summary="the values of its NoEcho parameters, by name", kind="object")
_IMPORT = Parameter(name="import", summary="adopt what the composition names by ResourceIdentifier", kind="boolean")
_PLAN_FILE = Parameter(
    name="plan_file", summary="with `dry_run`: add the plan file, which can be executed later", kind="boolean"
)
_UNRECORDED = Parameter(
    name="unrecorded",
    summary="with `dry_run`: leave no trace in the history; for a plan that is shown before a question",
    kind="boolean",
)
_RESOURCES = Parameter(name="resources", summary="only these logical ids; default all", kind="array")

PROCESS_ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute(
        method="GET",
        path="/v1/processes",
        operation="processes",
        right=Right.STATUS,
        summary="All live processes.",
        handler=handlers.processes,
        query=(Parameter(name="account", summary="only those of this account"),),
    ),
    ApiRoute(
        method="GET",
        path="/v1/names",
        operation="names",
        right=Right.STATUS,
        summary="The names of processes, or of the resources of one, that begin with a text; for completion.",
        handler=handlers.names,
        query=(
            Parameter(name="prefix", summary="only names that begin with this"),
            Parameter(name="process", summary="the resources of this process"),
        ),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes",
        operation="run",
        right=Right.RUN,
        summary="Run a composition as a new process.",
        handler=handlers.run,
        body=(
            COMPOSITION,
            _SECRETS,
            Parameter(name="alias", summary="a name, unique among live processes"),
            ACCOUNT,
            _IMPORT,
            Parameter(name="only_adopt", summary="refuse a plan that does more than adopt", kind="boolean"),
            Parameter(name="unenforced", summary="begin with enforcement off", kind="boolean"),
            DRY_RUN,
            _PLAN_FILE,
            _UNRECORDED,
        ),
        status=201,
    ),
    ApiRoute(
        method="GET",
        path="/v1/processes/{process}",
        operation="process",
        right=Right.STATUS,
        summary="One process in detail.",
        handler=handlers.process,
        query=(
            Parameter(name="sweep", summary="ask the provider for drift that enforcement leaves alone", kind="boolean"),
        ),
    ),
    ApiRoute(
        method="GET",
        path="/v1/processes/{process}/progress",
        operation="progress",
        right=Right.STATUS,
        summary="How far it is: counts of all resources by status, and those that need eyes most.",
        handler=handlers.progress,
        query=(Parameter(name="most", summary="so many resources; default 100, at most 1000", kind="integer"),),
    ),
    ApiRoute(
        method="PUT",
        path="/v1/processes/{process}",
        operation="apply",
        right=Right.RUN,
        summary="Run under this alias, or update the process that has it, or do nothing when it is the same.",
        handler=handlers.apply,
        body=(COMPOSITION, _SECRETS, ACCOUNT, _IMPORT, DRY_RUN, _PLAN_FILE, _UNRECORDED),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/update",
        operation="update",
        right=Right.UPDATE,
        summary="Give the process another composition.",
        handler=handlers.update,
        body=(COMPOSITION, _SECRETS, DRY_RUN, _PLAN_FILE, _UNRECORDED),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/suspend",
        operation="suspend",
        right=Right.SUSPEND,
        summary="No more jobs; pauses a kill.",
        handler=handlers.suspend,
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/resume",
        operation="resume",
        right=Right.RESUME,
        summary="Jobs again; clears failed phases, approves a held plan, cancels a paused kill.",
        handler=handlers.resume,
        body=(DRY_RUN, _PLAN_FILE, _UNRECORDED),
    ),
    ApiRoute(
        method="POST",
        path="/v1/resume",
        operation="resume_cause",
        right=Right.RESUME,
        summary="Resume every process that one of these causes suspended, as far as the caller may resume it.",
        handler=handlers.resume_cause,
        body=(
            Parameter(name="causes", summary="codes, such as `AccessDenied`", kind="array", is_required=True),
            Parameter(name="processes", summary="only those of these FIDs: the ones that were shown", kind="array"),
            Parameter(name="dry_run", summary="answer with the list and change nothing", kind="boolean"),
        ),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/kill",
        operation="kill",
        right=Right.KILL,
        summary="Delete its resources, and then the process.",
        handler=handlers.kill,
        body=(DRY_RUN, _PLAN_FILE, _UNRECORDED),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/release",
        operation="release",
        right=Right.RELEASE,
        summary="Let go of its resources, which stay, and end the process.",
        handler=handlers.release,
        body=(
            Parameter(name="keep_tags", summary="leave our ownership tags on them", kind="boolean"),
            DRY_RUN,
            _PLAN_FILE,
            _UNRECORDED,
        ),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/execute",
        operation="execute",
        right=Right.UPDATE,
        summary="Execute a plan file exactly, or refuse it because something moved.",
        handler=handlers.execute,
        body=(Parameter(name="plan", summary="the plan file", kind="object", is_required=True),),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/retry",
        operation="retry",
        right=Right.RETRY,
        summary="Clear failed phases and try again.",
        handler=handlers.retry,
        body=(_RESOURCES,),
    ),
    ApiRoute(
        method="GET",
        path="/v1/processes/{process}/properties/{key}",
        operation="property",
        right=Right.STATUS,
        summary="The value of `alias`, `lock` or `enforcement`.",
        handler=handlers.get_property,
    ),
    ApiRoute(
        method="PUT",
        path="/v1/processes/{process}/properties/{key}",
        operation="set_property",
        right=Right.PROPERTY,
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
        right=Right.PLAN,
        summary="The operations of the next job, and the conditions that it waits for.",
        handler=handlers.plan,
    ),
    ApiRoute(
        method="GET",
        path="/v1/processes/{process}/explain",
        operation="explain",
        right=Right.EXPLAIN,
        summary="Why each resource is as it is.",
        handler=handlers.explain,
        query=(_RESOURCES,),
    ),
)
