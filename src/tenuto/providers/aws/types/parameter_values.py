"""The parameters of a group that a user has set: one call sets some of them, and one gives others their values back."""

from collections.abc import Mapping

from tenuto.model.ids import JsonMap
from tenuto.providers.aws.kind import Work

_MOST = 20
"""The number of parameters that ElastiCache and Redshift take in one call."""


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
