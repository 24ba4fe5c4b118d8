"""The settings that `tenuto runtime` can change, and their effect on the parts of a Conductor."""

from collections.abc import Callable, Iterator
from functools import partial
from math import isfinite

from tenuto.bootstrap.log import COMPONENTS, LogLevels
from tenuto.conductor.leading.tempo import Tempo
from tenuto.conductor.supervisor import Supervisor
from tenuto.kit.setting_values import parse_patience, parse_period
from tenuto.service.operations.runtime import RuntimeKey

_LEAST_DELAY_S = 0.1
_LONGEST_DELAY_S = 86_400.0


def level_keys(levels: LogLevels) -> Iterator[RuntimeKey]:
    """The level of each component. The default is the level that the Conductor was started with."""
    for component, summary in COMPONENTS.items():
        yield RuntimeKey(
            name=f"{component}.log-level",
            summary=f"what is logged of {summary}: DEBUG, INFO, WARNING or ERROR",
            default=levels.default,
            apply=partial(levels.set, component),
        )


def delay_keys(tempo: Tempo, conductor: Supervisor) -> Iterator[RuntimeKey]:
    """The delays that may change. The defaults are those that the Conductor was started with."""

    def key(name: str, field: str, summary: str, parse: Callable[[str], float]) -> RuntimeKey:
        def apply(text: str) -> None:
            setattr(tempo, field, parse(text))
            conductor.hasten()

        return RuntimeKey(name=name, summary=summary, default=f"{getattr(tempo, field):g}", apply=apply)

    yield key("jobs.period", "period_s", "seconds between two jobs of a process", parse_period)
    yield key(
        "jobs.observation",
        "observation_s",
        "seconds between two sweeps for routine jobs; less than jobs.period is a sweep for each job",
        _parse_pause,
    )
    yield key(
        "phases.delay",
        "phase_delay_s",
        "seconds that an object sleeps when neither its phase nor the run says how long",
        _parse_delay,
    )
    yield key(
        "resources.patience",
        "patience_s",
        "seconds for which a resource still in use is tried to be deleted again, before its process is suspended",
        parse_patience,
    )


def _parse_delay(text: str) -> float:
    return _parse_seconds(text, _LEAST_DELAY_S)


def _parse_pause(text: str) -> float:
    return _parse_seconds(text, 0.0)


def _parse_seconds(text: str, least: float) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = float("nan")
    if not (isfinite(seconds) and least <= seconds <= _LONGEST_DELAY_S):
        raise ValueError(f"expected seconds, from {least:g} to {_LONGEST_DELAY_S:g}")
    return seconds
