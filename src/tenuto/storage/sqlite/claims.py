"""Claims and relations in SQLite: how they are checked and written, inside a transaction that another began."""

from tenuto.model.claim import Claim, HeldClaim, Relation
from tenuto.model.ids import Instant, ObjectId
from tenuto.ports.store_claims import ClaimChange, ExpectUnused, SaveClaims, SaveRelations
from tenuto.storage.rows.columns import Row
from tenuto.storage.rows.statements import Statements
from tenuto.storage.rules import claim_rules as rules

ENDINGS = ("reserve_claims_of_object", "remove_claims_of_object", "remove_relations_of_object")
"""The statements, in their order, for an object that came to its end: it holds nothing any more, and needs nothing."""


class SqliteClaims:
    """The writes of claims and relations. Each method asks `claim_rules` first, and raises their errors."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements

    def apply(self, change: ClaimChange) -> None:
        match change:
            case SaveClaims():
                self._save_claims(change)
            case SaveRelations():
                self._save_relations(change)
            case ExpectUnused(object_id=object_id):
                parameters = {"object_id": object_id, "limit": rules.MOST_NAMES + 1}
                users = self._statements.all("users_by_name", parameters)
                rules.check_unused(object_id, [(row["type"], row["logical_id"]) for row in users])

    def _save_claims(self, change: SaveClaims) -> None:
        rules.check_taker(change.object_id, self._holder(change.object_id))
        for claim in change.dropped:
            parameters = {"space": claim.space, "key": claim.key, "object_id": change.object_id, "at": change.at}
            for name in ("reserve_claim", "remove_claim"):
                self._statements.run(name, parameters)
        for claim in change.claimed:
            row = self._statements.one("claim", {"space": claim.space, "key": claim.key})
            held = None if row is None else claim_of(row)
            holder = None if held is None else self._holder(held.object_id)
            rules.check_claim(claim, change.object_id, held, holder, change.at)
            self._statements.run(
                "save_claim",
                {
                    "space": claim.space,
                    "key": claim.key,
                    "object_id": change.object_id,
                    "halo_s": claim.halo_s,
                },
            )

    def _save_relations(self, change: SaveRelations) -> None:
        rules.check_taker(change.object_id, self._holder(change.object_id))
        for relation in change.dropped:
            self._statements.run("remove_relation", _row_of(relation))
        for relation in change.saved:
            rules.check_relation(relation, change.object_id, self._holder(relation.to_id))
            self._statements.run("save_relation", _row_of(relation))

    def _holder(self, object_id: ObjectId) -> rules.Holder | None:
        row = self._statements.one("holder", {"object_id": object_id})
        if row is None:
            return None
        return rules.Holder(
            object_id=ObjectId(row["object_id"]),
            type=row["type"],
            name=row["logical_id"],
            lifecycle=row["lifecycle"],
            state=row["state"],
            target=row["target"],
            is_final=bool(row["is_final"]),
        )


def claim_of(row: Row) -> HeldClaim:
    return HeldClaim(
        claim=Claim(space=row["space"], key=row["key"], halo_s=row["halo_s"]),
        object_id=ObjectId(row["object_id"]),
        free_at=None if row["free_at"] is None else Instant(row["free_at"]),
    )


def relation_of(row: Row) -> Relation:
    return Relation(from_id=ObjectId(row["from_id"]), role=row["role"], to_id=ObjectId(row["to_id"]))


def _row_of(relation: Relation) -> dict[str, str]:
    return {"from_id": relation.from_id, "role": relation.role, "to_id": relation.to_id}
