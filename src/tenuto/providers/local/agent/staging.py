"""The transfers of blobs to a host.

Theory of operation. A transfer is read from the Conductor over the agent's own connection, goes on where it stopped,
and is kept only when its SHA-512 is right: a cut or changed one stores nothing. It may come from another host that has
the blob, and from the Conductor where none gives it. Blobs that no machine of the host has are removed after a while,
and so are the parts of transfers that no order goes on with (`parts`).

Blobs that are in use are read as a whole once a day, and at once where the size or the time of the file is another one
than when it was read; a damaged one is removed and told, so that it is ordered again.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial

import structlog

from tenuto.errors import NoRoomError, TenutoError
from tenuto.model.ids import Instant, JsonMap
from tenuto.ports.images import Stamp
from tenuto.providers.local.agent.calls import RefusedError, SilentError
from tenuto.providers.local.agent.parts import Parts, name_of
from tenuto.providers.local.agent.peers import Take, take
from tenuto.providers.local.driver import Problem
from tenuto.providers.local.images.folder import BlobFolder

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
        self._parts = Parts(blobs)
        self._take = take
        self._sources: dict[str, tuple[JsonMap, ...]] = {}
        self._verified: dict[str, float] = {}
        self._stamps: dict[str, Stamp] = {}
        """The stamps of the files that were good when they were read."""
        self._damage: dict[str, str] = {}
        self._is_verifying = False
        self._now = now
        self._lock = threading.Lock()
        self._under_way: dict[str, int] = {}
        self._failed: dict[str, Problem] = {}
        self._unused_since: dict[str, float] = {}

    def problem(self, sha512: str, sources: Sequence[JsonMap] = (), size: int = 0) -> Problem | None:
        """The reason why a blob is not here, whose transfer is started then; None when it is here. `sources` are other
        hosts that may have it, which are asked before the Conductor. `size` is that of the blob, where it is known."""
        if self._blobs.stamp(sha512) is not None and (not self._is_changed(sha512) or self.is_good(sha512)):
            return None
        with self._lock:
            self._sources[sha512] = tuple(sources)
            if (failed := self._failed.pop(sha512, None)) is not None:
                return failed
            if sha512 not in self._under_way:
                try:
                    self._parts.check_room(sha512, size)
                except NoRoomError as full:
                    return _not_come(sha512, str(full), is_full=True)
                self._under_way[sha512] = 0
                threading.Thread(target=self._run, args=(sha512,), name="transfer", daemon=True).start()
            count = self._under_way[sha512]
        return Problem(
            message=f"its image {sha512[:16]}… is on the way: {count / 1024**2:.1f} MiB have come", is_under_way=True
        )

    def keep(self, used: frozenset[str]) -> None:
        """Remove the blobs that no machine has had for a while, and the parts that no order went on with."""
        now = self._now()
        with self._lock:
            self._parts.tidy(used | self._under_way.keys(), Instant(now - UNUSED_S))
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

    def verify(self, digests: Sequence[str]) -> None:
        """Read the blob that was read the longest time ago, beside everything else: once a day for each, and one whose
        file was changed before the others."""
        now = self._now()
        with self._lock:
            changed = {one for one in digests if self._is_changed(one)}
            due = [
                one
                for one in digests
                if (one in changed or now >= self._verified.get(one, 0.0) + VERIFY_S) and one not in self._damage
            ]
            if self._is_verifying or not due:
                return
            self._is_verifying = True
            first = min(due, key=lambda one: (one not in changed, self._verified.get(one, 0.0), one))
        threading.Thread(target=self._verify, args=(first,), name="verification", daemon=True).start()

    def is_good(self, sha512: str) -> bool:
        """Read a blob as a whole now. A damaged one is removed, and told."""
        # Taken before the file is read: a change meanwhile is another stamp.
        stamp, content = self._blobs.stamp(sha512), self._blobs.content(sha512)
        is_good = content is not None and content.sha512 == sha512
        if content is not None and not is_good:
            # A machine that was made of it has a copy of its own, so nothing loses its disk.
            self._blobs.remove(sha512)
            _log.warning("agent.blob_damaged", sha512=sha512)
        with self._lock:
            if is_good:
                self._note_good(sha512, stamp)
            elif content is not None:
                self._damage[sha512] = "its bytes were not what they had been, so it was removed"
        return is_good

    def _is_changed(self, sha512: str) -> bool:
        """Whether the file of a blob has another size or time than when it was read, and was good."""
        stamp, known = self._blobs.stamp(sha512), self._stamps.get(sha512)
        return None not in (stamp, known) and stamp != known

    def _note_good(self, sha512: str, stamp: Stamp | None) -> None:
        self._verified[sha512] = self._now()
        if stamp is not None:
            self._stamps[sha512] = stamp

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
            if is_full:
                with suppress(TenutoError):
                    self._parts.give_up(sha512, self._under_way)
            if cause:
                self._failed[sha512] = _not_come(sha512, cause, is_full=is_full)

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
        name, at = name_of(sha512), Instant(self._now())
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
        stamp = self._blobs.keep(name, sha512)
        with self._lock:
            self._note_good(sha512, stamp)
            self._damage.pop(sha512, None)
            self._parts.came(sha512)
        _log.info("agent.blob_staged", sha512=sha512, bytes=size, source=source)


def _not_come(sha512: str, cause: str, *, is_full: bool) -> Problem:
    return Problem(message=f"its image {sha512[:16]}… did not come: {cause}", is_full=is_full)
