"""The blobs on a host: an order for a machine is done when the bases of its disks are here, and not before.

Theory of operation. `StagingDriver` stands in front of the driver of the host. An order whose blobs are missing starts
their transfers and is under way; the Conductor gives it again, and finds them here in the end. A transfer is read from
the Conductor over the agent's own connection, goes on where it stopped, and is kept only when its SHA-512 is right: a
cut or changed one stores nothing. Blobs that no machine of the host has are removed after a while.

A copy that the host is to keep is such an order as well, for the blob alone. It may come from another host that has
one, and from the Conductor where none gives it. Kept copies are read as a whole once a day; a damaged one is removed
and told, so that it is ordered again.

A driver finds the file of a blob by `BlobFolder(state / BLOBS).path(sha512)`.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import structlog

from tenuto.errors import NoRoomError, TenutoError
from tenuto.kit.times import iso_text
from tenuto.model.ids import Instant, JsonMap, ObjectId
from tenuto.model.observation import Condition
from tenuto.providers.local.agent.calls import RefusedError, SilentError
from tenuto.providers.local.agent.copies import FILE, Copies
from tenuto.providers.local.agent.giving import Giving
from tenuto.providers.local.agent.peers import PeerServer, Take, take
from tenuto.providers.local.driver import HostDriver, Problem, Seen, Send, Spec
from tenuto.providers.local.images.folder import BLOBS, OF_A_HOST, BlobFolder
from tenuto.providers.local.objects import BLOB
from tenuto.providers.local.rules.machines.bases import digests_of
from tenuto.providers.local.rules.replication import SEND_AS, is_replica

VERIFY_S = 86400.0
"""Seconds after which a kept copy is read as a whole again."""
UNUSED_S = 3600.0
"""Seconds for which a blob stays that no machine has: the next machine often has the same base."""

Fetch = Callable[[str, int], Iterator[bytes]]
"""The bytes of a blob from an offset on. Raises SilentError and RefusedError."""

_log = structlog.get_logger("tenuto.hosts")


class Staging:
    """The transfers of a host. Thread-safe."""

    def __init__(
        self, blobs: BlobFolder, fetch: Fetch, now: Callable[[], float] = time.time, *, take: Take = take
    ) -> None:
        """`take` is the way to other hosts."""
        self._blobs = blobs
        self._fetch = fetch
        self._take = take
        self._sources: dict[str, tuple[JsonMap, ...]] = {}
        self._verified: dict[str, float] = {}
        self._damage: dict[str, str] = {}
        self._is_verifying = False
        self._now = now
        self._lock = threading.Lock()
        self._under_way: dict[str, int] = {}
        self._failed: dict[str, Problem] = {}
        self._unused_since: dict[str, float] = {}

    def problem(self, sha512: str, sources: Sequence[JsonMap] = ()) -> Problem | None:
        """The reason why a blob is not here, whose transfer is started then; None when it is here. `sources` are other
        hosts that may have it, which are asked before the Conductor."""
        if self._blobs.stamp(sha512) is not None:
            return None
        with self._lock:
            self._sources[sha512] = tuple(sources)
            if (failed := self._failed.pop(sha512, None)) is not None:
                return failed
            if sha512 not in self._under_way:
                self._under_way[sha512] = 0
                threading.Thread(target=self._run, args=(sha512,), name="transfer", daemon=True).start()
            count = self._under_way[sha512]
        return Problem(
            message=f"its image {sha512[:16]}… is on the way: {count / 1024**2:.1f} MiB have come", is_under_way=True
        )

    def keep(self, used: frozenset[str]) -> None:
        """Remove the blobs that no machine has had for a while."""
        now = self._now()
        for sha512 in self._blobs.stored():
            if sha512 in used:
                self._unused_since.pop(sha512, None)
            elif now >= self._unused_since.setdefault(sha512, now) + UNUSED_S:
                del self._unused_since[sha512]
                self._blobs.remove(sha512)
                _log.info("agent.blob_removed", sha512=sha512)

    def is_here(self, sha512: str) -> bool:
        """Whether a blob is here as a whole."""
        return self._blobs.stamp(sha512) is not None

    def verified_at(self, sha512: str) -> float | None:
        """The moment at which a blob was last read as a whole, and was good; None when it was not yet."""
        with self._lock:
            return self._verified.get(sha512)

    def damage(self, sha512: str) -> str:
        """The damage of a blob, which was removed then; empty for none. It is told until the blob comes again."""
        with self._lock:
            return self._damage.get(sha512, "")

    def verify(self, digests: Iterable[str]) -> None:
        """Read the blob that was read the longest time ago, beside everything else, once a day for each."""
        now = self._now()
        with self._lock:
            due = [one for one in digests if now >= self._verified.get(one, 0.0) + VERIFY_S and one not in self._damage]
            if self._is_verifying or not due:
                return
            self._is_verifying = True
            first = min(due, key=lambda one: (self._verified.get(one, 0.0), one))
        threading.Thread(target=self._verify, args=(first,), name="verification", daemon=True).start()

    def is_good(self, sha512: str) -> bool:
        """Read a blob as a whole now. A damaged one is removed, and told."""
        content = self._blobs.content(sha512)
        is_good = content is not None and content.sha512 == sha512
        if content is not None and not is_good:
            # A machine that was made of it has a copy of its own, so nothing loses its disk.
            self._blobs.remove(sha512)
            _log.warning("agent.blob_damaged", sha512=sha512)
        with self._lock:
            if is_good:
                self._verified[sha512] = self._now()
            elif content is not None:
                self._damage[sha512] = "its bytes were not what they had been, so it was removed"
        return is_good

    def _verify(self, sha512: str) -> None:
        try:
            self.is_good(sha512)
        except TenutoError as error:
            _log.warning("agent.blob_not_verified", sha512=sha512, reason=str(error))
        finally:
            with self._lock:
                self._is_verifying = False

    def _run(self, sha512: str) -> None:
        cause, is_full = "", False
        try:
            self._transfer(sha512)
        except NoRoomError as full:
            cause, is_full = str(full), True
        except (SilentError, RefusedError, TenutoError) as failed:
            cause = str(failed)
        except Exception as error:  # noqa: BLE001 - the border: the order must learn that the transfer has ended
            _log.exception("agent.transfer_failed", sha512=sha512)
            cause = repr(error)
        with self._lock:
            self._under_way.pop(sha512, None)
            if cause:
                told = f"its image {sha512[:16]}… did not come: {cause}"
                self._failed[sha512] = Problem(message=told, is_full=is_full)

    def _transfer(self, sha512: str) -> None:
        with self._lock:
            sources = self._sources.pop(sha512, ())
        for source in sources:
            try:
                self._come(sha512, partial(self._take, source), str(source["Host"]))
            except NoRoomError:
                raise  # No other source helps.
            except (SilentError, RefusedError, TenutoError, KeyError) as failed:
                _log.info("agent.peer_has_it_not", sha512=sha512, host=str(source.get("Host")), reason=str(failed))
            else:
                return
        self._come(sha512, self._fetch, "the Conductor")

    def _come(self, sha512: str, fetch: Fetch, source: str) -> None:
        name, at = ObjectId(sha512[:64]), Instant(self._now())
        self._blobs.begin(name, at)
        part = self._blobs.part(name)
        size = part.size if part else 0
        for block in fetch(sha512, size):
            size = self._blobs.append(name, size, block, Instant(self._now()))
            with self._lock:
                self._under_way[sha512] = size
        found = self._blobs.seal(name)
        if found.sha512 != sha512:
            self._blobs.drop(name)
            raise SilentError(f"what came has the SHA-512 {found.sha512[:16]}…; it was thrown away")
        self._blobs.keep(name, sha512)
        with self._lock:
            self._verified[sha512] = self._now()
            self._damage.pop(sha512, None)
        _log.info("agent.blob_staged", sha512=sha512, bytes=size, source=source)


class StagingDriver:
    """Implements `providers.local.driver.HostDriver` in front of another one."""

    def __init__(
        self,
        inner: HostDriver,
        staging: Staging,
        peers: PeerServer | None = None,
        giving: Giving | None = None,
        copies: Copies | None = None,
    ) -> None:
        """`giving` sends copies back to the Conductor; None for a host that sends none. `copies` are those of the agent
        before this one."""
        self._giving = giving
        self.name = inner.name
        self._inner = inner
        self._staging = staging
        self._peers = peers
        self._copies = copies or Copies()

    def meet(self, hosts: Mapping[str, str]) -> None:
        self._inner.meet(hosts)
        if self._peers is not None:
            self._peers.hosts = hosts

    def isolate(self, object_ids: Sequence[ObjectId]) -> str:
        return self._inner.isolate(object_ids)

    def doubt(self) -> str:
        return self._inner.doubt()

    def foreign(self) -> str:
        return self._inner.foreign()

    def send_by(self, send: Send) -> None:
        self._inner.send_by(send)
        if self._giving is not None:
            self._giving.send = send

    def ensure(self, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        missing: dict[ObjectId, Problem] = {}
        for spec in specs:
            if spec.type == BLOB:
                self._copies.keep(spec)
                if part := spec.properties.get(SEND_AS):
                    # The Conductor has no good one, so nothing is fetched for this.
                    if (given := self._given(spec, str(part))) is not None:
                        missing[spec.object_id] = given
                    continue
            sources = spec.properties.get("Sources", ()) if spec.type == BLOB else ()
            lacking = [found for one in digests_of(spec.attributes) if (found := self._staging.problem(one, sources))]
            # One that has failed is told before one that is on its way.
            for problem in sorted(lacking, key=lambda one: one.is_under_way)[:1]:
                missing[spec.object_id] = problem
        # An operation that is staged only has its files here, and does not begin.
        due = [
            one
            for one in specs
            if one.object_id not in missing and not one.properties.get("IsStaged") and one.type != BLOB
        ]
        problems = dict(self._inner.ensure(due))
        for spec in due:
            found = problems.get(spec.object_id)
            if found is not None and found.is_final and (damaged := self._damaged(spec)):
                problems[spec.object_id] = damaged
        return {**problems, **missing}

    def _damaged(self, spec: Spec) -> Problem | None:
        """The reason why an order failed that would not have with good blobs; None when they are good. A damaged one is
        removed, so it comes again when the order is given again."""
        bad = [
            one for one in digests_of(spec.attributes) if self._staging.is_here(one) and not self._staging.is_good(one)
        ]
        if not bad:
            return None
        return Problem(
            message=f"its image {bad[0][:16]}… had other bytes on this host, was removed, and is fetched again",
            is_under_way=True,
        )

    def _given(self, spec: Spec, part: str) -> Problem | None:
        """The reason why a copy that the Conductor asks for is not sent yet; None for one that it has."""
        if self._giving is None:
            return Problem(message="this host gives no copies back", is_final=True)
        return self._giving.problem(str(spec.properties["Sha512"]), part)

    def remove(self, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        # A copy is known by its name, also by an agent that began after it came: its file goes with the next look.
        copies = {one for one in object_ids if is_replica(one)}
        for object_id in copies:
            self._copies.drop(object_id)
        others = [one for one in object_ids if one not in copies]
        return self._inner.remove(others) if others else {}

    def hold(self, until: float) -> None:
        self._inner.hold(until)

    def let_go(self) -> None:
        self._inner.let_go()

    def observe(self) -> Sequence[Seen]:
        seen = [*self._inner.observe(), *(found for one in self._copies if (found := self._seen(one)))]
        kept = frozenset(digest for one in self._copies for digest in digests_of(one.attributes))
        self._staging.keep(kept | {digest for one in seen for digest in digests_of(one.attributes)})
        self._staging.verify(sorted(kept))
        return seen

    def _seen(self, spec: Spec) -> Seen | None:
        """A copy as it is; None for one that is not here, or not yet."""
        sha512 = str(spec.properties["Sha512"])
        damage, verified_at = self._staging.damage(sha512), self._staging.verified_at(sha512)
        if not damage and not self._staging.is_here(sha512):
            return None
        told = {"VerifiedAt": iso_text(Instant(verified_at))} if verified_at is not None else {}
        return Seen(
            object_id=spec.object_id,
            account=spec.account,
            owner=None,
            properties={"Sha512": sha512},
            attributes={**spec.attributes, **told},
            condition=Condition.BROKEN if damage else Condition.READY,
            message=damage,
        )


def staged(inner: HostDriver, state: Path, fetch: Fetch, peers: PeerServer | None = None) -> StagingDriver:
    """The driver of an agent with this state directory. `peers` gives its blobs to other hosts."""
    blobs = BlobFolder(state / BLOBS, no_room=OF_A_HOST)
    staging = Staging(blobs, fetch)
    return StagingDriver(inner, staging, peers, Giving(blobs, staging.is_good), Copies(state / FILE))
