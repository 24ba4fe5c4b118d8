"""The service on a memory store with a Conductor that does nothing but remember, and the API of it on loopback."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import urllib3
from honest import Honest
from loopback import serving

from tenuto.api import create_app
from tenuto.api.requests.request_ids import RequestIds
from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.conductor.phases.listeners import InlineListeners
from tenuto.conductor.phases.object_work import PhasedObjects
from tenuto.conductor.phases.plugins import Found
from tenuto.conductor.phases.reloading import LoadedPlugins, PluginShelf
from tenuto.conductor.providing.accounts import AccountProviders
from tenuto.conductor.providing.providers import AbsentProvider
from tenuto.conductor.stores.requested import requested
from tenuto.conductor.stores.touched import CommitMemory, remembered
from tenuto.core.pacing.quotas import DEFAULT_QUOTAS
from tenuto.errors import ProviderError
from tenuto.kit.current_request import CurrentRequest
from tenuto.kit.metrics import Meter
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.account import Account, Identity, KnownCredentials
from tenuto.model.composition import Composition, Declaration
from tenuto.model.delta import Change
from tenuto.model.drift import DriftNews
from tenuto.model.ids import (
    Fid,
    Instant,
    Json,
    JsonMap,
    LogicalId,
    ObjectId,
    Partition,
    PhaseName,
    PhysicalId,
    PlanId,
    TypeName,
)
from tenuto.model.marked import MarkedThing
from tenuto.model.notification import SinkKind
from tenuto.model.objection import Objection
from tenuto.model.observation import Observation, ObservedItem, Presence
from tenuto.model.outcome import Context, Done, Outcome
from tenuto.model.phase_map import PhaseActivity, PhaseDefinition, PhaseEntry, PhaseStatus
from tenuto.model.plan import Operation, Plan, Planning, Step, StepKind, Wave
from tenuto.model.process import Process
from tenuto.model.quotas import Quotas
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto.model.snapshot import Candidate
from tenuto.model.verb import Verb
from tenuto.ports.accounts import CheckedSettings, GivenSettings
from tenuto.ports.audit_log import AuditLog
from tenuto.ports.conductor import PhaseRecord, PluginReload
from tenuto.ports.issuers import Issuers
from tenuto.ports.notices import Transport
from tenuto.ports.provider import Provider
from tenuto.ports.sights import Sight, SweepRecord
from tenuto.ports.store import Store
from tenuto.ports.store_changes import CreateObject
from tenuto.providers.aws.access import check_settings
from tenuto.providers.simulated.cloud import Cloud
from tenuto.providers.simulated.kept import OPEN
from tenuto.providers.simulated.objects import OBJECT_TYPES
from tenuto.providers.simulated.provider import SimulatedProvider
from tenuto.service.access.administration import Administration
from tenuto.service.access.audit import Audit
from tenuto.service.access.caller_quotas import CallerQuotas
from tenuto.service.access.gatekeeper import Gatekeeper
from tenuto.service.access.identities import Identities
from tenuto.service.access.sessions import Sessions
from tenuto.service.access.tokens import Tokens
from tenuto.service.accounts.sharing import Sharing
from tenuto.service.commands.process_commands import Commands
from tenuto.service.commands.proposals import Proposals
from tenuto.service.existing.stacks import Stacks
from tenuto.service.existing.unknown_things import UnknownThings
from tenuto.service.images.artifacts import Artifacts
from tenuto.service.images.uploads import Uploads
from tenuto.service.intake.composition import Submission
from tenuto.service.intake.validations import Validations
from tenuto.service.objects.host_enrolment import HostEnrolment
from tenuto.service.objects.hosts import Hosts
from tenuto.service.objects.limits import Limits
from tenuto.service.objects.managed_objects import ManagedObjects
from tenuto.service.objects.namespaces import Namespaces
from tenuto.service.operations.doctor import Doctor
from tenuto.service.operations.metrics import Metrics
from tenuto.service.operations.notifications import Notifications
from tenuto.service.operations.runtime import Runtime, RuntimeKey
from tenuto.service.queries.board import Board
from tenuto.service.queries.insights import Insights
from tenuto.service.queries.process_queries import Queries
from tenuto.service.services import Services
from tenuto.storage.file.secrets import KeyedSecrets, new_keys
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto.transports.oidc import HttpIssuers
from tenuto_testing.clock import VirtualClock
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps

SECRET = "a-secret-for-tests"
NETWORK = TypeName("Simulated::Network")

TEMPLATE = """
Parameters:
  Password: {Type: String, NoEcho: true, Default: hunter2}
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: !Ref Password}}
  Sub: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref Net, CidrBlock: 10.0.1.0/24}}
Outputs:
  NetId: {Value: !Ref Net}
  Account: {Value: !Sub "${AWS::AccountId}/${Net}"}
  Login: {Value: !Sub "root:${Password}"}
"""


def submission(text: str = TEMPLATE, *, name: str = "web", region: str = "eu-west-1", **parameters: str) -> Submission:
    """A compiled template as a client sends it."""
    compiled = compile_text(text, file=f"{name}.yaml", parameters=parameters, region=region)
    return Submission(document=to_document(compiled.composition), secrets=compiled.secrets)


PERIOD = RuntimeKey(name="jobs.period", summary="seconds between two jobs", default="30", apply=lambda _: None)


class _AwsAccounts(AbsentProvider):
    """The settings of AWS's accounts, of a provider that can do nothing else."""

    def check_settings(self, settings: GivenSettings) -> CheckedSettings:
        return check_settings(settings)


def _account_providers() -> AccountProviders:
    """AWS, whose accounts have settings, and the simulated provider, whose accounts have none."""
    clock = VirtualClock()
    simulated = SimulatedProvider(Cloud(clock, OPEN), clock=clock, ops=RecordedOps())
    providers: dict[str, Provider] = {"aws": _AwsAccounts("aws", ()), "simulated": simulated}
    return AccountProviders(providers)


@dataclass
class RememberingConductor:
    """Implements `ports.conductor.Conductor`: plans a create for everything, and remembers what it was asked."""

    woken: list[Fid] = field(default_factory=list)
    previewed: list[tuple[Process, Composition | None]] = field(default_factory=list)
    retried: list[tuple[Fid, tuple[LogicalId, ...]]] = field(default_factory=list)
    has_failed: bool = True
    failure: ProviderError | None = None
    held: str = ""
    identities: dict[str, str] = field(default_factory=dict)
    accounts: AccountProviders = field(default_factory=_account_providers)
    known: dict[str, KnownCredentials] = field(default_factory=dict)
    looked_up: Mapping[str, Json] = field(default_factory=dict)
    drift: tuple[Operation, ...] = ()
    unloaded: frozenset[PhaseName] = frozenset()
    objected: tuple[Objection, ...] = ()

    def wake(self, fid: Fid) -> None:
        self.woken.append(fid)

    def preview(self, process: Process, composition: Composition | None) -> Planning:
        if self.failure is not None:
            raise self.failure
        self.previewed.append((process, composition))
        declared = composition.resources if composition else ()
        operations = tuple(
            Operation(
                verb=Verb.CREATE,
                type=one.type,
                logical_id=one.logical_id,
                object_id=ObjectId(f"object-{one.logical_id}"),
                reason="declared, and there is none",
                changes=tuple(
                    Change(path=path, before=None, after=value, has_before=False)
                    for path, value in one.properties.items()
                ),
                position=one.position,
            )
            for one in declared
        )
        plan = Plan(
            plan_id=PlanId(f"plan-{len(self.previewed)}"),
            fid=process.fid,
            partition=process.partition,
            command=process.intent.waiting or "enforce",
            observed_at=process.updated_at,
            operations=operations,
            steps=tuple(
                Step(
                    kind=StepKind.MAKE,
                    object_id=one.object_id,
                    logical_id=one.logical_id,
                    type=one.type,
                    target=ResourceState.STARTED,
                    wave=0,
                )
                for one in operations
            ),
            waves=(Wave(number=0, types=tuple(dict.fromkeys(one.type for one in declared))),),
        )
        return Planning(plan=plan, held=self.held, drift=self.drift)

    def existing(self, partition: Partition, wanted: Sequence[tuple[TypeName, PhysicalId]]) -> tuple[Candidate, ...]:
        if self.failure is not None:
            raise self.failure
        return tuple(
            Candidate(physical_id=one, item=ObservedItem(physical_id=one, properties={"CidrBlock": "10.0.0.0/16"}))
            for _, one in wanted
        )

    def exports(self, process: Process) -> Mapping[str, Json]:
        return {}

    def retry(self, fid: Fid, logical_ids: Sequence[LogicalId], *, actor: str) -> Mapping[LogicalId, int]:
        self.retried.append((fid, tuple(logical_ids)))
        return {LogicalId("Net"): 1} if self.has_failed else {}

    def phases(self, is_seen: object = None) -> tuple[PhaseRecord, ...]:
        definition = PhaseDefinition(name=PhaseName("simulated.create"), states=("Allocation",), types=(TypeName("*"),))
        return (PhaseRecord(definition=definition, activity=PhaseActivity.RUNNING, counts={"Running": 2}),)

    def reload_plugins(self) -> PluginReload:
        return PluginReload(loaded=("Acme.Tag",), kept=(), removed=(), errors=("bad.py was refused: it raised X",))

    def count_drift(self, news: DriftNews) -> None:
        """A remembering Conductor has no numbers."""

    def is_loaded(self, phase: PhaseName) -> bool:
        return phase not in self.unloaded

    def types(self, provider: str | None = None) -> Mapping[TypeName, ResourceType]:
        names = ("Simulated::Network", "Simulated::Subnet")
        found = {
            TypeName(name): ResourceType(name=TypeName(name), provider="simulated", source=name) for name in names
        } | {TypeName("Cloud.Node"): ResourceType(name=TypeName("Cloud.Node"), provider="machines", source="nodes")}
        return {name: facts for name, facts in found.items() if provider in (None, facts.provider)}

    def bringing(self, name: TypeName) -> tuple[str, ...]:
        return tuple(facts.provider for facts in self.types().values() if facts.name == name)

    def context(self, provider: str, partition: Partition) -> Context:
        if self.failure is not None:
            raise self.failure
        return Context(account_id="123456789012")

    def objections(
        self, provider: str, partition: Partition, fid: Fid, declared: Sequence[Declaration]
    ) -> Sequence[Objection]:
        return self.objected

    def provider_of_accounts(self, name: str | None) -> str:
        return self.accounts.named(name)

    def check_settings(self, provider: str, settings: GivenSettings) -> CheckedSettings:
        return self.accounts.check_settings(provider, settings)

    def identify(self, account: Account) -> Identity:
        if self.failure is not None:
            raise self.failure
        account_id = self.identities[account.name]
        return Identity(account_id=account_id, arn=f"arn:aws:sts::{account_id}:assumed-role/tenuto/tenuto")

    def credentials(self, account: Account) -> KnownCredentials:
        return self.known.get(account.name, KnownCredentials())

    def lookup(self, provider: str, partition: Partition, keys: Sequence[str]) -> Mapping[str, Json]:
        return {key: self.looked_up[key] for key in keys if key in self.looked_up}


class RememberedMarks:
    """Implements `ports.marks.Marks`: what a test says is there, and what was to be deleted."""

    def __init__(self) -> None:
        self.found: list[MarkedThing] = []
        self.deleted: list[MarkedThing] = []
        self.swept: list[Partition] = []
        self.unseen: tuple[str, ...] = ()
        self.answers: list[Outcome] = []
        self.made_twice: dict[ObjectId, tuple[PhysicalId, ...]] = {}

    def things(self, fid: Fid | None = None) -> tuple[MarkedThing, ...]:
        return tuple(one for one in self.found if fid is None or one.owner.fid == fid)

    def sweep(
        self, partition: Partition, types: Sequence[TypeName] = (), *, also: Sequence[TypeName] = ()
    ) -> tuple[str, ...]:
        self.swept.append(partition)
        return self.unseen

    def item(self, thing: MarkedThing) -> ObservedItem | None:
        return ObservedItem(physical_id=thing.physical_id, properties={}, owner=thing.owner)

    def delete(self, thing: MarkedThing) -> Outcome:
        self.deleted.append(thing)
        return self.answers.pop(0) if self.answers else Done(physical_id=thing.physical_id)

    def duplicates(self, objects: Sequence[ManagedObject]) -> Mapping[ObjectId, tuple[PhysicalId, ...]]:
        return {one.object_id: self.made_twice[one.object_id] for one in objects if one.object_id in self.made_twice}


class RememberedSights:
    """Implements `ports.sights.Sights`: what a test says was seen, by logical id."""

    def __init__(self) -> None:
        self.seen: dict[str, Sight] = {}
        self.records: list[SweepRecord] = []

    def sight(self, found: ManagedObject) -> Sight:
        return self.seen.get(found.logical_id, Sight(observation=Observation(presence=Presence.UNSEEN)))

    def notes(self, objects: Sequence[ManagedObject]) -> Mapping[ObjectId, str]:
        seen = ((one.object_id, self.sight(one).observation.item) for one in objects if one.is_settled)
        return {object_id: item.message for object_id, item in seen if item is not None and item.message}

    def sweeps(self) -> tuple[SweepRecord, ...]:
        return tuple(self.records)


class Front:
    """Everything that front ends need, on one memory store."""

    def __init__(
        self,
        store: MemoryStore | None = None,
        issuers: Issuers | None = None,
        audit_log: AuditLog | None = None,
        quotas: Quotas = DEFAULT_QUOTAS,
    ) -> None:
        self.touches = CommitMemory()
        current = CurrentRequest()
        self.store: Store = remembered(requested(store or MemoryStore(), current), self.touches)
        self.clock = VirtualClock()
        self.transports: dict[SinkKind, Transport] = {}
        """The ways of notifications; none until a test gives some."""
        self.ids = SeededIds()
        self.conductor = RememberingConductor()
        self.commands = Commands(
            store=self.store,
            clock=self.clock,
            ids=self.ids,
            secrets=KeyedSecrets(new_keys()),
            conductor=self.conductor,
            current=current,
        )
        self.marks = RememberedMarks()
        self.sights = RememberedSights()
        self.queries = Queries(
            store=self.store, clock=self.clock, conductor=self.conductor, marks=self.marks, sights=self.sights
        )
        gatekeeper = Gatekeeper(store=self.store, clock=self.clock, secret=SECRET)
        plugins = LoadedPlugins(shelf=PluginShelf(found=Found()), listeners=InlineListeners)
        work = PhasedObjects(
            store=self.store, plugins=plugins, lifecycles=CATALOGUE, clock=self.clock, wake=lambda: None
        )
        self.objects = ManagedObjects(
            store=self.store, clock=self.clock, ids=self.ids, types=OBJECT_TYPES, judges={}, work=work
        )
        tokens = Tokens(store=self.store, clock=self.clock)
        meter = Meter()
        caller_quotas = CallerQuotas(clock=self.clock, meter=meter, quotas=quotas)
        sessions = Sessions(store=self.store, clock=self.clock, gatekeeper=gatekeeper, quotas=caller_quotas)
        self.services = Services(
            current=current,
            hosts=HostEnrolment(),
            nodes=Hosts(store=self.store, clock=self.clock),
            proposals=Proposals(store=self.store, clock=self.clock, commands=self.commands, gatekeeper=gatekeeper),
            audit=Audit(clock=self.clock, log=audit_log),
            tokens=tokens,
            identities=Identities(
                clock=self.clock,
                gatekeeper=gatekeeper,
                tokens=tokens,
                sessions=sessions,
                issuers=issuers or HttpIssuers(),
            ),
            stacks=Stacks(store=self.store, conductor=self.conductor, books={}),
            namespaces=Namespaces(store=self.store, clock=self.clock, objects=self.objects, limits=Limits(self.store)),
            uploads=Uploads(None, Limits(self.store)),
            artifacts=Artifacts(None, Limits(self.store), Sharing(self.store, None)),
            commands=self.commands,
            queries=self.queries,
            board=Board(
                store=self.store,
                marks=self.marks,
                clock=self.clock,
                touches=self.touches,
                is_loaded=self.conductor.is_loaded,
            ),
            insights=Insights(
                store=self.store,
                clock=self.clock,
                conductor=self.conductor,
                marks=self.marks,
                sights=self.sights,
            ),
            touches=self.touches,
            sessions=sessions,
            objects=self.objects,
            doctor=Doctor(store=self.store, clock=self.clock),
            unknown_things=UnknownThings(
                store=self.store,
                clock=self.clock,
                conductor=self.conductor,
                marks=self.marks,
                commands=self.commands,
            ),
            gatekeeper=gatekeeper,
            quotas=caller_quotas,
            administration=Administration(store=self.store, clock=self.clock, gatekeeper=gatekeeper),
            runtime=Runtime(store=self.store, clock=self.clock, keys=(PERIOD,)),
            metrics=Metrics(store=self.store, meter=meter),
            notifications=Notifications(
                store=self.store, clock=self.clock, secrets=KeyedSecrets(new_keys()), transports=self.transports
            ),
            validations=Validations(store=self.store, clock=self.clock, conductor=self.conductor),
        )

    def add_object(self, process: Process, logical_id: str, **more: object) -> ManagedObject:
        """An incarnation in Validation, whatever else is said of it."""
        now = self.clock.now()
        made = ManagedObject(
            object_id=ObjectId(self.ids.new("object")),
            lifecycle="resource",
            type=NETWORK,
            provider="simulated",
            partition=process.partition,
            fid=process.fid,
            logical_id=LogicalId(logical_id),
            state=ResourceState.VALIDATION,
            target=ResourceState.STARTED,
            created_at=now,
            moved_at=now,
            touched_at=now,
        )
        made = replace(made, **more)  # type: ignore[arg-type]
        self.store.commit((CreateObject(object=made, actor="test"),))
        return made


def entry(phase: str, status: str, state: str = "Validation", **more: object) -> PhaseEntry:
    found = PhaseEntry(phase=PhaseName(phase), state=state, status=PhaseStatus(status))
    return replace(found, **more)  # type: ignore[arg-type]


def physical(text: str) -> PhysicalId:
    return PhysicalId(text)


def later(front: Front, seconds: float) -> Instant:
    return Instant(front.clock.now() + seconds)


@contextmanager
def served(front: Front | Services) -> Iterator[str]:
    """The API on a free port of loopback; gives its URL. Fails when an answer does not fit its published shape."""
    services = front if isinstance(front, Services) else front.services
    watches: list[Honest] = []

    def made(_: int, is_stopping: Callable[[], bool]) -> Honest:
        watches.append(Honest(RequestIds(create_app(services, is_stopping=is_stopping), services.current)))
        return watches[-1]

    with serving(made) as url:
        yield url
    lies = [lie for one in watches for lie in one.lies]
    assert not lies, "\n".join(lies[:20])


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    document: JsonMap


@dataclass
class Http:
    """Plain requests to the API, with the secret unless another is given."""

    url: str
    secret: str | None = SECRET

    def __call__(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        given = {"Authorization": f"Bearer {self.secret}"} if self.secret else {}
        content = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else None
        if content is not None:
            given["Content-Type"] = "application/json"
        with urllib3.PoolManager(retries=False) as pool:
            response = pool.request(method, f"{self.url}{path}", body=content, headers=given | headers)
        return Answer(response.status, dict(response.headers), json.loads(response.data))
