"""The parameters of a group: those that a user has set, and the declared ones.

A group has all parameters of its family, hundreds of them, and lists by themselves those with a value that a user has
set. One that a user has set to the value of the family is not among these. So the rest is read, too, where a declared
one is missing. One call sets some of them, and one gives others their values back.
"""

from collections.abc import Mapping

from tenuto.model.ids import JsonMap
from tenuto.providers.aws.blocks.calls import Listed
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.answers.pages import Paging
from tenuto.providers.aws.kind import Work

_MOST = 20
"""The number of parameters that ElastiCache and Redshift take in one call."""


def pages_of(service: str, operation: str) -> Paging:
    """The pages of the parameters of a group."""
    return Listed(operation=operation, id="ParameterName", size=100).paging(service)


def parameters_of(thing: Thing, pages: Paging, about: JsonMap, path: str) -> dict[str, str]:
    """The values of the parameters that a user has set, and of those that are declared at the path."""
    found = _valued(thing, pages, {**about, "Source": "user"})
    missing = thing.declared_in(path) - found.keys()
    rest = _valued(thing, pages, about) if missing else {}
    return found | {name: value for name, value in rest.items() if name in missing}


def _valued(thing: Thing, pages: Paging, about: JsonMap) -> dict[str, str]:
    shown = thing.client.pages(pages, **about)
    return {str(one["ParameterName"]): str(one["ParameterValue"]) for one in shown if "ParameterValue" in one}


def set_and_reset(
    work: Work,
    service: str,
    *,
    about: JsonMap,
    given_as: str,
    calls: tuple[str, str],
    shown: Mapping[str, str],
    wanted: Mapping[str, str],
) -> None:
    """Bring the parameters from the shown values to the wanted ones. `calls` are the operations that set and reset."""
    changed = {name: value for name, value in wanted.items() if shown.get(name) != value}
    gone = {name: value for name, value in shown.items() if name not in wanted}
    for operation, values in zip(calls, (changed, gone), strict=True):
        told = [{"ParameterName": name, "ParameterValue": values[name]} for name in sorted(values)]
        for start in range(0, len(told), _MOST):
            work.change(service, operation, **about, **{given_as: told[start : start + _MOST]})
