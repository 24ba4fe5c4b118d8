"""Commands about things that the database does not know: what is looked at, refused and waited for."""

from dataclasses import replace

import pytest
from front import Front, physical, submission

from tenuto.core.planning.intents import command_that_goes_on
from tenuto.errors import (
    MismatchError,
    NotAdoptableError,
    NotAllowedError,
    NotThereError,
    PermanentError,
    UserError,
)
from tenuto.model.command import Command
from tenuto.model.event import EventType
from tenuto.model.ids import Fid, Instant, LogicalId, ObjectId, Partition, TypeName
from tenuto.model.marked import MarkedThing, Unknown
from tenuto.model.observation import Owner
from tenuto.model.outcome import Done, Pending, Refused
from tenuto.ports.store_reads import EventQuery
from tenuto.service.existing.unknown_things import MOST_THINGS, UnknownThings, listing_document

THING = physical("net-1")


@pytest.fixture
def front() -> Front:
    """A process `web`, and a thing with the marks of its network."""
    front = Front()
    process = front.commands.run(submission(), alias="web")
    front.marks.found.append(thing(process.fid))
    return front


def thing(fid: str, name: str = "Net", type_name: str = "Simulated::Network") -> MarkedThing:
    return MarkedThing(
        provider="simulated",
        partition=Partition(account="default", region="eu-west-1"),
        type=TypeName(type_name),
        physical_id=THING,
        owner=Owner(fid=Fid(fid), logical_id=LogicalId(name), object_id=ObjectId("ghost")),
        why=Unknown.NO_OBJECT,
        first_seen=Instant(1.0),
    )


def things(front: Front) -> UnknownThings:
    return front.services.unknown_things


def test_a_listing_has_what_people_need_to_decide(front: Front) -> None:
    [one] = listing_document(things(front).listed("web"))["things"]
    assert (one["id"], one["logical_id"], one["object_id"], one["process"]) == (THING, "Net", "ghost", "web")
    assert one["advice"].count(f"{THING}'") == 2
    assert front.marks.swept == [], "nobody asked for a sweep"


def test_a_listing_is_bounded(front: Front) -> None:
    front.marks.found = [thing("elsewhere")] * (MOST_THINGS + 2)
    found = things(front).listed()
    assert (len(found.things), found.left_out) == (MOST_THINGS, 2)


def test_only_a_place_of_a_process_that_the_caller_may_see_is_observed(front: Front) -> None:
    here = Partition(account="default", region="eu-west-1")
    things(front).listed(place=here)
    elsewhere = replace(here, region="eu-west-2")
    for place, is_owner in ((replace(here, region="../.."), True), (elsewhere, False)):
        with pytest.raises(UserError, match="No process that you may see"):
            things(front).listed(place=place, is_seen=lambda fid, owner=is_owner: owner or fid is not None)  # type: ignore[misc]
    things(front).listed(place=elsewhere)
    assert front.marks.swept == [here, elsewhere], "the owner may look anywhere: the database may have lost everything"


def test_a_thing_is_observed_before_it_is_deleted(front: Front) -> None:
    things(front).delete("web", THING)
    assert front.marks.swept == [Partition(account="default", region="eu-west-1")]
    assert [one.physical_id for one in front.marks.deleted] == [THING]


def test_what_the_sweep_does_not_show_any_more_is_not_deleted(front: Front) -> None:
    gone = front.marks.found.pop
    front.marks.sweep = lambda partition, types=(): (gone() and ()) or ()  # type: ignore[method-assign]
    with pytest.raises(NotThereError, match="is unknown to the database"):
        things(front).delete("web", THING)
    assert front.marks.deleted == []


def test_nothing_is_deleted_when_it_cannot_be_observed(front: Front) -> None:
    front.marks.unseen = ("cannot observe networks: denied",)
    with pytest.raises(PermanentError, match="denied"):
        things(front).delete("web", THING)
    assert front.marks.deleted == []


def test_a_deletion_under_way_is_waited_for_and_told(front: Front) -> None:
    front.marks.answers = [Pending(message="deleting", delay_s=2.0), Done()]
    before = front.clock.now()
    assert things(front).delete("web", THING)[1] == ""
    assert front.clock.now() - before == 2.0
    front.marks.answers = [Pending(message="deleting")] * 100
    _, message = things(front).delete("web", THING)
    assert message == f"{THING} is not gone yet: deleting"
    assert len(front.marks.answers) == 90


def test_a_refusal_has_the_words_of_the_provider_and_is_no_event(front: Front) -> None:
    front.marks.answers = [Refused(message="it is used by eni-1", code="DependencyViolation", hint="Detach it.")]
    with pytest.raises(PermanentError, match=r"is not deleted: it is used by eni-1\. Detach it\.") as refused:
        things(front).delete("web", THING)
    assert refused.value.code == "DependencyViolation"
    assert not [one for one in front.store.events(EventQuery()) if one.type is EventType.UNKNOWN_DELETED]


def test_one_id_of_two_types_must_be_said_with_its_type(front: Front) -> None:
    front.marks.found.append(replace(front.marks.found[0], type=TypeName("Simulated::Subnet")))
    with pytest.raises(UserError, match="Say which with --type"):
        things(front).delete("web", THING)
    deleted, _ = things(front).delete("web", THING, type_name=TypeName("Simulated::Subnet"))
    assert deleted.type == "Simulated::Subnet"


def test_a_thing_of_another_type_than_declared_is_not_adopted(front: Front) -> None:
    front.marks.found = [thing(front.marks.found[0].owner.fid, "Sub")]
    with pytest.raises(MismatchError, match="Sub is declared as Simulated::Subnet"):
        things(front).adopt("web", THING)


def test_what_the_next_plan_would_not_adopt_is_refused(front: Front) -> None:
    with pytest.raises(NotAdoptableError, match="another thing stands there"):
        things(front).adopt("web", THING)
    process = front.store.process("web")
    assert process is not None
    assert process.adopting == {}


def test_a_process_that_is_killed_adopts_nothing(front: Front) -> None:
    front.commands.kill("web")
    with pytest.raises(NotAllowedError, match="does not take 'update'"):
        things(front).adopt("web", THING)


def test_a_process_that_was_suspended_in_its_kill_stays_in_it_when_it_adopts(front: Front) -> None:
    front.commands.kill("web")
    front.commands.suspend("web")
    stored = front.commands.adopt("web", front.marks.found[0])
    assert stored.adopting == {"Net": THING}
    assert command_that_goes_on(stored) is Command.KILL
    assert command_that_goes_on(front.commands.resume("web")) is Command.RESUME
