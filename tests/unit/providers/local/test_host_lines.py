"""The line of one host: which report answers which order."""

from dataclasses import replace

import pytest

from tenuto.model.ids import ObjectId
from tenuto.providers.local.driver import Problem, Spec
from tenuto.providers.local.hosts.line import FRESH_S, KEPT_S, LONGEST_S, Line
from tenuto.providers.local.hosts.lines import Lines, Wanted
from tenuto.providers.local.types import INSTANCE
from tenuto.providers.local.wire.messages import GENERATIONS, Observed, Order, Poll, Register, Report, Verb

WEB = ObjectId("web")
SPEC = Spec(type=INSTANCE, object_id=WEB, account="red", owner=None, host="h1", properties={"PowerState": "on"})


def reported(at: float) -> Line:
    """A host that has carried out an order, and told so at a moment."""
    line = Line(zone="z", name="h1")
    line.begin("r", Register(versions=(1,), boot_id="b", driver="memory", cores=1, memory_mib=1024), 0.0)
    line.order(Order(object_id=WEB, generation=1, verb=Verb.ENSURE, spec=SPEC))
    line.report([Report(object_id=WEB, generation=1)], at)
    return line


def is_done(line: Line, now: float, problem: Problem | None = None) -> bool:
    found = line.finished(WEB, Verb.ENSURE, SPEC, now)
    return found is not None and found.problem == problem


def looked(line: Line, now: float) -> None:
    line.show(Observed(number=line.ask(now), things=()), now)


@pytest.mark.parametrize("later_s", [0.0, 1.0, KEPT_S])
def test_a_report_is_read_once_by_the_phase_that_asks_again(later_s: float) -> None:
    line = reported(10.0)
    assert is_done(line, 10.0 + later_s)
    assert not is_done(line, 10.0 + later_s)


def test_a_report_from_before_the_last_look_answers_no_later_order() -> None:
    """The machine was killed after it was made. The look showed that, and the repair is the very same order."""
    line = reported(10.0)
    looked(line, 11.0)
    assert not is_done(line, 12.0)


def test_a_look_from_before_the_report_takes_nothing_from_it() -> None:
    line = Line(zone="z", name="h1")
    line.order(Order(object_id=WEB, generation=1, verb=Verb.ENSURE, spec=SPEC))
    looked(line, 5.0)
    line.report([Report(object_id=WEB, generation=1)], 10.0)
    assert is_done(line, 11.0)


def test_what_moves_to_another_host_is_no_longer_ordered_of_the_first_one() -> None:
    """The first host was away. Back again, it would make a second gateway of one network."""
    lines = Lines(lambda: 1, lambda: 0.0)
    for name in ("h1", "h2"):
        lines.begin("z", name, name, Register(versions=(1,), boot_id="b", driver="memory", cores=1, memory_mib=1))
        lines.post("z", [Wanted(host=name, object_id=ObjectId(f"other-{name}"), spec=SPEC)])
    lines.post("z", [Wanted(host="h1", object_id=WEB, spec=SPEC)])
    lines.post("z", [Wanted(host="h2", object_id=WEB, spec=replace(SPEC, host="h2"))])

    def ordered(name: str) -> list[ObjectId]:
        return [one.object_id for one in lines.answer("z", name, Poll(registration=name, wait_s=1.0)).orders]

    assert ordered("h1") == ["other-h1"]
    assert ordered("h2") == ["other-h2", WEB]


@pytest.mark.parametrize(
    ("given", "next_"),
    [
        (7 * GENERATIONS + 40, 41),
        (6 * GENERATIONS + 40, 1),
        (8 * GENERATIONS + 40, 1),
        (7 * GENERATIONS + GENERATIONS - 1, 1),
    ],
    ids=["the same epoch", "an earlier one", "a later one", "more than any Conductor gives"],
)
def test_a_restored_database_in_an_epoch_that_was_there_before_gives_later_orders(given: int, next_: int) -> None:
    """The host would refuse its orders as older ones, or take one for an order that it has carried out."""
    lines = Lines(lambda: 7, lambda: 0.0)
    told = Register(versions=(1,), boot_id="b", driver="memory", cores=1, memory_mib=1, given=given)
    lines.begin("z", "h1", "r", told)
    lines.post("z", [Wanted(host="h1", object_id=WEB, spec=SPEC)])
    [order] = lines.answer("z", "h1", Poll(registration="r", wait_s=1.0)).orders
    assert order.generation == 7 * GENERATIONS + next_


def test_a_host_that_registers_may_hold_what_it_was_ordered_to_make() -> None:
    line = Line(zone="z", name="h1")
    line.order(Order(object_id=WEB, generation=1, verb=Verb.ENSURE, spec=SPEC))
    line.begin("r", Register(versions=(1,), boot_id="b", driver="memory", cores=1, memory_mib=1024), 0.0)
    assert line.held == {WEB}


def test_a_host_with_much_on_it_is_read_although_that_takes_longer_than_a_moment() -> None:
    """Each sweep would ask it anew, and conclude from no answer of it, for ever."""
    line = Line(zone="z", name="h1")
    number = line.ask(0.0)
    assert line.patience_s == FRESH_S
    assert line.ask(FRESH_S + 1) == number, "it is at work on that question, and is not asked another one"
    line.show(Observed(number=number, things=()), FRESH_S + 2)
    assert line.fresh(FRESH_S + 3) is not None
    assert line.patience_s > FRESH_S + 2, "and the next sweep waits for it"


def test_a_host_that_stands_still_is_asked_anew_and_holds_no_sweep_up_for_long() -> None:
    line = Line(zone="z", name="h1")
    number = line.ask(0.0)
    later = line.ask(LONGEST_S + 1)
    assert later > number
    line.show(Observed(number=number, things=()), LONGEST_S + 2)
    assert line.shown is None, "an answer to an older question says nothing"
    line.show(Observed(number=later, things=()), 10 * LONGEST_S)
    assert line.patience_s == LONGEST_S
