"""The phases of every managed resource, whatever its provider: create, await, configure, delete.

Theory of operation. A provider only knows calls; these four phases turn them into a walk that may be interrupted
anywhere. Each is bulk and asks the provider once per run.

*Create* (Allocation) saves an intent before it calls. After a crash, or an answer that never came, the intent is still
there: then the provider is asked what exists under our token, and only when nothing has appeared for `SETTLE_S` is the
create tried again, with the same token. *Await* (Initialization) never polls one object: it reads the reflector's bulk
look, and wishes for the next one. *Configure* (Configuration) brings to the declared properties what creation could
not set, what an update changed and what drifted; it is the only place that modifies. *Delete* (Deallocation) asks until
the thing is gone for sure.

A fault that may pass puts the object to sleep with back-off; only what cannot help itself fails (DECISIONS 4).
"""

from collections.abc import Callable, Mapping, Sequence

from tenuto.conductor.requests import Requests
from tenuto.core.compare import Desired, changes_of
from tenuto.core.timing import backoff_s
from tenuto.errors import TransientError
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.ids import Instant, Partition, PhaseName, PhysicalId, TypeName
from tenuto.model.observation import Condition, ObservedItem, Presence
from tenuto.model.outcome import Done, Outcome, Pending, Refused, Request
from tenuto.model.phase_map import PhaseDefinition
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto.ports.observations import Observations
from tenuto.ports.phase import Phase, PhaseResource, PhaseRun
from tenuto.ports.provider import Provider
from tenuto.ports.secrets import Secrets
from tenuto.ports.store import ProcessReads

CREATE = PhaseName("resource.create")
AWAIT = PhaseName("resource.await")
CONFIGURE = PhaseName("resource.configure")
DELETE = PhaseName("resource.delete")

SETTLE_S = 15.0
"""How old an intent must be before "nothing is there" is believed: tags of a new thing may be searchable only later."""
FIRST_LOOK_S = 0.2
"""A new thing is usually visible at once; the wait for it doubles from here."""
LONGEST_LOOK_S = 5.0
"""One look shows everything of its type, so a long wait costs a call or two per five seconds, not one per resource."""
_INTENT = "intent_at"
_TRIES = "tries"

Call = Callable[[Partition, Sequence[Request]], Sequence[Outcome]]


class ResourcePhases:
    """Makes the four definitions and their handlers for one set of providers."""

    def __init__(
        self,
        *,
        providers: Mapping[str, Provider],
        types: Mapping[TypeName, ResourceType],
        observations: Observations,
        store: ProcessReads,
        secrets: Secrets,
    ) -> None:
        self._providers = providers
        self._types = types
        self._observations = observations
        self._store = store
        self._secrets = secrets

    def phases(self) -> tuple[tuple[PhaseDefinition, Phase], ...]:
        """Each definition with its handler."""
        described: tuple[tuple[PhaseName, ResourceState, str, Callable[[PhaseRun], None]], ...] = (
            (CREATE, ResourceState.ALLOCATION, "Creating at the provider", self._create),
            (AWAIT, ResourceState.INITIALIZATION, "Waiting until it is ready", self._await),
            (CONFIGURE, ResourceState.CONFIGURATION, "Bringing to the declared properties", self._configure),
            (DELETE, ResourceState.DEALLOCATION, "Deleting at the provider", self._delete),
        )
        return tuple(
            (
                PhaseDefinition(
                    name=name,
                    states=(state,),
                    types=(TypeName("*"),),
                    description=description,
                    applies=self._is_managed,
                    acts=name != AWAIT,
                ),
                _Handler(handle),
            )
            for name, state, description, handle in described
        )

    def _is_managed(self, found: ManagedObject) -> bool:
        return found.provider in self._providers and found.type in self._types

    def _create(self, run: PhaseRun) -> None:
        requests = Requests(self._store, self._secrets)
        nameless = [one for one in run.resources if one.physical_id is None]
        unknown = [one for one in nameless if _may_have_been_made(run, one)]
        run.complete([one for one in run.resources if one.physical_id is not None])
        retried = self._look_up(run, unknown, requests)
        todo = [one for one in nameless if one not in unknown or one in retried]
        for one in todo:
            run.data(one)[_INTENT] = run.now
        if todo:
            run.checkpoint(todo)
        for provider, resources in self._by_provider(todo):
            self._judge(run, resources, requests, provider.create)
            for one in resources:
                if one.physical_id is not None:
                    self._observations.ask(run.partition, one.object.type, Instant(run.now + FIRST_LOOK_S / 2))

    def _look_up(self, run: PhaseRun, resources: Sequence[PhaseResource], requests: Requests) -> list[PhaseResource]:
        """Find what an earlier try may have made. Returns those that certainly were not made."""
        unmade: list[PhaseResource] = []
        for provider, group in self._by_provider(resources):
            for one, item in zip(group, self._found(run, provider, group, requests), strict=True):
                age = run.now - float(run.data(one).get(_INTENT, -SETTLE_S))
                if item is not None:
                    _take(one, item)
                    run.complete(one)
                elif age >= SETTLE_S:
                    unmade.append(one)
                else:
                    run.sleep(one, SETTLE_S / 3, "an earlier try got no answer: looking whether it made anything")
        return unmade

    def _found(
        self, run: PhaseRun, provider: Provider, group: Sequence[PhaseResource], requests: Requests
    ) -> Sequence[ObservedItem | None]:
        return provider.find(run.partition, [requests.of(one.object) for one in group])

    def _await(self, run: PhaseRun) -> None:
        for one in run.resources:
            observation = self._observations.observe(one.object)
            item = observation.item
            if item is None or observation.presence is not Presence.PRESENT:
                self._wait_for_look(run, one, observation.message)
            elif item.condition is Condition.READY:
                _take(one, item)
                run.complete(one)
            elif item.condition is Condition.BROKEN:
                run.fail(one, f"the provider gave up on {one.object.physical_id}: {item.message}")
            else:
                self._wait_for_look(run, one, item.message or "pending")

    def _configure(self, run: PhaseRun) -> None:
        requests = Requests(self._store, self._secrets)
        seen: dict[str, ObservedItem] = {}
        ready: list[PhaseResource] = []
        for one in run.resources:
            observation = self._observations.observe(one.object)
            if observation.item is None or observation.presence is not Presence.PRESENT:
                self._wait_for_look(run, one, observation.message)
                continue
            _take(one, observation.item)
            seen[one.object.object_id] = observation.item
            if self._is_configurable(run, one, observation.item, requests):
                ready.append(one)
        for provider, resources in self._by_provider(ready):
            self._judge(run, resources, requests, provider.modify, seen)

    def _is_configurable(self, run: PhaseRun, one: PhaseResource, item: ObservedItem, requests: Requests) -> bool:
        """Complete what is as declared already; fail what no call could bring there."""
        found = one.object
        resource_type = self._types[found.type]
        clear = requests.of(found, item.properties).properties
        changes = changes_of(
            Desired(properties=clear, digest=found.desired_digest), item.properties, found, resource_type, None
        )
        if not changes and not resource_type.write_only.intersection(clear):
            run.complete(one)
            return False
        forced = [change for change in changes if change.forces_replacement]
        if forced:
            paths = ", ".join(
                f"{change.path} (declared {change.after!r}, the provider shows {change.before!r})" for change in forced
            )
            run.fail(one, f"{paths} cannot be changed in place, and it was just made this way: correct the composition")
            return False
        return True

    def _delete(self, run: PhaseRun) -> None:
        requests = Requests(self._store, self._secrets)
        nameless = [one for one in run.resources if one.physical_id is None]
        doubtful = [one for one in nameless if _intent_of(one.object) is not None]
        run.complete([one for one in nameless if one not in doubtful])
        for provider, group in self._by_provider(doubtful):
            for one, item in zip(group, self._found(run, provider, group, requests), strict=True):
                intent = _intent_of(one.object)
                if item is not None:
                    one.physical_id = item.physical_id
                elif intent is not None and run.now - intent >= SETTLE_S:
                    run.complete(one)
                else:
                    run.sleep(
                        one, SETTLE_S / 3, "its creation got no answer: looking whether there is anything to delete"
                    )
        for provider, group in self._by_provider([one for one in run.resources if one.physical_id is not None]):
            self._judge(run, group, requests, provider.delete)

    def _judge(
        self,
        run: PhaseRun,
        resources: Sequence[PhaseResource],
        requests: Requests,
        call: Call,
        seen: Mapping[str, ObservedItem] | None = None,
    ) -> None:
        """One bulk call, and a verdict for each answer."""
        observed = seen or {}
        asked = [
            requests.of(
                one.object, observed[one.object.object_id].properties if one.object.object_id in observed else None
            )
            for one in resources
        ]
        try:
            outcomes = call(run.partition, asked)
        except TransientError as error:
            # Nothing is known of any of them, so the intents stay.
            outcomes = [Pending(message=str(error), code=error.code, request_id=error.request_id)] * len(resources)
        for one, outcome in zip(resources, outcomes, strict=True):
            _verdict(run, one, outcome)

    def _wait_for_look(self, run: PhaseRun, one: PhaseResource, message: str) -> None:
        tries = int(run.data(one).get(_TRIES, 0)) + 1
        run.data(one)[_TRIES] = tries
        # The same for all that wait together: one look answers them in one run.
        delay = backoff_s(tries, AWAIT, first_s=FIRST_LOOK_S, longest_s=LONGEST_LOOK_S)
        self._observations.ask(run.partition, one.object.type, Instant(run.now + delay / 2))
        run.sleep(one, delay, message)

    def _by_provider(self, resources: Sequence[PhaseResource]) -> list[tuple[Provider, list[PhaseResource]]]:
        names = sorted({one.object.provider for one in resources if one.object.provider})
        return [(self._providers[name], [one for one in resources if one.object.provider == name]) for name in names]


class _Handler:
    """A bound method as a phase."""

    def __init__(self, handle: Callable[[PhaseRun], None]) -> None:
        self._handle = handle

    def handle(self, run: PhaseRun) -> None:
        self._handle(run)


def _may_have_been_made(run: PhaseRun, one: PhaseResource) -> bool:
    """An intent without an answer, or a retry: it clears the data, and the failure may have hidden a creation."""
    return run.data(one).get(_INTENT) is not None or one.object.phases[CREATE].attempt > 1


def _take(one: PhaseResource, item: ObservedItem) -> None:
    """What the provider shows of it becomes what `Ref` and `Fn::GetAtt` read."""
    one.physical_id = PhysicalId(item.physical_id)
    for name, value in item.attributes.items():
        if one.attributes.get(name) != value:
            one.attributes[name] = value


def _intent_of(found: ManagedObject) -> Instant | None:
    entry = found.phases.get(CREATE)
    return entry.data.get(_INTENT) if entry else None


def _verdict(run: PhaseRun, one: PhaseResource, outcome: Outcome) -> None:
    match outcome:
        case Done():
            if outcome.physical_id is not None:
                one.physical_id = outcome.physical_id
            for name, value in outcome.attributes.items():
                one.attributes[name] = value
            run.complete(one)
        case Pending():
            if outcome.physical_id is not None:
                one.physical_id = outcome.physical_id
            data = run.data(one)
            if outcome.is_undone:
                data.pop(_INTENT, None)
            tries = int(data.get(_TRIES, 0)) + 1
            data[_TRIES] = tries
            delay = outcome.delay_s if outcome.delay_s is not None else backoff_s(tries, one.object.object_id)
            run.sleep(one, delay, outcome.message, code=outcome.code, request_id=outcome.request_id)
        case Refused():
            run.data(one).pop(_INTENT, None)
            text = ". ".join(part.rstrip(".") for part in (outcome.message, outcome.hint) if part)
            run.fail(one, text, code=outcome.code, request_id=outcome.request_id)
