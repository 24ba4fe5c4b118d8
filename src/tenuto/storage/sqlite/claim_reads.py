"""Reads of an SQLite store about objects without a process, and about claims and relations."""

import json
from abc import abstractmethod
from contextlib import AbstractContextManager
from typing import Any, Protocol

from tenuto.model.claim import HeldClaim, Relation
from tenuto.model.ids import ObjectId
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_claims import Dangling, ObjectQuery
from tenuto.storage.rows.columns import Row
from tenuto.storage.sqlite import claims as sqlite_claims


class ObjectStatements(Protocol):
    """The named queries of rows and of objects within one moment."""

    def one(self, name: str, parameters: dict[str, Any]) -> Row | None: ...
    def all(self, name: str, parameters: dict[str, Any]) -> list[Row]: ...
    def objects(self, name: str, parameters: dict[str, Any]) -> tuple[ManagedObject, ...]: ...


class SqliteClaimReads:
    """Implements `ClaimReads`."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[ObjectStatements]:
        """Statements that all see one moment."""

    def object_page(self, query: ObjectQuery) -> tuple[ManagedObject, ...]:
        parameters = {
            "types": json.dumps(query.types),
            "states": json.dumps(query.states),
            "account": query.account,
            "name": query.name,
            "live": query.live,
            "after": query.after,
            "limit": max(query.limit, 0),
        }
        with self._reading() as reads:
            return reads.objects("objects_requested_by_name" if query.name else "objects_requested", parameters)

    def claim(self, space: str, key: str) -> HeldClaim | None:
        with self._reading() as reads:
            row = reads.one("claim", {"space": space, "key": key})
        return None if row is None else sqlite_claims.claim_of(row)

    def claims_of(self, object_id: ObjectId) -> tuple[HeldClaim, ...]:
        with self._reading() as reads:
            return tuple(map(sqlite_claims.claim_of, reads.all("claims_of_object", {"object_id": object_id})))

    def relations_of(self, object_id: ObjectId) -> tuple[Relation, ...]:
        with self._reading() as reads:
            return tuple(map(sqlite_claims.relation_of, reads.all("relations_of_object", {"object_id": object_id})))

    def users_of(self, object_id: ObjectId, limit: int) -> tuple[ManagedObject, ...]:
        with self._reading() as reads:
            return reads.objects("users_of_object", {"object_id": object_id, "limit": max(limit, 0)})

    def dangling(self, limit: int) -> Dangling:
        parameters = {"limit": max(limit, 0)}
        with self._reading() as reads:
            return Dangling(
                claims=tuple(map(sqlite_claims.claim_of, reads.all("dangling_claims", parameters))),
                relations=tuple(map(sqlite_claims.relation_of, reads.all("dangling_relations", parameters))),
            )
