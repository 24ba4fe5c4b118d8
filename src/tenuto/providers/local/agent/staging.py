"""The blobs on a host: an order for a machine is done when the bases of its disks are here, and not before.

Theory of operation. `StagingDriver` stands in front of the driver of the host. An order whose blobs are missing starts
their transfers and is under way; the Conductor gives it again, and finds them here in the end. A transfer is read from
the Conductor over the agent's own connection, goes on where it stopped, and is kept only when its SHA-512 is right: a
cut or changed one stores nothing. Blobs that no machine of the host has are removed after a while.

A driver finds the file of a blob by `BlobFolder(state / BLOBS).path(sha512)`.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import structlog

from tenuto.errors import TenutoError
from tenuto.model.ids import Instant, ObjectId
from tenuto.providers.local.agent.calls import RefusedError, SilentError
from tenuto.providers.local.driver import HostDriver, Problem, Seen, Send, Spec
from tenuto.providers.local.images.folder import BLOBS, BlobFolder
from tenuto.providers.local.rules.bases import digests_of

UNUSED_S = 3600.0
"""Seconds for which a blob stays that no machine has: the next machine often has the same base."""

Fetch = Callable[[str, int], Iterator[bytes]]
"""The bytes of a blob from an offset on. Raises SilentError and RefusedError."""

_log = structlog.get_logger("tenuto.hosts")


class Staging:
    """The transfers of a host. Thread-safe."""

    def __init__(self, blobs: BlobFolder, fetch: Fetch, now: Callable[[], float] = time.time) -> None:
        self._blobs = blobs
        self._fetch = fetch
        self._now = now
        self._lock = threading.Lock()
        self._under_way: dict[str, int] = {}
        self._failed: dict[str, str] = {}
        self._unused_since: dict[str, float] = {}

    def problem(self, sha512: str) -> Problem | None:
        """The reason why a blob is not here, whose transfer is started then; None when it is here."""
        if self._blobs.stamp(sha512) is not None:
            return None
        with self._lock:
            if (cause := self._failed.pop(sha512, "")) != "":
                return Problem(message=f"its image {sha512[:16]}… did not come: {cause}")
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

    def _run(self, sha512: str) -> None:
        cause = ""
        try:
            self._transfer(sha512)
        except (SilentError, RefusedError, TenutoError) as failed:
            cause = str(failed)
        except Exception as error:  # noqa: BLE001 - the border: the order must learn that the transfer has ended
            _log.exception("agent.transfer_failed", sha512=sha512)
            cause = repr(error)
        with self._lock:
            self._under_way.pop(sha512, None)
            if cause:
                self._failed[sha512] = cause

    def _transfer(self, sha512: str) -> None:
        name, at = ObjectId(sha512[:64]), Instant(self._now())
        self._blobs.begin(name, at)
        part = self._blobs.part(name)
        size = part.size if part else 0
        for block in self._fetch(sha512, size):
            size = self._blobs.append(name, size, block, Instant(self._now()))
            with self._lock:
                self._under_way[sha512] = size
        found = self._blobs.seal(name)
        if found.sha512 != sha512:
            self._blobs.drop(name)
            raise SilentError(f"what came has the SHA-512 {found.sha512[:16]}…; it was thrown away")
        self._blobs.keep(name, sha512)
        _log.info("agent.blob_staged", sha512=sha512, bytes=size)


class StagingDriver:
    """Implements `providers.local.driver.HostDriver` in front of another one."""

    def __init__(self, inner: HostDriver, staging: Staging) -> None:
        self.name = inner.name
        self._inner = inner
        self._staging = staging

    def meet(self, hosts: Mapping[str, str]) -> None:
        self._inner.meet(hosts)

    def send_by(self, send: Send) -> None:
        self._inner.send_by(send)

    def ensure(self, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        missing: dict[ObjectId, Problem] = {}
        for spec in specs:
            problems = [found for one in digests_of(spec.attributes) if (found := self._staging.problem(one))]
            # One that has failed is told before one that is on its way.
            for problem in sorted(problems, key=lambda one: one.is_under_way)[:1]:
                missing[spec.object_id] = problem
        # An operation that is staged only has its files here, and does not begin.
        due = [one for one in specs if one.object_id not in missing and not one.properties.get("IsStaged")]
        return {**self._inner.ensure(due), **missing}

    def remove(self, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        return self._inner.remove(object_ids)

    def hold(self, until: float) -> None:
        self._inner.hold(until)

    def let_go(self) -> None:
        self._inner.let_go()

    def observe(self) -> Sequence[Seen]:
        seen = self._inner.observe()
        self._staging.keep(frozenset(digest for one in seen for digest in digests_of(one.attributes)))
        return seen


def staged(inner: HostDriver, state: Path, fetch: Fetch) -> StagingDriver:
    """The driver of an agent with this state directory."""
    return StagingDriver(inner, Staging(BlobFolder(state / BLOBS), fetch))
