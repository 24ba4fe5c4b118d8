"""A Conductor that is killed without notice, again and again, in the middle of a build and of a kill.

Each round starts a Conductor, lets it work for a moment drawn from a printed seed, and kills it. Afterwards a last one
converges, and the account must hold exactly what the template declares: nothing twice, and after the kill nothing.
"""

import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from emulation import emulated_aws
from live import PATIENCE_S, Live
from night import IS_NIGHT

ROUNDS = 15 if IS_NIGHT else 6
"""Of a build and again of a kill."""
LONGEST_S = 1.5
"""A build of the template takes about three seconds here, so that several deaths fall into one."""
TEMPLATE = Path(__file__).parents[1] / "templates" / "vpc_with_managed_nat_and_private_subnet.yaml"


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with emulated_aws() as emulator:
        installation = Live(tmp_path, emulator.url)
        try:
            yield installation
        finally:
            installation.stop()


def die_often(live: Live, chance: random.Random) -> None:
    for _ in range(ROUNDS):
        live.start()
        time.sleep(chance.uniform(0.0, LONGEST_S))
        live.kill_9()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_no_death_leaves_a_duplicate_or_an_orphan(live: Live) -> None:
    seed = random.SystemRandom().randrange(2**32)
    sys.stdout.write(f"seed {seed}\n")
    chance = random.Random(seed)
    before = live.account()
    live.start()
    live.tenuto("run", str(TEMPLATE), "-a", "web", check=True)
    live.kill_9()
    die_often(live, chance)
    live.start()
    live.until_converged("web", after=time.time())
    built = live.account()
    grown = {name: built[name] - before[name] for name in built}
    assert grown == {
        "vpcs": 1,
        "subnets": 4,
        "internet gateways": 1,
        "route tables": 4,
        "associations": 4,
        "addresses": 2,
        "nat gateways": 2,
        "own network acls": 1,
        "security groups": 1,
        "key pairs": 0,
        "instances": 0,
        "roles": 0,
        "profiles": 0,
        "buckets": 0,
    }
    live.tenuto("kill", "web", check=True)
    live.kill_9()
    die_often(live, chance)
    live.start()
    # A deletion that was not stored is asked for again, at last once a minute, until sweeps say that the thing is gone.
    live.until(lambda: live.status("web") is None, "the process is gone", patience_s=3 * PATIENCE_S)
    assert live.account() == before
    assert live.stop() == 0
