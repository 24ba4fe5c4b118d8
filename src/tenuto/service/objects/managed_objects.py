"""Objects that requests make instead of compositions: namespaces, uploads, artifacts, blobs, agent operations.

Theory of operation. One mechanism serves every type (`model.object_type`). A request is held against the type, and
becomes one transaction: the object, its way through states where no phase applies, its claims, its relations and the
event of the command. The phases do the rest, as for resources. The store refuses a second holder of a name and a
relation to an object that is being deleted, so two requests at one moment cannot both win.

A deletion is soft: the object heads for the end of its table, and stays readable there until the cleaner removes it.
It is refused while other objects need this one. An object in an error state is deleted by the same command: a user who
gives it has seen the error.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tenuto.core.objects import fields as rules
from tenuto.core.objects.fields import claims_of, relations_of
from tenuto.core.objects.requested import born_alone, command_given
from tenuto.errors import ConflictError, NotAllowedError, NotFoundError, UserError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.access import ROOT, Right
from tenuto.model.account import DEFAULT_ACCOUNT
from tenuto.model.claim import HeldClaim, Relation
from tenuto.model.event import Event
from tenuto.model.ids import IdSource, Instant, JsonMap, ObjectId, Partition, TypeName
from tenuto.model.node import NODE_TYPES
from tenuto.model.object_type import ObjectType
from tenuto.model.resource import ManagedObject
from tenuto.ports.clock import Clock
from tenuto.ports.judging import Asked, JudgesRequests
from tenuto.ports.objects import ObjectWork
from tenuto.ports.store import Store
from tenuto.ports.store_changes import Append, SaveObject, StoreChange
from tenuto.ports.store_claims import ExpectUnused, ObjectQuery, SaveClaims, SaveRelations
from tenuto.ports.store_reads import EventQuery
from tenuto.service.accounts import tenants
from tenuto.service.accounts.accounts import known_account, still_there
from tenuto.service.common.until_stored import until_stored
from tenuto.service.objects.limits import checked_limits
from tenuto.service.objects.object_finding import (
    Accounts,
    IsSeen,
    all_accounts,
    found_object,
    is_over,
    no_object,
    with_ids,
)

TAGS = "Tags"
"""The member of an object's properties that holds its tags. No field of a type has this name."""
NOWHERE = "global"
"""The region of objects in an account that has none."""
MOST = 1000
"""Objects in one page."""
MOST_USERS = 20
"""Users of an object that are shown. More of them say nothing more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectView:
    """An object with its claims, its relations, and the objects that need it. `type` is None when nothing loaded offers
    its type any more."""

    item: ManagedObject
    type: ObjectType | None
    claims: tuple[HeldClaim, ...] = ()
    needs: tuple[tuple[Relation, ManagedObject | None], ...] = ()
    users: tuple[ManagedObject, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectPage:
    """A page of objects, and the id to go on after; None at the end."""

    items: tuple[ManagedObject, ...]
    next: ObjectId | None = None


class ManagedObjects:
    """Every method raises NotFoundError, NotAllowedError, UserError or StoreError, and then has changed nothing."""

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        ids: IdSource,
        types: Sequence[ObjectType],
        judges: Mapping[str, JudgesRequests],
        work: ObjectWork,
    ) -> None:
        """`judges` are the providers, by name, that know whether an object of theirs can be asked for now."""
        self._store = store
        self._clock = clock
        self._ids = ids
        self._types = tuple(sorted(types, key=lambda one: one.name))
        self._judges = judges
        self._work = work

    def types(self) -> tuple[ObjectType, ...]:
        """Return the types of objects, by name."""
        return self._types

    def type(self, reference: str) -> ObjectType:
        """Find a type by its whole name, or its last part. Raises UserError."""
        return rules.type_named(reference, self._types)

    def right_of(self, type_name: str) -> Right:
        """The right to change an object of a type, also of one that nothing loaded offers."""
        return next((one.right for one in self._types if one.name == type_name), Right.OBJECT)

    def create(
        self,
        type_name: str,
        name: str | None = None,
        *,
        fields: JsonMap | None = None,
        tags: JsonMap | None = None,
        account: str = DEFAULT_ACCOUNT,
        region: str | None = None,
        actor: str = ROOT,
    ) -> ObjectView:
        """A new object. Not idempotent, but for its name: the second one of that name is refused."""
        kind = self.type(type_name)
        if kind.made_by:
            raise UserError(f"An object of the type {kind.name} is made by {kind.made_by}. Nothing was changed.")
        rules.check_name(kind, name)
        rules.check_tags(tags or {})
        if kind.is_account:
            partition = Partition(account=name or "", region=NOWHERE)
            opening = tenants.opening(self._store, kind, partition.account, region=region, at=self._clock.now())
        else:
            home = known_account(self._store, account)
            partition = Partition(account=home.name, region=region or home.region or NOWHERE)
            opening = still_there(home)
        if kind.is_account:
            checked_limits((fields or {}).get("Limits") or {})
        properties = with_ids(self._store, kind, rules.checked_fields(kind, fields or {}), partition)
        if tags:
            properties[TAGS] = dict(tags)
        judged = self._judged(kind, properties, partition, actor)
        item = self._born(kind, name, properties, partition)
        changes = (
            self._told(item, "object create", actor),
            *judged,
            *opening,
            *self._work.begin(item, actor=actor),
            SaveClaims(object_id=item.object_id, at=item.created_at, claimed=claims_of(kind, item)),
            SaveRelations(object_id=item.object_id, saved=relations_of(kind, item)),
        )
        try:
            self._work.commit(changes)
        except ConflictError as refused:
            raise NotAllowedError(f"{kind.name} {item.logical_id} was not made: {refused}. Nothing was changed.") from (
                refused
            )
        return self._fresh(item.object_id)

    def page(self, query: ObjectQuery, is_seen: IsSeen = lambda _: True) -> ObjectPage:
        """Return objects by their id. A page may be shorter than its limit and not be the last."""
        limit = min(query.limit, MOST)
        types = tuple(name for one in query.types for name in self._names(one))
        found = self._store.object_page(replace(query, types=types, limit=limit))
        items = tuple(one for one in found if one.type not in NODE_TYPES and is_seen(one))
        return ObjectPage(items=items, next=found[-1].object_id if limit and len(found) == limit else None)

    def find(
        self,
        reference: str,
        type_name: str | None = None,
        is_seen: IsSeen = lambda _: True,
        accounts: Accounts = all_accounts,
    ) -> ManagedObject:
        """Find an object by its id, else by its name: the live one, else the one of these accounts that ended last. One
        that is not seen makes no name ambiguous. A short name of a type stands for those of all providers.

        Raises NotFoundError, and UserError when several live objects have the name.
        """
        return found_object(self._store, reference, self._names(type_name), is_seen, accounts)

    def missing(self, reference: str, type_name: str | None = None) -> NotFoundError:
        """The error for an object that is not there."""
        return no_object(reference, self._names(type_name))

    def show(self, reference: str, type_name: str | None = None) -> ObjectView:
        return self._view(self.find(reference, type_name))

    @until_stored
    def delete(self, reference: str, type_name: str | None = None, *, actor: str = ROOT) -> ObjectView:
        """Send the object to the end of its lifecycle. A second call does nothing. Refused while other
        objects need it.
        """
        item = self.find(reference, type_name)
        gone = CATALOGUE[item.lifecycle].gone
        if is_over(item) or item.target == gone:
            return self._view(item)
        kind = next((one for one in self._types if one.name == item.type), None)
        if kind is None:
            raise NotAllowedError(
                f"Nothing of this Conductor would take {item.type} {item.logical_id} down: no provider or plugin "
                f"brings its type. Start the Conductor with '--provider {item.provider}', or install the plugin. "
                "Nothing was changed."
            )
        closing: tuple[StoreChange, ...] = ()
        if kind.is_account:
            closing = tenants.closing(self._store, item, self._types, actor=actor, at=self._clock.now())
        users = self._store.users_of(item.object_id, MOST_USERS)
        if users:
            named = ", ".join(f"{one.type} {one.logical_id}" for one in users)
            raise NotAllowedError(
                f"{item.type} {item.logical_id} is still needed by {named}. Delete those first; nothing was changed."
            )
        self._work.commit(
            (
                ExpectUnused(object_id=item.object_id),
                *closing,
                self._told(item, "object delete", actor, _seen(item)),
                *self._work.head(item, gone, actor=actor, reason="deletion asked for"),
            )
        )
        return self._fresh(item.object_id)

    @until_stored
    def retry(self, reference: str, type_name: str | None = None, *, actor: str = ROOT) -> ObjectView:
        """Let the failed phases of an object start over, and the sleeping ones run now. A second call changes nothing.

        Refused for an object in an error state, which no way leads out of but its deletion.
        """
        item = self.find(reference, type_name)
        if is_over(item):
            raise NotAllowedError(f"{item.type} {item.logical_id} is {item.state}: nothing is left to be tried.")
        if item.state == CATALOGUE[item.lifecycle].failed and item.is_settled:
            raise NotAllowedError(
                f"{item.type} {item.logical_id} is in {item.state} and is not tried again. 'tenuto object delete "
                f"{item.object_id}' acknowledges the failure and deletes it; then make another."
            )
        changes = self._work.retry(item)
        if not changes:
            return self._view(item)
        self._work.commit((self._told(item, "object retry", actor), *changes))
        return self._fresh(item.object_id)

    @until_stored
    def tag(
        self,
        reference: str,
        tags: JsonMap,
        removed: Sequence[str] = (),
        *,
        type_name: str | None = None,
        actor: str = ROOT,
    ) -> ObjectView:
        """Set tags, and remove others. A tag that is not there is no error."""
        item = self.find(reference, type_name)
        if is_over(item):
            raise NotAllowedError(f"{item.type} {item.logical_id} is {item.state}: it cannot be tagged any more.")
        before: JsonMap = item.desired.get(TAGS, {})
        after = {name: value for name, value in {**before, **tags}.items() if name not in removed}
        if after == before:
            return self._view(item)
        rules.check_tags(after)
        tagged = replace(item, desired={**item.desired, TAGS: after})
        save = SaveObject(object=tagged, expected_generation=item.generation, documents=True)
        self._work.commit((self._told(item, "object tag", actor), save))
        return self._fresh(item.object_id)

    def events(
        self,
        reference: str,
        type_name: str | None = None,
        *,
        start: Instant | None = None,
        end: Instant | None = None,
        after: int = 0,
        before: int | None = None,
        limit: int = 1000,
    ) -> tuple[Event, ...]:
        """The newest `limit` events of an object, in rising order; also of one that was removed, by its id."""
        try:
            object_id = self.find(reference, type_name).object_id
        except NotFoundError:
            object_id = ObjectId(reference)
            is_stored = self._store.object(object_id) is not None
            last = self._store.events(EventQuery(object_id=object_id, limit=1))
            if is_stored or not last or last[0].fid is not None:  # The events of a process tell of its objects.
                raise
        return self._store.events(
            EventQuery(object_id=object_id, start=start, end=end, after=after, before=before, limit=limit),
        )

    def _names(self, reference: str | None) -> tuple[TypeName, ...]:
        """The names of the types that a reference means; none without one. Raises UserError."""
        return tuple(one.name for one in rules.types_named(reference, self._types)) if reference else ()

    def _born(self, kind: ObjectType, name: str | None, properties: JsonMap, partition: Partition) -> ManagedObject:
        return born_alone(
            CATALOGUE[kind.lifecycle],
            kind.name,
            partition,
            object_id=ObjectId(self._ids.new("object")),
            at=self._clock.now(),
            name=name,
            provider=kind.provider or None,
            desired=properties,
        )

    def _judged(self, kind: ObjectType, properties: JsonMap, partition: Partition, actor: str) -> tuple[Append, ...]:
        """The events that tell of a request beside its own. Raises the objection of its provider."""
        judge = self._judges.get(kind.provider)
        if judge is None:
            return ()
        asked = Asked(type=kind.name, partition=partition, properties=properties, actor=actor, at=self._clock.now())
        events = tuple(judge.judge(asked))
        return (Append(events=events),) if events else ()

    def _fresh(self, object_id: ObjectId) -> ObjectView:
        item = self._store.object(object_id)
        if item is None:
            raise NotFoundError(f"Object {object_id} was removed meanwhile.")
        return self._view(item)

    def _view(self, item: ManagedObject) -> ObjectView:
        needed = self._store.relations_of(item.object_id)
        targets = {one.object_id: one for one in self._store.selected([relation.to_id for relation in needed])}
        return ObjectView(
            item=item,
            type=next((one for one in self._types if one.name == item.type), None),
            claims=self._store.claims_of(item.object_id),
            needs=tuple((relation, targets.get(relation.to_id)) for relation in needed),
            users=self._store.users_of(item.object_id, MOST_USERS),
        )

    def _told(self, item: ManagedObject, command: str, actor: str, more: JsonMap | None = None) -> Append:
        return Append(events=(command_given(item, command, actor, self._clock.now(), **(more or {})),))


def _seen(item: ManagedObject) -> JsonMap:
    """The failure that a deletion acknowledges: the user who gives it has seen the object."""
    is_failed = item.is_phase_failed or item.state in CATALOGUE[item.lifecycle].errors
    return {"acknowledged": item.message or item.state} if is_failed else {}
