"""The simulator: a whole Tenuto, a seed, and everything that can go wrong.

    report = simulate(17, "aws")
    if report.problems:
        print(render(shrink(report)))

A seed stands for one history on one cloud (the simulated one, or the strict one with the AWS provider): compositions,
commands in any state, acts of other users, faults of the cloud and of the store, slow calls, tasks in any order, a
Conductor that dies anywhere. The laws are in `simulation.laws`; the end of every run is in `simulation.trial`. The same
seed gives the same run. The output of `render` is a scenario file: `play(from_text(...))` plays it, changed or not.
"""

from dataclasses import dataclass

from tenuto_testing.simulation.histories import History, history
from tenuto_testing.simulation.sceneries import SCENERIES
from tenuto_testing.simulation.script import from_text, to_text
from tenuto_testing.simulation.trial import Trial

__all__ = ["CLOUDS", "Report", "from_text", "play", "render", "shrink", "simulate", "to_text"]

CLOUDS = tuple(SCENERIES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The outcome of one run."""

    history: History
    problems: tuple[str, ...]
    log: tuple[str, ...]


def simulate(seed: int, cloud: str = "simulated") -> Report:
    """Run the history of a seed. Raises UserError when there is no such cloud."""
    return play(history(seed, cloud))


def play(chosen: History) -> Report:
    """Run a history."""
    trial = Trial(chosen)
    problems = trial.play()
    return Report(history=chosen, problems=problems, log=trial.log)


def shrink(report: Report) -> Report:
    """The same failure with as few steps as dropping them greedily finds: first by halves, at last one by one."""
    best = report
    size = max(1, len(report.history.steps) // 2)
    while True:
        shorter = _drop(best, size)
        if shorter is not None:
            best = shorter
        elif size > 1:
            size //= 2
        else:
            return best


def render(report: Report) -> str:
    """The run as a scenario file, which tells the events and the problems in comments."""
    told = [
        "# To see it again, or with other steps: save this as a file, and scripts/simulate --play FILE",
        to_text(report.history).rstrip(),
        "",
        "# What happened, by the second:",
        *(f"# {line}" for text in report.log for line in text.splitlines()),
        *(f"# PROBLEM {line}" for text in report.problems for line in text.splitlines()),
    ]
    return "\n".join(told)


def _drop(report: Report, size: int) -> Report | None:
    """The first run without `size` steps in a row that fails in the same way."""
    numbers = [number for number, _ in report.history.steps]
    for start in range(0, len(numbers), size):
        rest = frozenset(numbers[:start] + numbers[start + size :])
        shorter = play(report.history.only(rest))
        if shorter.problems and _kind(shorter) == _kind(report):
            return shorter
    return None


def _kind(report: Report) -> str:
    """The words of the first problem that do not depend on names and times."""
    words = report.problems[0].split(":")[0].split()
    return " ".join(word for word in words if word.islower())
