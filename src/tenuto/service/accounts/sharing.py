"""Trust and sharing: the readers of artifacts of other namespaces, and of the blobs of these artifacts.

Theory of operation. A namespace names others in its field `Trust`: these see and use its artifacts. The namespace
`system` sees those of all, and an artifact that it marks as shared is seen by all. A blob belongs to no tenant, so it
is seen by the namespaces that see an artifact that refers to it, or have a machine that does. Its events name
neither a user nor a request to them: equal contents are one blob, which another tenant may have sent first. Everything
follows from the stored state, so the end of a trust counts at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from tenuto.model.event import Event
from tenuto.model.resource import ManagedObject
from tenuto.ports.images import ImageKeeping
from tenuto.ports.store import Store
from tenuto.ports.store_claims import ObjectQuery
from tenuto.service.accounts.former import NO_ACCOUNT, is_former_object
from tenuto.service.accounts.tenants import SYSTEM

ANY = "*"
"""In place of the name of an account: all of them."""
_MOST_USERS = 1000
"""A blob with more users is seen by those of these; its own tenants have it among them by their artifacts."""


class Sharing:
    """Tells who sees an object besides its own account. `keeping` is None where no provider keeps images."""

    def __init__(self, store: Store, keeping: ImageKeeping | None) -> None:
        self._store = store
        self._keeping = keeping

    def readers(self, item: ManagedObject) -> frozenset[str]:
        """The accounts whose users see the object, its own among them; `ANY` when all do."""
        own = self._home(item)
        keeping = self._keeping
        if keeping is None:
            return frozenset({own})
        if item.type == keeping.blob:
            users = self._store.users_of(item.object_id, _MOST_USERS)
            return frozenset({own}).union(*(self.readers(one) for one in users))
        if item.type not in (keeping.artifact, keeping.declared) or own == NO_ACCOUNT:
            return frozenset({own})
        if own == SYSTEM and item.desired.get("Shared"):
            return frozenset({ANY})
        return frozenset({own, SYSTEM, *self.trusted(own)})

    def is_seen(self, item: ManagedObject, sees: Callable[[str], bool]) -> bool:
        """Whether a caller who `sees` accounts sees the object. `sees(ANY)` is whether they see any account."""
        if sees(self._home(item)):
            return True
        return any(sees(one) for one in sorted(self.readers(item)))

    def told(self, item: ManagedObject, events: Sequence[Event], sees: Callable[[str], bool]) -> tuple[Event, ...]:
        """The events of an object for a caller who `sees` accounts. Those of a blob of all tenants name neither a user
        nor a request."""
        if self._keeping is None or item.type != self._keeping.blob or sees(item.partition.account):
            return tuple(events)
        return tuple(replace(one, actor="", request="") for one in events)

    def _home(self, item: ManagedObject) -> str:
        """The account of an object, as grants are asked about it."""
        return NO_ACCOUNT if is_former_object(self._store, item) else item.partition.account

    def trusted(self, account: str) -> tuple[str, ...]:
        """The names of the namespaces that this one trusts: they may see its artifacts."""
        query = ObjectQuery(account=account, name=account, live=True, limit=20)
        found = [one for one in self._store.object_page(query) if one.lifecycle == "namespace"]
        return tuple(str(one) for one in found[0].desired.get("Trust", ())) if found else ()
