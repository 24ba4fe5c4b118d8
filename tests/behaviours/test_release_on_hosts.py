"""The release of a process whose resources cannot exist without Tenuto: it is refused before anything is changed."""

import pytest
from local_world import LocalWorld, shop

from tenuto.errors import NotAllowedError


@pytest.fixture
def world() -> LocalWorld:
    made = LocalWorld()
    made.run(*shop())
    return made


def test_a_process_of_the_local_cloud_is_not_released_and_is_enforced_on(world: LocalWorld) -> None:
    commands = world.system.commands
    world.advance(90)
    before = world.store.processes()[0]
    for release in (commands.dry_runs.release, commands.release):
        with pytest.raises(
            NotAllowedError, match=r"cannot be released: .*Web \(Tenuto::Compute::Instance\).*tenuto kill"
        ):
            release(before.fid)
    assert world.store.processes()[0] == before
    world.advance(90)
    assert world.store.processes()[0].releasing is None
