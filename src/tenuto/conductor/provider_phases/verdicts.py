"""Verdicts: the end of a call for one resource, by the outcome of its provider.

A resource keeps the id of each outcome that tells one, also of one that is not the end.
"""

from dataclasses import replace

from tenuto.conductor.providing.requests import MaskedProvider, Requests
from tenuto.core.pacing.cadence import backoff_s
from tenuto.core.phases import attempts
from tenuto.core.planning.comparing.references import told
from tenuto.errors import ProviderError, TransientError, UnconfirmedError
from tenuto.kit.evolve import evolve
from tenuto.model.attempt import Attempt
from tenuto.model.ids import JsonMap, Partition, PhaseName, PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Pending, Refused, Request
from tenuto.model.phase_map import seconds_problem
from tenuto.model.resource import ManagedObject
from tenuto.ports.phase import PhaseResource, PhaseRun


def take(one: PhaseResource, item: ObservedItem) -> None:
    """Store the physical id and the attributes that the provider shows: `Ref` and `Fn::GetAtt` read them."""
    one.physical_id = PhysicalId(item.physical_id)
    _answer(one, item.attributes)


def _answer(one: PhaseResource, attributes: JsonMap) -> None:
    for name, value in told(one.object.desired, attributes).items():
        one.attributes[name] = value


def claimed(provider: MaskedProvider, partition: Partition, request: Request, item: ObservedItem) -> Outcome:
    """Claim the found thing with our mark if it can carry one and has none: the call that writes it may be lost."""
    found = Done(physical_id=item.physical_id, attributes=item.attributes)
    if item.owner is not None:
        return found
    [outcome] = provider.claim(
        partition, [replace(request, physical_id=item.physical_id, attributes=dict(item.attributes))]
    )
    return found if isinstance(outcome, Done) else outcome


def give_verdict(run: PhaseRun, one: PhaseResource, outcome: Outcome) -> None:
    """Complete, put off or fail a resource by its outcome."""
    match outcome:
        case Done():
            if outcome.physical_id is not None:
                one.physical_id = outcome.physical_id
            _answer(one, outcome.attributes)
            run.complete(one)
        case Pending():
            if outcome.physical_id is not None:
                one.physical_id = outcome.physical_id
            one.act = attempts.put_off(one.act, outcome, _before(run, one), run.now)
            is_wish = outcome.delay_s is not None and not seconds_problem(outcome.delay_s)
            delay = outcome.delay_s if is_wish else backoff_s(one.act.tries, one.object.object_id)
            run.sleep(one, delay, outcome.message, code=outcome.code, request_id=outcome.request_id)
        case Refused():
            if outcome.physical_id is not None:
                one.physical_id = outcome.physical_id
            _answer(one, outcome.attributes)
            one.act = attempts.refused(one.act, outcome, _before(run, one), run.now)
            run.fail(one, outcome.told, code=outcome.code, request_id=outcome.request_id)


def read_secrets(
    provider: MaskedProvider, partition: Partition, one: PhaseResource, requests: Requests
) -> Outcome | None:
    """Read the secrets of a resource that the provider keeps. Return the outcome for it; None when all are known.

    No message holds the value of a secret (`ports.provider.Provider.lookup`).
    """
    found = as_sent(one.object, one.act)
    wanted = requests.missing(found)
    if not wanted:
        return None
    try:
        requests.learn(partition, provider.lookup(partition, wanted))
    except (TransientError, UnconfirmedError) as error:
        return Pending(
            message=str(error),
            code=error.code,
            request_id=error.request_id,
            is_undone=True,
            is_throttled=error.is_throttled,
        )
    except ProviderError as error:
        return Refused(message=str(error), code=error.code, request_id=error.request_id, keeps_doubt=True)
    missing = requests.missing(found)
    if not missing:
        return None
    told = ", ".join(f"{{{{{name}}}}}" for name in missing)
    return Pending(
        message=f"the provider has no secret text for {told}",
        code="NoSecret",
        is_undone=True,
        is_held=True,
        hint="Create it there, with the member and the version that are named, or correct the reference.",
    )


def as_sent(found: ManagedObject, act: Attempt) -> ManagedObject:
    """The object with the properties that a creation without a known end was sent with, where these are kept."""
    return evolve(found, desired=act.sent_as) if act.sent_as else found


def _before(run: PhaseRun, one: PhaseResource) -> Attempt:
    """The attempt as it was stored before the run."""
    return one.object.phases[PhaseName(run.phase)].act
