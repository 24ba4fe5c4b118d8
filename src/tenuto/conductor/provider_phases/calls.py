"""Bulk calls of the phases that call providers: a verdict for each answer, and the wait for sweeps.

Theory of operation. A call is made once per run and provider, for all objects that are ready for it. An answer is Done,
Pending (the object sleeps with back-off) or Refused (the phase fails).

That something else holds a thing is a fault that may pass, too: a network interface of a balancer goes some minutes
after its balancer. But when it has lasted for as long as the Conductor is patient, it will not end, and the phase fails
with the holder's name instead of asking for ever.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from tenuto.conductor.leading.tempo import Tempo
from tenuto.conductor.provider_phases.lost_creations import LostCreations
from tenuto.conductor.provider_phases.verdicts import as_sent, give_verdict, read_secrets
from tenuto.conductor.providing.providers import ProviderTypes, place_of
from tenuto.conductor.providing.requests import MaskedProvider, Requests
from tenuto.core.language.expressions import KEPT_SECRET
from tenuto.core.pacing.cadence import backoff_s
from tenuto.core.pacing.visibility import is_new
from tenuto.core.phases import attempts
from tenuto.core.planning.comparing.references import Answers
from tenuto.errors import TransientError, UnconfirmedError
from tenuto.kit.evolve import evolve
from tenuto.model.consistency import Consistency
from tenuto.model.ids import Fid, Instant, Partition
from tenuto.model.observation import ObservedItem, Presence
from tenuto.model.outcome import Done, Outcome, Pending, Refused, Request
from tenuto.model.resource import ManagedObject
from tenuto.model.secret_reference import SealedReference
from tenuto.ports.observations import Observations
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.ports.provider import Provider
from tenuto.ports.secrets import Secrets, place_of_attribute
from tenuto.ports.store_reads import ObjectReads, ProcessReads

ASK_AGAIN_S = 5.0
SWEEP_AFTER_S = 0.5
"""The seconds between a run and a sweep that shows its effect: the sweep must begin after the run is stored."""
SWEEP_AGAIN_S = 2.0
SAID_TO_BE_GONE = "SaidToBeGone"
FIRST_SWEEP_S = 0.2
"""A new thing is usually visible at once; the wait for it doubles from here."""
LONGEST_SWEEP_S = 5.0
"""One sweep shows everything of its type, so a long wait costs a call or two per five seconds, not one per resource."""
PATIENT_AFTER = 120
"""After so many sweeps, which is about ten minutes, the wait may last for days: an account that cannot be entered."""
PATIENT_SWEEP_S = 30.0

Call = Callable[[Partition, Sequence[Request]], Sequence[Outcome]]


class _Reads(ProcessReads, ObjectReads, Protocol):
    """The reads that tell the secrets of a request, and which object a real thing is recorded with."""


class ProviderCalls:
    """Calls to one set of providers. Keeps nothing between runs."""

    def __init__(
        self,
        *,
        providers: Mapping[str, Provider],
        types: ProviderTypes,
        observations: Observations,
        store: _Reads,
        secrets: Secrets,
        tempo: Tempo,
    ) -> None:
        self.observations = observations
        self.store = store
        self._providers = {name: MaskedProvider(provider) for name, provider in providers.items()}
        self._types = types
        self._secrets = secrets
        self._tempo = tempo
        self.lost = LostCreations(types=types, store=store, by_provider=self.by_provider)

    def requests(self, run: PhaseRun) -> Requests:
        """The builder of the requests of one run."""
        return Requests(self.store, self._secrets, [one.object for one in run.resources])

    def opened(self, run: PhaseRun, resources: Sequence[PhaseResource], requests: Requests) -> list[PhaseResource]:
        """Return the resources whose secrets are known. Those that the provider keeps are read here, for each resource
        by itself: one that may not be read, or is not there yet, holds up the resources that refer to it and nothing
        else.
        """
        known = [one for one in resources if not requests.missing(as_sent(one.object, one.act))]
        for provider, group in self.by_provider([one for one in resources if one not in known]):
            for one in group:
                outcome = read_secrets(provider, run.partition, one, requests)
                if outcome is None:
                    known.append(one)
                else:
                    give_verdict(run, one, self.patient(run, one, outcome))
        return [one for one in resources if one in known]

    def by_provider(self, resources: Sequence[PhaseResource]) -> list[tuple[MaskedProvider, list[PhaseResource]]]:
        names = sorted({one.object.provider for one in resources if one.object.provider})
        return [(self._providers[name], [one for one in resources if one.object.provider == name]) for name in names]

    def _consistency(self, one: PhaseResource) -> Consistency:
        return self._types.facts(one.object).consistency

    def judge(
        self,
        run: PhaseRun,
        resources: Sequence[PhaseResource],
        requests: Requests,
        call: Call,
        seen: Mapping[str, ObservedItem] | None = None,
    ) -> None:
        """One bulk call, and a verdict for each answer."""
        observed = seen or {}
        for one in resources:
            one.act = attempts.sent(one.act, run.now)
        asked = [self._request(one, requests, observed) for one in resources]
        try:
            outcomes = call(run.partition, asked)
        except TransientError as error:
            # Nothing is known of any of them, so the intents stay.
            pending = Pending(
                message=str(error), code=error.code, request_id=error.request_id, is_throttled=error.is_throttled
            )
            outcomes = [pending] * len(resources)
        except UnconfirmedError as error:
            # Nothing was sent. It may be a while, and then all goes on.
            kept_out = Pending(message=str(error), code=error.code, request_id=error.request_id, is_undone=True)
            outcomes = [kept_out] * len(resources)
        for one, answer in zip(resources, outcomes, strict=True):
            outcome = self._sealed(one, answer)
            one.act = attempts.heard(one.act, outcome)
            believed = self.patient(run, one, self._certain(run, one, outcome))
            if isinstance(believed, Done):
                one.act = attempts.answered(one.act)
            give_verdict(run, one, believed)

    def _sealed(self, one: PhaseResource, outcome: Outcome) -> Outcome:
        """Return the outcome with a reference to the seal of each attribute that the provider told once."""
        if not isinstance(outcome, Done) or not outcome.told_once:
            return outcome
        object_id, fid = one.object.object_id, one.object.fid or Fid("")
        seals = {
            name: SealedReference(
                object_id=object_id,
                attribute=name,
                seal=self._secrets.seal(text, place_of_attribute(fid, object_id, name)),
            )
            for name, text in outcome.told_once.items()
        }
        references = {name: {KEPT_SECRET: str(reference)} for name, reference in seals.items()}
        return replace(outcome, attributes={**outcome.attributes, **references}, told_once={})

    def _certain(self, run: PhaseRun, one: PhaseResource, outcome: Outcome) -> Outcome:
        """Return the outcome, or, where it says that there is no such thing and that may be wrong, one that asks again.

        Of a new thing it means nothing, unless the deletion is known to be under way. Of others it is believed when a
        sweep after our last change does not show it either: a proxy on the way to the provider may say so, too.
        """
        if not isinstance(outcome, Done) or not outcome.was_absent or one.act.is_under_way:
            return outcome
        if is_new(one.object, run.now, self._consistency(one)):
            message = f"the provider does not show {one.physical_id}, which was made just now; Tenuto asks again"
            return Pending(message=message, delay_s=ASK_AGAIN_S)
        presence = self.observations.observe(one.object).presence
        if one.object.physical_id is None or presence in (Presence.ABSENT, Presence.DOUBTFUL):
            return outcome
        self.observations.ask(*place_of(one.object), Instant(run.now + SWEEP_AFTER_S), [one.object])
        message = f"{one.physical_id} is gone, says the provider; Tenuto checks once more before it believes that"
        # Of a thing that cannot be seen nothing is known; a thing that is shown again and again is there, also
        # when the call says that it is gone.
        return Pending(
            message=message,
            code=SAID_TO_BE_GONE,
            delay_s=SWEEP_AGAIN_S,
            is_held=presence is Presence.PRESENT,
            hint=f"Its lists show it all the same: delete {one.physical_id} there, or 'resume' to ask again.",
        )

    def patient(self, run: PhaseRun, one: PhaseResource, outcome: Outcome) -> Outcome:
        """Return the outcome, or a refusal where it has been held for longer than patience lasts."""
        one.act = attempts.held(one.act, outcome, run.now)
        if not isinstance(outcome, Pending) or not outcome.is_held or one.act.held_since is None:
            return outcome
        held_s = run.now - one.act.held_since
        patience_s = self._tempo.patience_s
        if held_s < (patience_s if outcome.patience_s is None else min(patience_s, outcome.patience_s)):
            return outcome
        return Refused(
            message=f"{outcome.message.rstrip('.')}, for {_held_text(held_s)} now",
            code=outcome.code,
            request_id=outcome.request_id,
            hint=outcome.hint or "Remove what holds it, or let it stay by DeletionPolicy: Retain.",
            keeps_doubt=True,
        )

    def _request(self, one: PhaseResource, requests: Requests, observed: Mapping[str, ObservedItem]) -> Request:
        """The request for one, with the id and the attributes that this very run may have found."""
        item = observed.get(one.object.object_id)
        request = requests.of(as_sent(one.object, one.act), item.seen_by(one.object.desired) if item else None)
        return evolve(
            request,
            physical_id=one.physical_id,
            attributes=dict(one.attributes),
            progress=one.act.progress,
            sent_at=one.act.sent_at,
            stood=one.act.stood,
            asked=self._asked(one.object),
        )

    def _asked(self, found: ManagedObject) -> frozenset[str]:
        """The attributes that the composition asks of a resource that tells them all at its end; none of any other."""
        facts = self._types.of(found.provider).get(found.type)
        process = self.store.process(found.fid) if found.fid and facts and facts.tells_its_end else None
        composition = process and self.store.composition(process.composition_digest)
        return Answers(composition).asked_of(found.logical_id) if composition else frozenset()

    def wait_for_sweep(self, run: PhaseRun, one: PhaseResource, message: str) -> None:
        """Let the resource sleep until the next sweep, and ask for one."""
        delay = _next_try_s(run, one)
        self.observations.ask(*place_of(one.object), Instant(run.now + delay / 2), [one.object])
        run.sleep(one, delay, message)

    def wait_for_everything(self, run: PhaseRun, one: PhaseResource, message: str) -> None:
        """Sleep until the next sweep of all that there is, which is wished for at once."""
        self.observations.ask(*place_of(one.object), run.now, is_whole=True)
        run.sleep(one, _next_try_s(run, one), message)


def _held_text(seconds: float) -> str:
    """A span: below two minutes in seconds, since a short patience would be `0 minutes`."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"


def _next_try_s(run: PhaseRun, one: PhaseResource) -> float:
    """Count a try, and return the seconds until the next one.

    They are the same for all resources that wait together: one sweep answers them in one run.
    """
    one.act = attempts.tried(one.act)
    longest_s = LONGEST_SWEEP_S if one.act.tries <= PATIENT_AFTER else PATIENT_SWEEP_S
    return backoff_s(one.act.tries, run.phase, first_s=FIRST_SWEEP_S, longest_s=longest_s)


class Handler:
    """A bound method as a phase."""

    def __init__(self, handle: Callable[[PhaseRun], None]) -> None:
        self._handle = handle

    def handle(self, run: PhaseRun) -> None:
        self._handle(run)
