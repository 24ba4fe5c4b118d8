"""The duties of every provider about the owner of a thing: marks, claims, and the things of others. Part of
`provider_conformance`."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from tenuto.model.ids import JsonMap, LogicalId, ObjectId
from tenuto.model.outcome import Done, Request
from tenuto_testing.provider_bench import Bench, ProviderCase


def ownership_is_not_shown_among_the_tags(case: ProviderCase) -> None:
    with Bench(case) as bench:
        for request in bench.make_all():
            keys = _tag_keys(bench.ready(request).properties)
            assert keys == _tag_keys(request.properties), request.logical_id


def a_disclaimed_thing_stays_as_it_is_and_is_nobodys(case: ProviderCase) -> None:
    with Bench(case) as bench:
        for request in bench.make_all():
            before = bench.ready(request)
            for _ in range(2):
                (outcome,) = case.provider.disclaim(case.partition, [request])
                assert isinstance(outcome, Done), f"{request.logical_id}: {outcome}"
            after = bench.ready(request)
            assert after.owner is None, f"{request.logical_id} still belongs to {after.owner}"
            assert after.properties == before.properties, f"{request.logical_id} was changed by letting it go"


def a_claimed_thing_belongs_to_its_new_owner_and_is_otherwise_as_it_was(case: ProviderCase) -> None:
    with Bench(case) as bench:
        for request in bench.make_all():
            before = bench.ready(request)
            case.provider.disclaim(case.partition, [request])
            heir = _heir(case, request)
            for _ in range(2):
                (outcome,) = case.provider.claim(case.partition, [heir])
                assert isinstance(outcome, Done), f"{request.logical_id}: {outcome}"
            after = bench.ready(heir)
            assert after.owner in (None, bench.owner(heir)), f"{request.logical_id} belongs to {after.owner}"
            assert (after.owner is None) == (before.owner is None), f"{request.logical_id} has tags, but no owner"
            assert after.properties == before.properties, f"{request.logical_id} was changed by claiming it"


def what_another_owner_claimed_is_not_disclaimed(case: ProviderCase) -> None:
    with Bench(case) as bench:
        for request in bench.make_all():
            heir = _heir(case, request)
            case.provider.claim(case.partition, [heir])
            (outcome,) = case.provider.disclaim(case.partition, [request])
            assert isinstance(outcome, Done), f"{request.logical_id}: {outcome}"
            found = bench.ready(heir).owner
            assert found is None or found.object_id == heir.object_id, f"{request.logical_id} belongs to {found}"


def what_is_gone_is_disclaimed_already(case: ProviderCase) -> None:
    with Bench(case) as bench:
        made = bench.make_all()
        bench.remove_all()
        for request in made:
            (outcome,) = case.provider.disclaim(case.partition, [request])
            assert isinstance(outcome, Done), f"{request.logical_id} is gone, and disclaiming it gave {outcome}"


def an_object_of_another_process_is_not_found(case: ProviderCase) -> None:
    with Bench(case) as bench:
        for request in bench.make_all():
            if bench.ready(request).owner is None:
                continue
            stranger = replace(request, object_id=ObjectId(case.ids.new("object")), physical_id=None)
            stranger = replace(stranger, token=stranger.object_id)
            (found,) = case.provider.find(case.partition, [stranger])
            is_ours = found is not None and found.owner == bench.owner(request)
            assert not is_ours, f"{request.logical_id} was found for a request that did not make it"


def _heir(case: ProviderCase, request: Request) -> Request:
    """The same thing, as another object would have it."""
    return replace(request, object_id=ObjectId(case.ids.new("object")), logical_id=LogicalId("Heir"))


def _tag_keys(properties: JsonMap) -> list[str]:
    """Tags are a list of keys and values, or a mapping."""
    tags = properties.get("Tags") or ()
    return sorted(tags if isinstance(tags, Mapping) else (str(tag["Key"]) for tag in tags))


CHECKS: tuple[Callable[[ProviderCase], None], ...] = (
    ownership_is_not_shown_among_the_tags,
    a_disclaimed_thing_stays_as_it_is_and_is_nobodys,
    a_claimed_thing_belongs_to_its_new_owner_and_is_otherwise_as_it_was,
    what_another_owner_claimed_is_not_disclaimed,
    what_is_gone_is_disclaimed_already,
    an_object_of_another_process_is_not_found,
)
