"""Requests for what is wrong: with what is stored, and with what carries our marks."""

from tenuto.api import doctor_handlers as handlers
from tenuto.api.route import ApiRoute, Parameter
from tenuto.model.access import Right

DOCTOR_ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute(
        method="GET",
        path="/v1/doctor",
        operation="doctor",
        right=Right.STATUS,
        summary="What is wrong with what is stored, a page of processes at a time; `next` is the `after` of the next.",
        handler=handlers.examine,
        query=(
            Parameter(name="process", summary="only this process, also one that is gone"),
            Parameter(name="after", summary="the page after this FID"),
            Parameter(name="limit", summary="processes in the page; default and most 200", kind="integer"),
        ),
    ),
)
