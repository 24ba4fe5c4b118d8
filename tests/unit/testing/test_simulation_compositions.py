"""What is drawn can be built: nothing that stays behind is in the way of what comes, and every type is tried."""

from random import Random

import pytest

from tenuto.model.composition import Composition, DeletionPolicy
from tenuto_testing.simulation.compositions import draw, redraw
from tenuto_testing.simulation.sceneries import SCENERIES, scenery_of

CLOUDS = pytest.mark.parametrize("cloud", sorted(SCENERIES))


def versions(cloud: str, seed: int) -> list[Composition]:
    """A composition and what becomes of it."""
    repertoire, rng = scenery_of(cloud).repertoire, Random(seed)
    found = [draw(rng, repertoire, "p")]
    for _ in range(5):
        found.append(redraw(rng, repertoire, "p", found[-1]))
    return found


@CLOUDS
def test_nothing_with_a_name_stays_behind_when_it_is_replaced(cloud: str) -> None:
    repertoire = scenery_of(cloud).repertoire
    for seed in range(60):
        named: set[str] = set()
        for composition in versions(cloud, seed):
            for one in composition.resources:
                assert one.replace_policy is DeletionPolicy.DELETE or one.logical_id not in named
                if repertoire.name & one.properties.keys():
                    named.add(one.logical_id)


@CLOUDS
def test_every_type_of_a_cloud_is_drawn(cloud: str) -> None:
    drawn = {one.type for seed in range(100) for version in versions(cloud, seed) for one in version.resources}
    assert drawn == set(scenery_of(cloud).types)
