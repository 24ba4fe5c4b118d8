"""Histories of hosts: no machine serves twice, no thing is orphaned, and all comes to rest when the hosts are back.

Each seed is one history of a whole Conductor with three real agents on a virtual clock: hosts that are cut off in one
direction or both, killed agents, lost power, deaths of the Conductor, clocks minutes apart, pauses of days. The laws
are told in `host_histories`. A seed that fails is printed with few lines.
"""

import pytest
from host_histories import drawn, play, shrunk
from night import by_day


def holds(lines: tuple[str, ...]) -> None:
    problems, _ = play(lines)
    if problems:
        short = shrunk(lines)
        problems, log = play(short)
        pytest.fail("\n".join([*short, "", *log, "", *problems]), pytrace=False)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("first", by_day(3, range(200, 230, 3)))
def test_no_history_of_hosts_leaves_a_second_machine_an_orphan_or_a_process_without_rest(first: int) -> None:
    for seed in range(first, first + 3):
        holds(drawn(seed))


@pytest.mark.parametrize("host", ["h1", "h2", "h3"])
@pytest.mark.parametrize("away", ["cut", "deafen", "kill-agent", "power-off"])
def test_a_machine_of_a_lost_host_serves_elsewhere_and_never_twice(host: str, away: str) -> None:
    back = "start-agent" if away in ("kill-agent", "power-off") else "heal"
    problems, log = play(
        ("world 10 400 -500", "run red 2 on-host-error 512", "pass 30", f"{away} {host}", "pass 200", f"{back} {host}")
    )
    assert not problems, (problems, log)


def test_a_pause_of_days_in_which_nobody_hears_anybody_leaves_one_machine() -> None:
    assert not play(("world 10 400 -500", "run red 2 on-host-error 512", "cut h2", "days 40", "wall 900"))[0]


def test_a_host_without_its_guard_breaks_the_law_that_no_machine_serves_twice() -> None:
    """The proof that the law is looked at: every host goes on with its machines after its lease."""
    unguarded = tuple(f"unguard h{number}" for number in (1, 2, 3))
    found = set()
    for host in ("h1", "h2", "h3"):
        problems, _ = play(
            ("world 10 0 0", "run red 1 on-host-error 512", "pass 30", *unguarded, f"cut {host}", "pass 200")
        )
        found |= {problem.partition(":")[0] for problem in problems}
    assert found == {"Web0 runs twice"}


def test_what_a_dead_agent_was_to_make_is_not_made_once_it_is_elsewhere() -> None:
    """The gateway of the network was ordered, and its agent dead. It is back when another host is the gateway."""
    problems, log = play(("world 30 253 -421", "run red 2 on-error 6000", "kill-agent h2", "pass 330"))
    assert not problems, (problems, log)
