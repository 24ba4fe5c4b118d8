"""The claims and relations of an object from its birth on, by its type."""

from tenuto.model.claim import Claim, Relation
from tenuto.model.ids import ObjectId
from tenuto.model.object_type import FieldKind, ObjectType, Scope
from tenuto.model.resource import ManagedObject


def claims_of(kind: ObjectType, item: ManagedObject) -> tuple[Claim, ...]:
    """The claim of its name, and those of its fields."""
    claims = [Claim(space=_space(kind, "name", item), key=item.logical_id, halo_s=kind.halo_s)] if kind.is_named else []
    claims += [
        Claim(space=_space(kind, field.name, item), key=str(item.desired[field.name]), halo_s=kind.halo_s)
        for field in kind.fields
        if field.is_claim and field.name in item.desired
    ]
    return tuple(claims)


def relations_of(kind: ObjectType, item: ManagedObject) -> tuple[Relation, ...]:
    """A relation for each field that names another object, by the id that it was stored with."""
    return tuple(
        Relation(from_id=item.object_id, role=field.role, to_id=ObjectId(item.desired[field.name]))
        for field in kind.fields
        if field.kind is FieldKind.OBJECT and field.name in item.desired
    )


def _space(kind: ObjectType, field: str, item: ManagedObject) -> str:
    """A space reads like the beginning of a message: `Simulated::Artifact name in account red`."""
    where = f" in account {item.partition.account}" if kind.scope is Scope.ACCOUNT else ""
    return f"{kind.name} {field}{where}"
