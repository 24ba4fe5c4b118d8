"""Requests for problems: of the stored state, and of the things that carry our marks."""

from tenuto.api.answers import checks, processes
from tenuto.api.handlers import doctor_handlers as handlers
from tenuto.api.requests.route import ApiRoute, Parameter
from tenuto.model.access import Right

_ID = Parameter(name="id", summary="the physical id of the thing", is_required=True)
_TYPE = Parameter(name="type", summary="its resource type, where the id alone means several things")

DOCTOR_ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute(
        method="GET",
        path="/v1/doctor",
        operation="doctor",
        right=Right.STATUS,
        summary="The problems of the stored data, a page of processes at a time; `next` is the `after` of the next.",
        handler=handlers.examine,
        answer=checks.EXAMINATION,
        query=(
            Parameter(name="process", summary="only this process, also one that is gone"),
            Parameter(name="after", summary="the page after this FID"),
            Parameter(name="limit", summary="processes in the page; default and most 200", kind="integer"),
        ),
    ),
    ApiRoute(
        method="GET",
        path="/v1/doctor/things",
        operation="unknown_things",
        right=Right.STATUS,
        summary="Real things that carry our marks and that the database does not know, as the last sweeps showed them.",
        handler=handlers.unknown_things,
        answer=checks.THINGS,
        query=(
            Parameter(name="process", summary="only those that name this process, by its alias or any FID"),
            Parameter(name="account", summary="with `region`: the account to observe; default the Conductor's own"),
            Parameter(name="region", summary="sweep everything of this region first"),
        ),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/adopt",
        operation="adopt",
        right=Right.UPDATE,
        summary="Give a real thing that carries the marks of a resource, and is not known, to that resource.",
        handler=handlers.adopt,
        answer=processes.PROCESS,
        body=(_ID, _TYPE),
    ),
    ApiRoute(
        method="POST",
        path="/v1/doctor/things/delete",
        operation="delete_unknown",
        right=Right.KILL,
        summary="Delete a real thing that carries marks of Tenuto and that the database does not know.",
        handler=handlers.delete_unknown,
        answer=checks.DELETED_THING,
        body=(
            Parameter(name="process", summary="the process that its marks name, by alias or FID", is_required=True),
            _ID,
            _TYPE,
            Parameter(name="object", summary="the object id that its marks name", is_required=True),
            Parameter(name="account", summary="its account; only needed where the process is not known"),
        ),
    ),
)
