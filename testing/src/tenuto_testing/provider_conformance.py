"""The duties of every provider: the contract of `ports.provider` as checks that a test runs one by one.

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_the_provider_conforms(check):
        check(ProviderCase(provider=…, …))

Each check makes its own things and deletes them. A check fails with an AssertionError that names the example.
"""

import re
from collections.abc import Callable
from dataclasses import replace

from tenuto.core.language import resolve
from tenuto.errors import PermanentError
from tenuto.model.ids import Instant, LogicalId, PhysicalId
from tenuto.model.outcome import Done, Pending, Refused, Request
from tenuto_testing import provider_checks_ownership
from tenuto_testing.provider_bench import PATIENCE, Bench, Example, ProviderCase

__all__ = ["CHECKS", "Bench", "Example", "ProviderCase"]


def types_are_always_the_same_and_well_formed(case: ProviderCase) -> None:
    types = case.provider.types()
    assert types == case.provider.types()
    for name, facts in types.items():
        assert facts.name == name
        assert facts.provider == case.provider.name
        assert facts.source, f"{name} has no source"
        for path, naming in facts.namings.items():
            groups = re.compile(naming.qualified).groupindex.keys()
            assert groups == {"where", "name"}, f"{name} {path}: a qualified name has the groups {sorted(groups)}"


def a_name_that_the_provider_does_not_know_is_missing_from_the_answer(case: ProviderCase) -> None:
    names = ["alias/unknown", "no name at all"]
    for partition in (case.partition, case.unknown_partition):
        if partition is not None:
            assert case.provider.pointed_at(partition, names, Instant(0.0)) == {}


def every_example_has_a_known_type(case: ProviderCase) -> None:
    assert {example.type for example in case.examples} <= case.provider.types().keys()


def a_sweep_answers_for_every_type_of_its_source(case: ProviderCase) -> None:
    types = case.provider.types()
    for source in sorted({types[example.type].source for example in case.examples}):
        sweeps = case.provider.sweep(case.partition, source, {})
        expected = {name for name, facts in types.items() if facts.source == source}
        assert sweeps.keys() == expected, f"source {source}"
        for name, sweep in sweeps.items():
            assert (sweep.type, sweep.partition) == (name, case.partition)


def nothing_is_found_before_it_was_made(case: ProviderCase) -> None:
    bench = Bench(case)
    roots = [example for example in case.examples if not _refers(example)]
    requests = [bench.request(example) for example in roots]
    assert list(case.provider.find(case.partition, requests)) == [None] * len(requests)


def a_made_thing_shows_what_was_declared_and_whose_it_is(case: ProviderCase) -> None:
    with Bench(case) as bench:
        for request in bench.make_all():
            item = bench.ready(request)
            assert bench.differing(request, item) == (), f"{request.logical_id} shows {item.properties}"
            assert item.owner in (None, bench.owner(request)), f"{request.logical_id} belongs to {item.owner}"
            if "Tags" in bench.types[request.type].when_absent:
                bench.check_marked(request)


def what_is_write_only_is_never_shown(case: ProviderCase) -> None:
    with Bench(case) as bench:
        for request in bench.make_all():
            assert not bench.types[request.type].write_only & bench.ready(request).properties.keys()


def two_sweeps_of_an_unchanged_world_are_equal(case: ProviderCase) -> None:
    with Bench(case) as bench:
        for request in bench.make_all():
            assert bench.ready(request) == bench.ready(request)


def a_made_thing_is_found_again_by_its_request(case: ProviderCase) -> None:
    with Bench(case) as bench:
        made = bench.make_all()
        asked = [replace(request, physical_id=None, observed=None, attributes={}) for request in made]
        for order in (asked, list(reversed(asked))):
            found = case.provider.find(case.partition, order)
            ids = [item.physical_id if item else None for item in found]
            assert ids == [bench.requests[request.logical_id].physical_id for request in order]


def a_lost_answer_makes_no_second_thing(case: ProviderCase) -> None:
    """The way of the Conductor: look for a thing, and create it only when it was not found."""
    with Bench(case) as bench:
        for request in bench.make_all():
            again = replace(request, physical_id=None, observed=None, attributes={})
            (found,) = case.provider.find(case.partition, [again])
            assert found is not None, f"{request.logical_id} would be made a second time"
            mine = [item for item in bench.sweep(request.type).values() if item.owner == bench.owner(request)]
            assert len(mine) <= 1


def answers_come_in_the_order_of_the_requests(case: ProviderCase) -> None:
    with Bench(case) as bench:
        for example in case.examples:
            if _refers(example) or not example.copies:
                continue
            names = [LogicalId(f"{example.name}{number}") for number in range(3)]
            requests = [bench.request(example, name) for name in names]
            outcomes = case.provider.create(case.partition, requests)
            assert len(outcomes) == len(requests)
            made: list[Request] = []
            for request, outcome in zip(requests, outcomes, strict=True):
                assert isinstance(outcome, Done), outcome
                made.append(replace(request, physical_id=outcome.physical_id))
                bench.requests[request.logical_id] = made[-1]
            for request in made:
                owner = bench.ready(request).owner
                assert owner in (None, bench.owner(request)), "an answer belongs to another request"


def one_refusal_leaves_the_others_of_the_call_alone(case: ProviderCase) -> None:
    good = next((example for example in case.examples if not _refers(example)), None)
    if case.impossible is None or good is None:
        return
    with Bench(case) as bench:
        requests = [bench.request(case.impossible), bench.request(good)]
        refused, done = case.provider.create(case.partition, requests)
        assert isinstance(refused, Refused), refused
        assert refused.message
        assert isinstance(done, Done), done
        bench.requests[good.name] = replace(requests[1], physical_id=done.physical_id)


def what_is_as_declared_is_not_changed(case: ProviderCase) -> None:
    with Bench(case) as bench:
        for request in bench.make_all():
            before = len(case.ops.all)
            (outcome,) = case.provider.modify(case.partition, [request])
            assert isinstance(outcome, Done), f"{request.logical_id}: {outcome}"
            changed = [op.operation for op in case.ops.all[before:]]
            assert not changed, f"{request.logical_id} is as declared, and {changed} changed it"


def a_change_in_place_arrives_and_drift_is_repaired(case: ProviderCase) -> None:
    with Bench(case) as bench:
        bench.make_all()
        for example in case.examples:
            if not example.drift:
                continue
            request = bench.requests[example.name]
            drifted = replace(request, properties={**request.properties, **bench.resolved(example.drift)})
            bench.configure(drifted)
            item = bench.ready(request)
            assert bench.differing(drifted, item) == (), f"{example.name} was changed, and shows {item.properties}"
            assert bench.differing(request, item), f"{example.name} drifted, and a sweep does not show it"
            repaired = bench.configure(request)
            assert bench.differing(request, bench.ready(repaired)) == (), f"{example.name} was not repaired"
            assert repaired.physical_id == request.physical_id


def deletion_is_done_when_the_thing_is_gone(case: ProviderCase) -> None:
    with Bench(case) as bench:
        made = bench.make_all()
        for request in reversed(made):
            bench.remove(request)
            item = bench.sweep(request.type, [request]).get(request.physical_id or PhysicalId(""))
            assert item is None or item.is_ending, f"{request.logical_id} is still there: {item}"


def deleting_twice_is_like_deleting_once(case: ProviderCase) -> None:
    with Bench(case) as bench:
        made = bench.make_all()
        bench.remove_all()
        for request in made:
            (outcome,) = case.provider.delete(case.partition, [request])
            assert isinstance(outcome, Done), f"{request.logical_id} was deleted before: {outcome}"


def what_is_still_used_is_not_deleted(case: ProviderCase) -> None:
    if not case.is_strict:
        return
    with Bench(case) as bench:
        bench.make_all()
        used = {name for example in case.examples for name in _references(example)}
        for name in sorted(used - case.free):
            request = bench.requests[LogicalId(name)]
            (outcome,) = case.provider.delete(case.partition, [request])
            assert isinstance(outcome, Pending), f"{name} is used, and its deletion gave {outcome}"
            assert outcome.message, f"{name}: people must be told what it waits for"
            assert request.physical_id in bench.sweep(request.type), f"{name} is used, and is gone"


def the_world_is_as_it_was_before(case: ProviderCase) -> None:
    bench = Bench(case)
    names = sorted({example.type for example in case.examples})
    before = {name: _standing(bench, name) for name in names}
    with bench:
        bench.make_all()
    after = {name: _standing(bench, name) for name in names}
    for _ in range(PATIENCE):
        if after == before:
            break
        case.wait(2.0)  # a thing that is gone may be listed for a while
        after = {name: _standing(bench, name) for name in names}
    left = {name: sorted(after[name] ^ before[name]) for name in names if after[name] != before[name]}
    assert after == before, f"not as before: {left}"


def an_unknown_partition_is_an_error(case: ProviderCase) -> None:
    if case.unknown_partition is None:
        return
    source = case.provider.types()[case.examples[0].type].source
    try:
        case.provider.sweep(case.unknown_partition, source, {})
    except PermanentError:
        return
    raise AssertionError(f"{case.unknown_partition} was looked at")


def _standing(bench: Bench, name: str) -> frozenset[PhysicalId]:
    items = bench.sweep(next(known for known in bench.types if known == name))
    return frozenset(found for found, item in items.items() if not item.is_ending)


def _refers(example: Example) -> bool:
    return bool(_references(example))


def _references(example: Example) -> tuple[str, ...]:
    return resolve.referenced_resources(example.properties)


CHECKS: tuple[Callable[[ProviderCase], None], ...] = (
    types_are_always_the_same_and_well_formed,
    every_example_has_a_known_type,
    a_name_that_the_provider_does_not_know_is_missing_from_the_answer,
    a_sweep_answers_for_every_type_of_its_source,
    nothing_is_found_before_it_was_made,
    a_made_thing_shows_what_was_declared_and_whose_it_is,
    what_is_write_only_is_never_shown,
    two_sweeps_of_an_unchanged_world_are_equal,
    a_made_thing_is_found_again_by_its_request,
    a_lost_answer_makes_no_second_thing,
    answers_come_in_the_order_of_the_requests,
    one_refusal_leaves_the_others_of_the_call_alone,
    what_is_as_declared_is_not_changed,
    a_change_in_place_arrives_and_drift_is_repaired,
    deletion_is_done_when_the_thing_is_gone,
    deleting_twice_is_like_deleting_once,
    what_is_still_used_is_not_deleted,
    the_world_is_as_it_was_before,
    an_unknown_partition_is_an_error,
    *provider_checks_ownership.CHECKS,
)
