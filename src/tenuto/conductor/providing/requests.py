"""The requests that a provider gets for managed objects: secrets are in clear for one call, and no answer tells them.

Theory of operation. References are resolved, and so a request carries the clear values that its resource was declared
with. A secret that the provider keeps (`Tenuto::Secret`) is read before the calls that need it, and only the requests
of that run know it. Phases call a provider only through a face of it (`MaskedProvider`), the one place where the texts
of calls about objects enter the Conductor. Every answer of a bulk call, an outcome or an error, is masked with the
secrets of all requests of that call, before a phase sees it. So nothing behind it (phase maps, events, jobs, the log,
notifications) has to know that there are secrets. The same face makes every text of an answer well formed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeGuard, TypeVar

from tenuto.core.access.masking import Masker, masked_errors, masker_of, secret_texts
from tenuto.core.language import resolve
from tenuto.core.planning.comparing.ignores import as_found
from tenuto.errors import PermanentError
from tenuto.kit.contained import ContainedError, contained
from tenuto.kit.well_formed import all_well_formed
from tenuto.model.composition import DeletionPolicy
from tenuto.model.ids import Fid, Json, JsonMap, Partition, PhaseName
from tenuto.model.observation import Observation, ObservedItem
from tenuto.model.outcome import Done, Outcome, Pending, Refused, Request
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.model.secret_reference import SealedReference
from tenuto.ports.provider import Provider
from tenuto.ports.secrets import Secrets, place_of_attribute, place_of_parameter
from tenuto.ports.store_reads import ProcessReads

_DELETE = PhaseName("resource.delete")
_FAULT = "ProviderFault"
_REPORT = "What it did is not known. Report it to those who wrote the provider"
_T = TypeVar("_T")


def token_of(found: ManagedObject) -> str:
    """The token of its creation. A machine that was given back is never meant again, so each has a token of its own."""
    before = found.phases.get(_DELETE)
    if before is None or before.status is not PhaseStatus.COMPLETED:
        return found.object_id
    return f"{found.object_id}.{before.ended_at or 0.0:.0f}"


class Requests:
    """Builds the requests of one run; reads each process once, and those of the objects of a run together."""

    def __init__(self, store: ProcessReads, secrets: Secrets, objects: Iterable[ManagedObject] = ()) -> None:
        self._store = store
        self._secrets = secrets
        fids = {found.fid for found in objects if found.fid is not None}
        self._processes: dict[Fid, Process | None] = dict(store.processes_of(fids)) if fids else {}
        self._opened: dict[Fid, Mapping[str, str]] = {}
        self._maskers: dict[Fid, Masker] = {}
        self._kept: dict[tuple[Partition, str], str] = {}
        self._told_once: dict[str, str] = {}

    def of(self, found: ManagedObject, observed: JsonMap | None = None) -> Request:
        """The request for one object, with the observed values at the paths that are kept as found.

        Raises PermanentError when a secret cannot be unsealed.
        """
        process = self._process(found.fid)
        return Request(
            object_id=found.object_id,
            fid=found.fid,
            process_name=process.name if process else "",
            logical_id=found.logical_id,
            type=found.type,
            token=token_of(found),
            properties=as_found(self._clear(found, process), observed or {}, found.kept if observed else ()),
            physical_id=found.physical_id,
            observed=observed,
            attributes=found.attributes,
            keeps_snapshot=found.deletion_policy is DeletionPolicy.SNAPSHOT,
            secrets=self._told(found, process, observed),
        )

    def missing(self, found: ManagedObject) -> tuple[str, ...]:
        """The references to secrets that the provider keeps, of the object, that are not known to these requests."""
        names = (one for one in resolve.kept_secrets(found.desired) if SealedReference.parse(one) is None)
        return tuple(one for one in names if (found.partition, one) not in self._kept)

    def learn(self, partition: Partition, secrets: Mapping[str, Json]) -> None:
        """Take the provider's answers for references. They are never stored, and are forgotten with these requests."""
        self._kept |= {(partition, name): value for name, value in secrets.items() if isinstance(value, str)}

    def _kept_of(self, found: ManagedObject) -> dict[str, str]:
        """The known secrets of the object that the provider keeps, by their references, and those that it told once.

        Raises PermanentError when one of these cannot be unsealed.
        """
        names = resolve.kept_secrets(found.desired)
        sealed = {name: reference for name in names if (reference := SealedReference.parse(name)) is not None}
        return {
            **{name: self._kept[found.partition, name] for name in names if (found.partition, name) in self._kept},
            **{name: self._unsealed(found.fid, reference) for name, reference in sealed.items()},
        }

    def _unsealed(self, fid: Fid | None, reference: SealedReference) -> str:
        place = place_of_attribute(fid or Fid(""), reference.object_id, reference.attribute)
        if place not in self._told_once:
            try:
                self._told_once[place] = self._secrets.unseal(reference.seal, place)
            except PermanentError as error:
                raise PermanentError(
                    f"{reference.attribute} is a secret that the provider told once. It is sealed for the process that "
                    f"made {reference.object_id}, and cannot be opened: {error}",
                    code=error.code,
                ) from None
        return self._told_once[place]

    def masker(self, found: ManagedObject, observed: JsonMap | None = None) -> Masker:
        """The masker of every text about one object that was not made by a call with its request."""
        return Masker(self._told(found, self._process(found.fid), observed))

    def masker_of_all(self, objects: Iterable[ManagedObject]) -> Masker:
        """The masker of a text that may be about any of these objects."""
        return Masker({text for found in objects for text in self._told(found, self._process(found.fid), None)})

    def _process(self, fid: Fid | None) -> Process | None:
        if fid is None:
            return None
        if fid not in self._processes:
            self._processes[fid] = self._store.process(fid)
        return self._processes[fid]

    def _clear(self, found: ManagedObject, process: Process | None) -> JsonMap:
        properties = found.desired
        if resolve.is_resolved(properties) or process is None:
            return properties
        secrets = self._open(process)
        try:
            known = resolve.Environment(references=secrets, secrets=self._kept_of(found))
            clear: JsonMap = resolve.resolve(properties, known)
        except resolve.ResolveError as error:
            # The error cites the value that cannot be resolved, and the cause of the error cites it again.
            raise PermanentError(Masker(secrets.values()).mask(str(error)), code=type(error).__name__) from None
        return clear

    def _told(self, found: ManagedObject, process: Process | None, observed: JsonMap | None) -> tuple[str, ...]:
        """The clear values that a provider may tell in an answer about the object.

        The secrets of the whole process are among them: a refusal of a subnet tells the address range of its network.
        """
        if process is None or not (process.sealed or resolve.has_kept_secret(found.desired)):
            return ()
        try:
            secrets, kept = self._open(process), self._kept_of(found)
        except PermanentError:
            # Of an object without a secret of its own: that the key is lost is no reason to stop work on it.
            return ()
        return secret_texts(found.desired, secrets, observed, kept=kept, known=self._known(process, secrets))

    def _known(self, process: Process, secrets: Mapping[str, str]) -> Masker:
        """The masker of the secrets of a process: the forms of each are made once for all its objects."""
        if process.fid not in self._maskers:
            self._maskers[process.fid] = Masker(secrets.values())
        return self._maskers[process.fid]

    def _open(self, process: Process) -> Mapping[str, str]:
        if process.fid not in self._opened:
            self._opened[process.fid] = {
                name: self._secrets.unseal(text, place_of_parameter(process.fid, name))
                for name, text in process.sealed.items()
            }
        return self._opened[process.fid]


class MaskedProvider:
    """The methods of `ports.provider.Provider` that are given requests, with the same contracts."""

    def __init__(self, inner: Provider) -> None:
        self.name = inner.name
        self._inner = inner

    def lookup(self, partition: Partition, keys: Sequence[str]) -> Mapping[str, Json]:
        return self._inner.lookup(partition, keys)

    def find(self, partition: Partition, requests: Sequence[Request]) -> Sequence[ObservedItem | None]:
        masker = masker_of(requests)
        with masked_errors(masker), self._contained():
            found = self._answers("find", requests, self._inner.find(partition, requests), (ObservedItem, type(None)))
        return [item and masked_item(item, masker) for item in found]

    def create(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._act("create", self._inner.create, partition, requests)

    def modify(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._act("modify", self._inner.modify, partition, requests)

    def delete(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._act("delete", self._inner.delete, partition, requests)

    def claim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._act("claim", self._inner.claim, partition, requests)

    def disclaim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._act("disclaim", self._inner.disclaim, partition, requests)

    def _act(
        self,
        method: str,
        act: Callable[[Partition, Sequence[Request]], Sequence[Outcome]],
        partition: Partition,
        requests: Sequence[Request],
    ) -> Sequence[Outcome]:
        masker = masker_of(requests)
        with masked_errors(masker), self._contained():
            answers = self._answers(method, requests, act(partition, requests), (Done, Pending, Refused))
            return _masked(answers, masker)

    @contextmanager
    def _contained(self) -> Iterator[None]:
        """Raise PermanentError for an exception that no provider may raise: it is no fault of the phase."""
        try:
            with contained(f"the provider {self.name}"):
                yield
        except ContainedError as error:
            raise PermanentError(f"{error}. {_REPORT}", code=_FAULT) from error

    def _answers(
        self, method: str, requests: Sequence[Request], given: Sequence[_T], kinds: tuple[type, ...]
    ) -> list[_T]:
        """The answers, of which there must be one of the right kind for each request: a provider may come from any
        author, and a request without an answer would wait for ever, or get the answer of another one."""
        answers = list(given) if _is_list(given) else []
        if len(answers) == len(requests) and all(isinstance(one, kinds) for one in answers):
            return [all_well_formed(one) for one in answers]
        names = ", ".join("None" if one is type(None) else one.__name__ for one in kinds)
        raise PermanentError(
            f"the provider {self.name} has a fault: its '{method}' must give one answer ({names}) for each of "
            f"{len(requests)} requests, and gave {_told_kinds(given)}. {_REPORT}",
            code=_FAULT,
        )


def _is_list(given: object) -> TypeGuard[Sequence[object]]:
    return isinstance(given, Sequence) and not isinstance(given, str | bytes)


def _told_kinds(given: object) -> str:
    """`2 answers (Done, NoneType)`: no values, which may hold secrets."""
    if not _is_list(given):
        return type(given).__name__
    kinds = ", ".join(sorted({type(one).__name__ for one in given}))
    return f"{len(given)} answers" + (f" ({kinds})" if kinds else "")


def masked_item(item: ObservedItem, masker: Masker) -> ObservedItem:
    """An observed item with its words masked. Its properties stay: they are compared, and never told with a secret."""
    text = masker.mask(item.message)
    return item if text == item.message else replace(item, message=text)


def masked_observation(observation: Observation, found: ManagedObject, requests: Requests) -> Observation:
    """The observation of one incarnation with the words of the provider masked."""
    item = observation.item
    masker = requests.masker(found, item.properties if item else None)
    return replace(observation, item=item and masked_item(item, masker), message=masker.mask(observation.message))


def _masked(outcomes: Sequence[Outcome], masker: Masker) -> list[Outcome]:
    return [_masked_outcome(outcome, masker) if masker else outcome for outcome in outcomes]


def _masked_outcome(outcome: Outcome, masker: Masker) -> Outcome:
    if isinstance(outcome, Done):
        return outcome
    return replace(
        outcome, message=masker.mask(outcome.message), code=masker.mask(outcome.code), hint=masker.mask(outcome.hint)
    )
