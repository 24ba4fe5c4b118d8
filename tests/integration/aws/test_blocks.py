"""Every block with an example lives a whole life in front of the emulator: made, seen as declared, found again, each
property changed in place and repaired after a drift, given back its default when it is taken out, replaced where only
a new thing can have the value, and gone.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import botocore.session
import pytest
from billing import costs_what_its_bill_says, gives_back, is_adopted_for_its_bill
from block_examples import EXAMPLES, THING, BenchOf, BlockExample, reasons, untried

from tenuto.bootstrap.clock import SystemClock
from tenuto.core.planning.comparing.exclusive import Holders
from tenuto.core.planning.equality.values import means_same
from tenuto.model.delta import Change
from tenuto.model.ids import JsonMap, LogicalId, PhysicalId, TypeName
from tenuto.model.outcome import Done, Request
from tenuto.model.plan import StepKind
from tenuto.model.resource import MAY_BE_ABSENT, Comparison
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, Example
from tenuto_testing.store_samples import an_object

TYPES = sorted(EXAMPLES)
MARK = "mark"
"""The word in the list of exceptions for what the emulator does not do with our mark at a creation."""
ADOPTED = "adopted"
"""The word in the list of exceptions for an emulator that takes no tags of a thing that exists."""
ONCE = "once"
"""The word in the list of exceptions for a second thing that nothing but its first can be."""
KEPT = "-"
"""The beginning of a word in the list of exceptions for a property that is not tried to be taken out."""
TWICE = "twice"
"""The word in the list of exceptions for an emulator that breaks when it is asked about a thing that is gone."""


@pytest.fixture
def bench(bench_of: BenchOf, request: pytest.FixtureRequest) -> Bench:
    example: BlockExample = EXAMPLES[request.node.callspec.params["name"]]
    return bench_of((*example.needs, example.thing))


@pytest.fixture
def other_writer(session: botocore.session.Session) -> AwsProvider:
    """Another user of the account: nothing of what it does is known to the provider under test."""
    return AwsProvider(session=session, ops=RecordedOps(), clock=SystemClock())


@pytest.mark.parametrize("name", TYPES)
def test_a_thing_lives_as_its_block_says(name: TypeName, bench: Bench, other_writer: AwsProvider) -> None:
    example = EXAMPLES[name]
    with bench:
        bench.make_all()
        costs_what_its_bill_says(bench, bench.requests[THING], StepKind.MAKE, bench.case.ops.all)
        _is_as_declared(bench)
        _is_shared_with_nothing(bench, example.thing)
        if MARK not in reasons().get(name, {}):
            _is_marked_and_found_again(bench)
        if ADOPTED not in reasons().get(name, {}):
            is_adopted_for_its_bill(bench, bench.requests[THING])
        for path, value in sorted(example.changed.items()):
            _drifts_and_is_repaired(bench, other_writer, {path: value})
        _changes_all_at_once(bench, example.changed)
        _goes_back_when_taken_out(bench, example)
        for path, value in sorted(example.moved.items()):
            _moves_and_comes_back(bench, {path: value})
        for path, value in sorted(example.replaced.items()):
            _is_replaced(bench, example.thing, {path: value})
        for holder in example.held_by:
            bench.remove(bench.requests[holder])
        _is_gone_when_deleted(bench, is_asked_twice=TWICE not in reasons().get(name, {}))


@pytest.mark.parametrize("name", TYPES)
def test_what_an_example_does_not_try_is_listed_with_its_reason(name: TypeName) -> None:
    listed = {word for word in reasons().get(name, {}) if not word.startswith(KEPT)}
    assert untried(name) == listed - {MARK, ADOPTED, ONCE, TWICE}


def test_nothing_is_excused_that_has_no_example() -> None:
    assert reasons().keys() <= EXAMPLES.keys()


def _is_as_declared(bench: Bench) -> None:
    request = bench.requests[THING]
    item = bench.ready(request)
    assert bench.differing(request, item) == (), f"declared {request.properties}, shown {item.properties}"
    before = len(bench.case.ops.all)
    assert isinstance(bench.until_done(bench.provider.modify, replace(request, observed=item.properties)), Done)
    assert [op.operation for op in bench.case.ops.all[before:]] == [], "it is as declared, and was changed"


def _is_shared_with_nothing(bench: Bench, thing: Example) -> None:
    """A successor at another address is another thing, or the type says that the first must go before.

    Otherwise the deletion of the one takes away what the other stands for.
    """
    first, second = bench.requests[THING], bench.request(thing, name=LogicalId("Successor"))
    standing = an_object(first.object_id, type=first.type, desired=first.properties, physical_id=first.physical_id)
    is_exclusive = bool(Holders([standing], bench.types).of(second.type, second.properties))
    if is_exclusive or ONCE in reasons().get(thing.type, {}):
        return
    outcome = bench.until_done(bench.provider.create, second)  # A refusal ends the test: two of them cannot be.
    assert isinstance(outcome, Done)
    assert outcome.physical_id != first.physical_id, "another one is the same thing, and no property is exclusive"
    bench.remove(replace(second, physical_id=outcome.physical_id, attributes={**outcome.attributes}))


def _is_marked_and_found_again(bench: Bench) -> None:
    """The thing carries our mark, and is found by the request alone."""
    if any(name.endswith("Tags") for name in bench.types[bench.requests[THING].type].when_absent):
        bench.check_marked(bench.requests[THING])
    asked = replace(bench.requests[THING], physical_id=None, observed=None, attributes={})
    (found,) = bench.provider.find(bench.partition, [asked])
    assert found is not None, "it would be made a second time"
    assert found.physical_id == bench.requests[THING].physical_id


def _drifts_and_is_repaired(bench: Bench, other_writer: AwsProvider, change: Mapping[str, Any]) -> None:
    """Another writer changes a property, as an update would; it is seen, and put back in place."""
    request = bench.requests[THING]
    if change.keys() <= bench.types[request.type].write_only:
        _is_sent_once(bench, change)
        return
    drifted = replace(request, properties={**request.properties, **bench.resolved(change)})
    [path] = change
    is_shared = bench.types[request.type].compare_as.get(path) is Comparison.SHARED
    # Another writer has no notes of ours.
    notes = {} if is_shared else request.attributes
    bench.until_done(other_writer.modify, replace(drifted, observed=request.observed, attributes=notes))
    item = bench.ready(drifted)
    assert bench.differing(drifted, item) == (), f"{change} was set, and {item.properties} is shown"
    if is_shared:
        assert path not in bench.differing(request, item), f"another writer added to {path}, and that is no drift"
        bench.requests[THING] = replace(request, observed=item.properties)
        _takes_out_its_own(bench, path, value=bench.resolved(change)[path])
    elif path in request.properties or path in bench.types[request.type].when_absent:
        assert path in bench.differing(request, item), f"{path} drifted, and a sweep does not show it"
        repaired = bench.configure(request)
        assert bench.differing(request, bench.ready(repaired)) == (), f"{path} was not repaired"
        assert repaired.physical_id == request.physical_id
    else:
        bench.requests[THING] = replace(request, observed=item.properties)


def _takes_out_its_own(bench: Bench, path: str, value: Any) -> None:
    """An update takes a member of another writer out of a list only after it was declared, and is not any more."""
    before = bench.requests[THING]
    there = before.observed or {}
    again = bench.configure(replace(before, properties={**before.properties, path: before.properties.get(path, [])}))
    assert len((again.observed or {})[path]) == len(there[path]), f"what another writer added to {path} was taken out"
    declared = bench.configure(replace(before, properties={**before.properties, path: value}))
    alone = bench.configure(replace(declared, properties={**before.properties, path: before.properties.get(path, [])}))
    assert not means_same(value, (alone.observed or {})[path], bench.types[before.type].compare_as, path)
    bench.requests[THING] = replace(alone, properties=before.properties)


def _changes_all_at_once(bench: Bench, changed: JsonMap) -> None:
    """Changes that share a call are billed once."""
    request = bench.requests[THING]
    asked = replace(request, properties={**request.properties, **bench.resolved(changed)})
    shown = bench.ready(request)
    changes = [
        Change(path=path, before=shown.properties.get(path), after=asked.properties.get(path))
        for path in bench.differing(asked, shown)
    ]
    before = len(bench.case.ops.all)
    bench.until_done(bench.provider.modify, replace(asked, observed=shown.properties))
    costs_what_its_bill_says(bench, request, StepKind.CHANGE, bench.case.ops.all[before:], changes)
    bench.requests[THING] = request
    bench.configure(request)


def _goes_back_when_taken_out(bench: Bench, example: BlockExample) -> None:
    """A property that is not declared any more gets its default back, and is shown so; the bill knows the calls."""
    request = bench.requests[THING]
    facts = bench.types[request.type]
    kept = {word.removeprefix(KEPT) for word in reasons().get(example.type, {})}
    known = {path: value for path, value in facts.defaults.items() if path not in facts.write_only | kept}
    before = {**example.properties, **example.changed}
    alone = {path for group in facts.synonyms if len(before.keys() & {*group}) > 1 for path in group}
    taken = {path: known[path] for path in sorted(known.keys() & before.keys() - alone - facts.required)}
    if not taken:
        return
    bench.requests[THING] = replace(request, properties={**request.properties, **bench.resolved(before)})
    back, _ = gives_back(bench, bench.configure(bench.requests[THING]), taken)
    bench.requests[THING] = replace(request, observed=back.observed)
    bench.configure(bench.requests[THING])


def _moves_and_comes_back(bench: Bench, change: Mapping[str, Any]) -> None:
    """A property that is a part of the id is changed in place: the thing answers to its new id, and is not remade."""
    before = bench.requests[THING]
    for properties in ({**before.properties, **bench.resolved(change)}, before.properties):
        request = replace(bench.requests[THING], properties=properties)
        outcome = bench.until_done(bench.provider.modify, request)
        assert isinstance(outcome, Done)
        assert outcome.physical_id is not None
        moved = replace(request, physical_id=outcome.physical_id)
        bench.requests[THING] = replace(moved, observed=bench.ready(moved).properties)
        assert bench.differing(moved, bench.ready(moved)) == ()
    assert bench.requests[THING].physical_id == before.physical_id


def _is_sent_once(bench: Bench, change: Mapping[str, Any]) -> None:
    """A value that is never shown is sent when another one is declared, and not again."""
    request = bench.requests[THING]
    before = len(bench.case.ops.all)
    made = replace(request, properties={**request.properties, **change})
    for _ in range(2):
        outcome = bench.until_done(bench.provider.modify, made)
        assert isinstance(outcome, Done)
        made = replace(made, attributes={**made.attributes, **outcome.attributes})
    assert len(bench.case.ops.all) - before == 1, f"{change} was sent {len(bench.case.ops.all) - before} times"
    bench.requests[THING] = made


def _is_replaced(bench: Bench, example: Example, change: Mapping[str, Any]) -> None:
    """Another value that only a new thing can have: the planner knows, and the new thing shows it."""
    [path] = change
    old = bench.requests[THING]
    facts = bench.types[old.type]
    assert path in facts.create_only or not facts.mutable, f"{path} would be changed in place"
    after = {**example.properties, **change}
    named = [{name.removesuffix(MAY_BE_ABSENT) for name in group} for group in facts.exclusive]
    if any(group <= after.keys() and path not in group for group in named):
        bench.remove(old)
    new = bench.make(bench.request(example, LogicalId("Another"), after))
    assert bench.differing(new, bench.ready(new)) == ()
    bench.remove(new)
    if THING not in bench.requests:
        bench.make(bench.request(example))


def _is_gone_when_deleted(bench: Bench, *, is_asked_twice: bool) -> None:
    request: Request = bench.requests[THING]
    before = len(bench.case.ops.all)
    bench.remove(request)
    costs_what_its_bill_says(bench, request, StepKind.REMOVE, bench.case.ops.all[before:])
    if not is_asked_twice:
        return
    shown = bench.sweep(request.type, [request]).get(request.physical_id or PhysicalId(""))
    assert shown is None or shown.is_ending, f"it was deleted, and is still there: {shown}"
    (again,) = bench.provider.delete(bench.partition, [request])
    assert isinstance(again, Done), f"it was deleted before: {again}"
