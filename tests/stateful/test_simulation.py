"""Whatever happens to it, Tenuto keeps the laws, and comes to rest once the world is calm.

Each seed is one history of commands, strangers, faults and crashes on a virtual clock; what must hold is told in
`tenuto.testing.simulation.laws` and `.trial`. A seed that fails here is printed as a script with few steps.
`scripts/simulate` runs thousands.
"""

import pytest

from tenuto.testing.simulator import render, shrink, simulate

SEEDS = 300
BLOCK = 50


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1, SEEDS + 1, BLOCK))
def test_no_history_leaves_an_orphan_a_duplicate_or_a_process_without_rest(first: int) -> None:
    for seed in range(first, first + BLOCK):
        report = simulate(seed)
        if report.problems:
            pytest.fail(render(shrink(report)), pytrace=False)


def test_a_seed_gives_the_same_run_every_time() -> None:
    assert simulate(7) == simulate(7)


def test_any_steps_of_a_history_are_a_history() -> None:
    whole = simulate(7)
    kept = [number for number, _ in whole.history.steps][::2]
    assert [number for number, _ in simulate(7, kept).history.steps] == kept
