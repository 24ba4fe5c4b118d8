"""The blobs of a host in front of its driver: an order for a machine is done when the bases of its disks are here, and
not before.

Theory of operation. An order whose blobs are missing starts their transfers (`staging`) and is under way; the Conductor
gives it again, and finds them here in the end. A copy that the host is to keep is such an order as well, for the blob
alone.

A driver finds the file of a blob by `BlobFolder(state / BLOBS).path(sha512)`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tenuto.kit.times import iso_text
from tenuto.model.ids import Instant, ObjectId
from tenuto.model.observation import Condition
from tenuto.providers.local.agent.copies import FILE, Copies
from tenuto.providers.local.agent.giving import Giving
from tenuto.providers.local.agent.peers import PeerServer
from tenuto.providers.local.agent.staging import Fetch, Staging
from tenuto.providers.local.driver import HostDriver, Problem, Seen, Send, Spec
from tenuto.providers.local.images.folder import BLOBS, OF_A_HOST, BlobFolder
from tenuto.providers.local.objects import BLOB
from tenuto.providers.local.rules.machines.bases import digests_of
from tenuto.providers.local.rules.replication import SEND_AS, is_replica


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
            is_copy = spec.type == BLOB
            sources = spec.properties.get("Sources", ()) if is_copy else ()
            size = int(spec.properties.get("SizeBytes", 0)) if is_copy else 0
            asked = digests_of(spec.attributes)
            lacking = [found for one in asked if (found := self._staging.problem(one, sources, size))]
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
        used = kept | {digest for one in seen for digest in digests_of(one.attributes)}
        self._staging.keep(used)
        self._staging.verify(sorted(used))
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
