"""The strict cloud as a ground of the simulator, with the real AWS provider on it, and all that is drawn for it.

Calls of a Conductor pass a gate one by one, so that it can die before and after each. Other users and the judges come
by another door: nothing goes wrong there, and everything is seen as it is.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ClientError

from tenuto.errors import PermanentError
from tenuto.model.ids import Fid, Instant, JsonMap, Partition, PhysicalId, TypeName
from tenuto.model.observation import Interest, Owner
from tenuto.model.outcome import Done, Pending, Request
from tenuto.model.resource import ManagedObject
from tenuto.ports.accounts import AccountBook
from tenuto.ports.clock import Clock
from tenuto.ports.provider import OpSink, Provider
from tenuto.providers.aws.client.owner import read_tags
from tenuto.providers.aws.provider import AwsProvider
from tenuto.providers.aws.rates.ledger import RateLedger
from tenuto.providers.aws.types.catalogue import CATALOGUE
from tenuto_testing.cloud.buckets import Buckets
from tenuto_testing.cloud.cloud import HOME_ACCOUNT, Cloud
from tenuto_testing.cloud.families.kinds import KEY_PAIR
from tenuto_testing.cloud.faults import Failure, Fault, Faults
from tenuto_testing.cloud.in_process import InProcessSession
from tenuto_testing.cloud.pace import CONSISTENT, Lag, Pace
from tenuto_testing.cloud.quotas import BOUNDLESS
from tenuto_testing.cloud.served import SERVED
from tenuto_testing.cloud.standing import standing, tags_of
from tenuto_testing.cloud.world import Place, Thing
from tenuto_testing.ops import RecordedOps
from tenuto_testing.simulation.ground import Gate, Real, Standing
from tenuto_testing.simulation.scenery import Traits
from tenuto_testing.simulation.strict_drawing import ADDRESS, BUCKET, VPC
from tenuto_testing.simulation.strict_properties import REPERTOIRE

_HOME = Partition(account="default", region=REPERTOIRE.region)
_KEYS = {"own": "test", "other": "another"}
_OTHER = "999999999999"
_ALWAYS = Instant(float("inf"))
"""The moment after which details must have been read, when nothing that is remembered will do."""
_LOCKED = frozenset({"GetCallerIdentity", "DescribeAvailabilityZones"})
_READING = ("Describe", "Get", "Head", "List")
_PRIVATE_KEY = "/ec2/keypair/"
"""The beginning of the name of the parameter that holds the private key of a pair; its id follows."""
_ADDED: Mapping[TypeName, tuple[str, str, Mapping[str, str]]] = {
    VPC: ("ec2", "create_vpc", {"CidrBlock": "CidrBlock"}),
    ADDRESS: ("ec2", "allocate_address", {"Domain": "Domain"}),
    BUCKET: ("s3", "create_bucket", {"BucketName": "Bucket"}),
}
"""The things that other users can make: service, operation, and its parameters by the names of the properties."""
_DEEDS = {"tamper": "modify", "vanish": "delete", "disown": "disclaim"}
"""The acts of other users that are calls of a provider."""
FAILURES: Mapping[str, Failure] = {failure.name.lower().replace("_", "-"): failure for failure in Failure}


class StrictGround:
    """Implements `simulation.ground.Ground`."""

    def __init__(self, clock: Clock, traits: Traits, seed: int) -> None:
        self._cloud = Cloud(
            clock,
            seed=seed,
            pace=Pace(times=traits["pace"]),
            lag=Lag(new_s=traits["new_s"], changed_s=traits["changed_s"], is_flickering=bool(traits["flickering"])),
            buckets=Buckets(times=traits["buckets"]) if traits["buckets"] else None,
            quotas=BOUNDLESS,
            accounts={_KEYS["other"]: _OTHER},
        )
        self._seed = seed
        self._key = _KEYS["own"]
        self._swaps = 0
        self._sessions: list[_GatedSession] = []
        self._accounts: dict[str, None] = {HOME_ACCOUNT: None}
        self._stranger = InProcessSession(self._cloud, access_key="stranger")
        self._eyes = AwsProvider(
            session=self._stranger, ops=RecordedOps(), clock=clock, ledger=RateLedger(share=1000.0), workers=1
        )

    def enter(self, account: str) -> None:
        if account not in _KEYS:
            raise PermanentError(f"there is no account {account!r}: {', '.join(_KEYS)}", code="NoAccount")
        self._key = _KEYS[account]
        self._accounts |= {self._cloud.accounts.get(self._key, HOME_ACCOUNT): None}

    def swap(self, account: str) -> None:
        self._swaps += 1
        # A key of its own each time, so that no reader can tell by it where it leads.
        key = f"swapped-{self._swaps}"
        self._cloud.accounts[key] = _OTHER if account == "other" else HOME_ACCOUNT
        self._key = key
        self._accounts |= {self._cloud.accounts[key]: None}
        for session in self._sessions:
            session.given.access_key = key

    def provider(self, ops: OpSink, clock: Clock, gate: Gate, accounts: AccountBook) -> Provider:
        session = _GatedSession(self._cloud, gate, self._key)
        self._sessions.append(session)
        return AwsProvider(
            session=session,
            ops=ops,
            clock=clock,
            accounts=accounts,
            workers=1,
            chance=Random(self._seed),
        )

    def standing(self) -> Sequence[Standing]:
        found: list[Standing] = []
        for place, thing in self._standing():
            known = _belonging(place, thing)
            found.append(
                Standing(
                    kind=thing.kind.name,
                    cloud_id=thing.id,
                    physical_id=PhysicalId(known["KeyName"] if known.kind is KEY_PAIR else known.id),
                    owner=read_tags(tags_of(known)).owner,
                    state={**thing.data, **thing.hidden},
                    is_elsewhere=place.account == _OTHER,
                    is_hidden=thing.made_at > self._cloud.clock.now() - self._cloud.lag.new_s,
                )
            )
        return found

    def _standing(self) -> Iterator[tuple[Place, Thing]]:
        """In every account that a Conductor was in."""
        for account in self._accounts:
            yield from standing(self._cloud, _HOME.region, account)

    def read(self, tracked: Mapping[TypeName, frozenset[PhysicalId]]) -> Mapping[tuple[TypeName, PhysicalId], Real]:
        kinds = [*SERVED.values(), *(CATALOGUE[name] for name in tracked)]
        return self._read(sorted({kind.source.name for kind in kinds}), tracked)

    def one(self, type_name: TypeName, physical_id: PhysicalId) -> Real | None:
        shown = self._read([CATALOGUE[type_name].source.name], {type_name: frozenset({physical_id})})
        return shown.get((type_name, physical_id))

    def _read(
        self, sources: Sequence[str], tracked: Mapping[TypeName, frozenset[PhysicalId]]
    ) -> Mapping[tuple[TypeName, PhysicalId], Real]:
        anew = {
            name: dict.fromkeys(sorted(ids), Interest(names=CATALOGUE[name].facts.costly, since=_ALWAYS))
            for name, ids in tracked.items()
        }
        with self._as_it_is():
            swept = [self._eyes.sweep(_HOME, source, anew) for source in sources]
        return {
            (name, item.physical_id): Real(facts=self._eyes.types()[name], item=item)
            for sweeps in swept
            for name, sweep in sweeps.items()
            for item in sweep.items.values()
            if not item.is_ending
        }

    def strike(self, act: str, found: ManagedObject, path: str, value: Any) -> None:
        physical_id = PhysicalId(str(found.physical_id))
        if act == "fill":
            bucket = next((one for _, one in self._standing() if one.id == physical_id), None)
            if bucket is None or "objects" not in bucket.hidden:
                raise PermanentError(f"{physical_id} is no bucket", code="NoBucket")
            bucket.hidden["objects"]["of-a-stranger"] = b""
            return
        real = self.one(found.type, physical_id)
        if real is None:
            raise PermanentError(f"there is no {physical_id!r}", code="NotFound")
        owner = real.item.owner or Owner(
            fid=found.fid or Fid(""), logical_id=found.logical_id, object_id=found.object_id
        )
        request = Request(
            object_id=owner.object_id,
            fid=owner.fid,
            process_name="",
            logical_id=owner.logical_id,
            type=found.type,
            token="",
            properties={**real.item.properties, **({path: value} if act == "tamper" else {})},
            physical_id=physical_id,
            observed=real.item.properties,
            attributes=real.item.attributes,
        )
        with self._as_it_is():
            try:
                (outcome,) = getattr(self._eyes, _DEEDS[act])(_HOME, [request])
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                raise PermanentError(f"no stranger can give {path} that value: {error}", code="NoValue") from error
        if not isinstance(outcome, Done) and (not isinstance(outcome, Pending) or outcome.code):
            raise PermanentError(outcome.message, code=outcome.code)

    def add(self, type_name: TypeName, properties: JsonMap) -> None:
        if type_name not in _ADDED:
            raise PermanentError(f"strangers make only {', '.join(sorted(_ADDED))}", code="UnknownType")
        service, operation, names = _ADDED[type_name]
        parameters = {names[name]: value for name, value in properties.items() if name in names}
        with self._as_it_is():
            try:
                getattr(self._stranger.create_client(service, _HOME.region), operation)(**parameters)
            except ClientError as error:
                raise PermanentError(str(error), code=str(error.response["Error"]["Code"])) from error

    def trouble(self, kind: str, operation: str, subject: str, times: int, seconds: float) -> None:
        self._cloud.faults.script(Fault(FAILURES[kind], operation, count=times, service=subject, seconds=seconds))

    def has_repeated(self) -> bool:
        return any(failure is Failure.TWICE for failure, _ in self._cloud.faults.happened)

    def has_ignored(self) -> bool:
        return any(failure is Failure.IGNORED for failure, _ in self._cloud.faults.happened)

    def calm(self) -> None:
        self._cloud.faults.stop()
        for _, thing in self._standing():
            if "objects" in thing.hidden:
                thing.hidden["objects"].clear()

    def purge(self, one: Standing) -> None:
        for place, thing in list(self._standing()):
            if (thing.kind.name, thing.id) == one.key:
                self._remove(place, thing)

    def _remove(self, place: Place, thing: Thing) -> None:
        """With all that lies in it or hangs on it."""
        for table in list(place.tables()):
            for member in table.within(thing.id):
                if member.id in table.things:
                    self._remove(place, member)
        if thing.id in place.table(thing.kind).things:
            place.remove(thing, self._cloud.clock.now())

    @contextmanager
    def _as_it_is(self) -> Iterator[None]:
        """No faults, no throttling, nothing late."""
        cloud = self._cloud
        usual = cloud.lag, cloud.buckets, cloud.faults
        cloud.lag, cloud.buckets, cloud.faults = CONSISTENT, None, Faults()
        try:
            yield
        finally:
            cloud.lag, cloud.buckets, cloud.faults = usual


class _GatedSession(InProcessSession):
    """A session whose calls pass a gate each, but for those that are made with a lock held: no task may stop there."""

    def __init__(self, cloud: Cloud, gate: Gate, access_key: str) -> None:
        super().__init__(cloud, access_key=access_key)
        self.given = self.get_credentials()
        """The credentials that the SDK found. A change of them renews the credentials of this session."""
        self._gate = gate

    def _send(self, request: AWSPreparedRequest, *, event_name: str = "", **more: Any) -> AWSResponse:
        action = event_name.rpartition(".")[2]
        if action in _LOCKED:
            return super()._send(request, **more)
        is_change = not action.startswith(_READING)
        return self._gate.at_call(action, lambda: super(_GatedSession, self)._send(request), is_change=is_change)


def _belonging(place: Place, thing: Thing) -> Thing:
    """The thing itself, but for a private key, which is part of its pair and has no marks of its own."""
    if not thing.id.startswith(_PRIVATE_KEY):
        return thing
    return place.table(KEY_PAIR).things.get(thing.id.removeprefix(_PRIVATE_KEY), thing)
