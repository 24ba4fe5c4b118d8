"""The store and the provider as one life of a Conductor sees them: watched, faulty, slow, and dead after its death.

A Conductor that was killed may still have tasks that were stopped in the middle of a call. Nothing they do may reach
the store or the cloud any more: both ends of a life that is over raise Crash.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from tenuto.errors import BugError, LeaseLostError, StoreUnavailableError
from tenuto.model.account import Account, Identity, KnownCredentials
from tenuto.model.ids import Instant, Json, ObjectId, Partition, TypeName
from tenuto.model.observation import ObservedItem, Sweep, Tracked
from tenuto.model.outcome import Context, Op, Outcome, Request
from tenuto.model.resource import ResourceType
from tenuto.ports.provider import OpSink, Provider
from tenuto.ports.store import Store
from tenuto.ports.store_changes import StoreChange
from tenuto_testing.mortality import Crash, Fate
from tenuto_testing.simulation.crew import Crew
from tenuto_testing.simulation.laws import Laws

_T = TypeVar("_T")
CALL = "call"
"""The name in a blow that strikes around a call of the cloud's own interface."""
_STOPS = 0.15
"""The share of the calls of a slow task at which it stops."""


class Weather:
    """How many of the next commits, their answers and reads will find the store unavailable."""

    def __init__(self) -> None:
        self._deed: Callable[[], None] | None = None
        self.commits_lost = 0
        self.answers_lost = 0
        self.reads_lost = 0

    def come(self, how: str, times: int) -> None:
        """So many times the store will be `down`, `unsure` or `unreadable`, and nothing else."""
        self.commits_lost = times if how == "down" else 0
        self.answers_lost = times if how == "unsure" else 0
        self.reads_lost = times if how == "unreadable" else 0

    def calm(self) -> None:
        self.come("", 0)

    def interrupt(self, deed: Callable[[], None]) -> None:
        """Do this right before the next commit, after its writer has read the rows that it decides on."""
        self._deed = deed

    def meet_interruption(self) -> None:
        deed, self._deed = self._deed, None
        if deed is not None:
            deed()

    def meet(self) -> None:
        """Raise StoreUnavailableError when this commit is one of them."""
        if self.commits_lost:
            self.commits_lost -= 1
            raise StoreUnavailableError("the disk is full")

    def meet_answer(self) -> None:
        """The same for a commit that was made, and whose answer is lost."""
        if self.answers_lost:
            self.answers_lost -= 1
            raise StoreUnavailableError("the connection broke before the answer came")

    def meet_read(self) -> None:
        """The same for a read."""
        if self.reads_lost:
            self.reads_lost -= 1
            raise StoreUnavailableError("the disk cannot be read")


class Life:
    """One life of a Conductor, from start to death."""

    def __init__(self, *, name: str, fate: Fate, weather: Weather, crew: Crew, laws: Laws) -> None:
        self.name = name
        self.is_over = False
        self.fate = fate
        self.weather = weather
        self.crew = crew
        self.laws = laws

    def check(self) -> None:
        """Raise Crash when it is over."""
        if self.is_over:
            raise Crash("before")

    def at_call(self, action: str, call: Callable[[], _T], *, is_change: bool) -> _T:
        """Make one call of the cloud's own interface, or die around it. The answer may take its time.

        Implements `simulation.ground.Gate`. No task stops before a call: between the check of the lease and the call
        there is no time that a Conductor could notice.
        """
        self.check()
        if is_change:
            self.laws.before_change(self.name, action)
            self.fate.meet(CALL, (action,), is_after=False)
        try:
            answer = call()
        finally:
            if self.crew.rng.random() < _STOPS:
                self.crew.pause()
        if is_change:
            self.laws.after_change()
            self.fate.meet(CALL, (action,), is_after=True)
        return answer


class LivingStore:
    """A store as one life sees it. Implements `ports.store.Store`."""

    def __init__(self, inner: Store, life: Life) -> None:
        self._inner = inner
        self._life = life

    def commit(self, changes: Sequence[StoreChange]) -> None:
        life = self._life
        life.check()
        life.weather.meet_interruption()
        life.weather.meet()
        life.fate.meet("commit", (), is_after=False)
        noticed = life.laws.judge(changes)
        try:
            self._inner.commit(changes)
        except LeaseLostError:
            raise  # by its own knowledge its plan may be a fine one; it is not stored
        except BugError as error:
            life.laws.broken(f"the store refused what must never be asked: {error}")
            raise
        life.laws.after_commit(life.name, changes, noticed)
        life.fate.meet("commit", (), is_after=True)
        life.weather.meet_answer()

    def __getattr__(self, name: str) -> Any:
        """A read. Asked for once by name."""
        found = getattr(self._inner, name)

        def read(*given: Any, **named: Any) -> Any:
            self._life.weather.meet_read()
            return found(*given, **named)

        setattr(self, name, read)
        return read


class LivingOps:
    """The Conductor's side of a provider's door in one life: the laws judge each call that it lets through."""

    def __init__(self, inner: OpSink, life: Life) -> None:
        self._inner = inner
        self._life = life

    def permit(self, objects: Sequence[ObjectId]) -> None:
        self._inner.permit(objects)
        self._life.laws.before_act(self._life.name, objects)

    def record(self, op: Op) -> None:
        self._inner.record(op)

    def called(self, service: str, api: str, result: str) -> None:
        self._inner.called(service, api, result)


class LivingProvider:
    """A provider as one life sees it. Implements `ports.provider.Provider`."""

    def __init__(self, inner: Provider, life: Life) -> None:
        self.name = inner.name
        self._inner = inner
        self._life = life

    def types(self) -> Mapping[TypeName, ResourceType]:
        return self._inner.types()

    def context(self, partition: Partition) -> Context:
        return self._call("context", (), lambda: self._inner.context(partition))

    def identify(self, account: Account) -> Identity:
        return self._inner.identify(account)

    def credentials(self, account: str) -> KnownCredentials:
        return self._inner.credentials(account)

    def lookup(self, partition: Partition, keys: Sequence[str]) -> Mapping[str, Json]:
        return self._call("lookup", keys, lambda: self._inner.lookup(partition, keys))

    def pointed_at(self, partition: Partition, names: Sequence[str], since: Instant) -> Mapping[str, str]:
        return self._inner.pointed_at(partition, names, since)

    def sweep(
        self, partition: Partition, source: str, tracked: Tracked, *, is_whole: bool = False, is_near: bool = False
    ) -> Mapping[TypeName, Sweep]:
        def sweep() -> Mapping[TypeName, Sweep]:
            return self._inner.sweep(partition, source, tracked, is_whole=is_whole, is_near=is_near)

        return self._call("sweep", (source,), sweep)

    def find(self, partition: Partition, requests: Sequence[Request]) -> Sequence[ObservedItem | None]:
        return self._write("find", requests, lambda: self._inner.find(partition, requests))

    def create(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._write("create", requests, lambda: self._inner.create(partition, requests))

    def modify(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._write("modify", requests, lambda: self._inner.modify(partition, requests))

    def delete(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._write("delete", requests, lambda: self._inner.delete(partition, requests))

    def claim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._write("claim", requests, lambda: self._inner.claim(partition, requests))

    def disclaim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._write("disclaim", requests, lambda: self._inner.disclaim(partition, requests))

    def _write(self, operation: str, requests: Sequence[Request], call: Callable[[], _T]) -> _T:
        def watched() -> _T:
            with self._life.laws.acting(operation, requests):
                return call()

        return self._call(operation, _subjects(requests), watched)

    def _call(self, operation: str, subjects: Sequence[str], call: Callable[[], _T]) -> _T:
        """Make one call of the port: stop before it and after it, or die there. A call that fails as a whole takes its
        time too."""
        life = self._life
        life.check()
        life.crew.pause()
        life.fate.meet(operation, subjects, is_after=False)
        try:
            answer = call()
        finally:
            life.crew.pause()
        life.fate.meet(operation, subjects, is_after=True)
        return answer


def _subjects(requests: Sequence[Request]) -> tuple[str, ...]:
    return tuple(request.logical_id for request in requests)
