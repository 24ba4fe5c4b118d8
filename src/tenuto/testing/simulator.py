"""The simulator: a whole Tenuto, a seed, and everything that can go wrong.

    report = simulate(17)
    if report.problems:
        print(render(shrink(report)))

A seed stands for one history: compositions, commands in any state, strangers, faults of the cloud and of the store,
slow calls, tasks in any order, a Conductor that dies anywhere. The laws are in `simulation.laws`; what comes at the end
of every run is in `simulation.trial`. The same seed, and the same steps of it, give the same run.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from tenuto.testing.simulation.histories import History, history
from tenuto.testing.simulation.trial import Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What came of one run."""

    history: History
    problems: tuple[str, ...]
    log: tuple[str, ...]


def simulate(seed: int, keep: Iterable[int] | None = None) -> Report:
    """Run the history of a seed, or only the steps of these numbers."""
    whole = history(seed)
    return _run(whole if keep is None else whole.only(frozenset(keep)))


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
    """The run as a script with what it said, what went wrong, and how to see it again."""
    seed = report.history.seed
    numbers = ",".join(str(number) for number, _ in report.history.steps)
    behaviour = report.history.behaviour
    tokens = "honoured" if behaviour.honours_tokens else "ignored"
    return "\n".join(
        (
            f"seed {seed}: tokens {tokens}, things visible after {behaviour.visible_after_s:g} s",
            *report.log,
            *(f"PROBLEM {problem}" for problem in report.problems),
            f"Again: scripts/simulate --first {seed} --seeds 1 --keep {numbers}",
        )
    )


def _run(chosen: History) -> Report:
    trial = Trial(chosen)
    problems = trial.play()
    return Report(history=chosen, problems=problems, log=trial.log)


def _drop(report: Report, size: int) -> Report | None:
    """The first run without `size` steps in a row that fails in the same way."""
    numbers = [number for number, _ in report.history.steps]
    for start in range(0, len(numbers), size):
        rest = frozenset(numbers[:start] + numbers[start + size :])
        shorter = _run(report.history.only(rest))
        if shorter.problems and _kind(shorter) == _kind(report):
            return shorter
    return None


def _kind(report: Report) -> str:
    """The words of the first problem that do not depend on names and times."""
    words = report.problems[0].split(":")[0].split()
    return " ".join(word for word in words if word.islower())
