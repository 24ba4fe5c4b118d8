"""A deletion that is told that there is no such thing: believed when a sweep does not show it either."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from tenuto.conductor.leading.tempo import Tempo
from tenuto.conductor.provider_phases.calls import SAID_TO_BE_GONE, ProviderCalls
from tenuto.conductor.providing.providers import ProviderTypes
from tenuto.conductor.providing.requests import Requests
from tenuto.model.attempt import UNTRIED, AttemptState
from tenuto.model.ids import Fid, Instant, LogicalId, ObjectId, Partition, PhaseName, PhysicalId, TypeName
from tenuto.model.observation import Observation, Presence
from tenuto.model.outcome import Done, Outcome, Pending, Request
from tenuto.model.phase_map import PhaseEntry, PhaseStatus
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto.ports.observations import Observations
from tenuto.ports.phase import PhaseResource, PhaseRun

HOME = Partition(account="1", region="here")
PID = PhysicalId("a-1")
PHASE = PhaseName("resource.delete")
MADE = ManagedObject(
    object_id=ObjectId("o"),
    lifecycle="resource",
    type=TypeName("T::A"),
    provider="p",
    partition=HOME,
    fid=Fid("f"),
    logical_id=LogicalId("A"),
    physical_id=PID,
    state="Deallocation",
    target="Terminated",
    created_at=Instant(0),
    moved_at=Instant(0),
    touched_at=Instant(0),
    phases={PHASE: PhaseEntry(phase=PHASE, state="Deallocation", status=PhaseStatus.RUNNING)},
)
NOW = Instant(1000.0)


class Run:
    """What a verdict needs of a run, and what became of its one resource."""

    partition = HOME
    now = NOW
    phase = PHASE

    def __init__(self) -> None:
        self.told: list[str] = []

    def complete(self, one: PhaseResource) -> None:
        self.told.append("complete")

    def sleep(self, one: PhaseResource, delay_s: float, message: str, *, code: str, request_id: str) -> None:
        self.told.append(code)

    def fail(self, one: PhaseResource, message: str, *, code: str, request_id: str) -> None:
        self.told.append(f"failed: {message}")


class Sky:
    def __init__(self, presence: Presence) -> None:
        self.presence = presence
        self.asked: list[Instant] = []

    def observe(self, found: ManagedObject) -> Observation:
        return Observation(presence=self.presence)

    def ask(
        self,
        provider: str,
        partition: Partition,
        name: TypeName,
        not_before: Instant,
        objects: Sequence[object] = (),
    ) -> None:
        self.asked.append(not_before)


class Resource:
    physical_id = PID
    act = UNTRIED
    attributes: dict[str, Any] = {}  # noqa: RUF012 - a stand-in of one test

    def __init__(self, found: ManagedObject = MADE) -> None:
        self.object = found


class Asked:
    def of(self, found: ManagedObject, observed: object) -> Request:
        return Request(
            object_id=found.object_id,
            fid=found.fid,
            process_name="web",
            logical_id=LogicalId("A"),
            type=found.type,
            token="o",
            properties={},
        )


def judged(sky: Sky, outcome: Outcome, resource: Resource) -> tuple[list[str], Request]:
    """What became of the resource, and the request that the provider got."""
    calls = ProviderCalls(
        providers={},
        types=ProviderTypes(
            {"p": {resource.object.type: ResourceType(name=resource.object.type, provider="p", source="vpcs")}}
        ),
        observations=cast("Observations", sky),
        store=cast("Any", None),
        secrets=cast("Any", None),
        tempo=Tempo(period_s=30.0, patience_s=600.0),
    )
    run = Run()

    asked: list[Request] = []

    def call(partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        asked.extend(requests)
        return [outcome]

    calls.judge(cast("PhaseRun", run), [cast("PhaseResource", resource)], cast("Requests", Asked()), call)
    return run.told, asked[0]


def told(sky: Sky, outcome: Done, found: ManagedObject = MADE) -> list[str]:
    return judged(sky, outcome, Resource(found))[0]


ABSENT = Done(physical_id=PID, was_absent=True)


@pytest.mark.parametrize(
    ("presence", "became"),
    [
        (Presence.PRESENT, SAID_TO_BE_GONE),
        (Presence.UNSEEN, SAID_TO_BE_GONE),
        (Presence.DOUBTFUL, "complete"),
        (Presence.ABSENT, "complete"),
    ],
)
def test_what_is_said_to_be_gone_must_be_missing_in_a_sweep_too(presence: Presence, became: str) -> None:
    sky = Sky(presence)
    assert told(sky, ABSENT) == [became]
    assert [moment > NOW for moment in sky.asked] == ([True] if became == SAID_TO_BE_GONE else [])


@pytest.mark.parametrize(("presence", "ends"), [(Presence.PRESENT, True), (Presence.UNSEEN, False)])
def test_what_is_shown_for_long_is_not_waited_for_without_end(presence: Presence, ends: bool) -> None:
    resource = Resource()
    resource.act = replace(UNTRIED, held_since=Instant(NOW - 601))
    [found], _ = judged(Sky(presence), ABSENT, resource)
    assert found.startswith("failed: a-1 is gone, says the provider;") is ends
    assert ("Its lists show it all the same" in found) is ends


@pytest.mark.parametrize(("held_s", "span"), [(601, "10 minutes"), (120, "2 minutes"), (119, "119 s"), (20, "20 s")])
def test_a_wait_below_two_minutes_is_told_in_seconds(held_s: float, span: str) -> None:
    resource = Resource()
    resource.act = replace(UNTRIED, held_since=Instant(NOW - held_s))
    outcome = Pending(message="not authorized", is_held=True, patience_s=20.0)
    [found], _ = judged(Sky(Presence.PRESENT), outcome, resource)
    assert found.startswith(f"failed: not authorized, for {span} now")


def test_a_deletion_that_was_carried_out_needs_no_sweep() -> None:
    assert told(Sky(Presence.PRESENT), Done(physical_id=PID)) == ["complete"]


def test_what_has_no_recorded_id_cannot_be_observed() -> None:
    assert told(Sky(Presence.UNSEEN), ABSENT, replace(MADE, physical_id=None)) == ["complete"]


def test_the_note_of_a_provider_is_stored_unread_and_given_back_with_the_next_request() -> None:
    resource = Resource()
    _, first = judged(Sky(Presence.PRESENT), Pending(message="going", progress={"RequestToken": "t-1"}), resource)
    assert first.progress == {}
    assert resource.act.progress == {"RequestToken": "t-1"}
    assert (resource.act.state, resource.act.sent_at, resource.act.is_under_way) == (AttemptState.SENT, NOW, True)
    _, second = judged(Sky(Presence.PRESENT), Done(physical_id=PID), resource)
    assert second.progress == {"RequestToken": "t-1"}
    assert resource.act.state is AttemptState.ANSWERED
