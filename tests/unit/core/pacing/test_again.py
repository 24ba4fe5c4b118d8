"""What a command makes of a phase that failed."""

import pytest
from planning_world import process

from tenuto.core.pacing.visibility import ADOPT, CREATE
from tenuto.core.planning.reasons import continuation, is_continued
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.command import Command
from tenuto.model.ids import PhaseName, PhysicalId
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.resource import ManagedObject
from tenuto.model.verb import Verb
from tenuto_testing.store_samples import an_entry, an_object, entries

REAL = PhysicalId("net-1")


def failed(phase: str, target: str = "Started", physical_id: PhysicalId | None = None) -> ManagedObject:
    name = PhaseName(phase)
    return an_object(target=target, physical_id=physical_id, phases=entries(an_entry(PhaseStatus.FAILED, name)))


def test_only_a_command_that_waits_to_be_served_tries_a_failure_again() -> None:
    commanded = process(next_command=Command.RESUME)
    assert is_continued(failed(CREATE), commanded)
    assert not is_continued(failed(CREATE), process())
    assert not is_continued(an_object(phases=entries(an_entry(PhaseStatus.SLEEPING))), commanded)


@pytest.mark.parametrize(
    ("found", "verb"),
    [
        (failed(CREATE), Verb.CREATE),
        (failed(CREATE, physical_id=REAL), Verb.CREATE),
        (failed("aws.tune"), Verb.CREATE),
        (failed("aws.tune", physical_id=REAL), Verb.MODIFY),
        (failed(ADOPT), Verb.ADOPT),
        (failed("x", ResourceState.TERMINATED, REAL), Verb.DELETE),
        (failed("x", ResourceState.RELEASED, REAL), Verb.RELEASE),
    ],
)
def test_trying_again_is_told_as_what_it_means_for_people(found: ManagedObject, verb: Verb) -> None:
    operation = continuation(found, None)
    assert operation.verb is verb
    assert operation.object_id == found.object_id
    assert operation.reason == f"again, because {next(iter(found.phases))} failed"
