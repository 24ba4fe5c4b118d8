"""Objects that requests make, as people and programs see them."""

from collections.abc import Sequence

from tenuto.core.planning.failures import upkeep_words
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.ids import JsonMap
from tenuto.model.image import DAMAGE
from tenuto.model.object_type import FieldType, ObjectType
from tenuto.model.resource import ManagedObject
from tenuto.service.common.values import time_text
from tenuto.service.objects.managed_objects import TAGS, ObjectPage, ObjectView
from tenuto.service.objects.object_finding import IsSeen

_TOLD = ("Version", "SizeBytes", "VirtualSizeGiB", "Format", DAMAGE, "SourceTrouble")
"""The attributes that lists tell."""


def types_document(types: Sequence[ObjectType]) -> JsonMap:
    return {"types": [_type(one) for one in types]}


def page_document(page: ObjectPage) -> JsonMap:
    return {"objects": [row_document(one) for one in page.items], "next": page.next}


def row_document(item: ManagedObject) -> dict[str, object]:
    """The line of an object in a list. `failed` says that a person must act."""
    table = CATALOGUE[item.lifecycle]
    return {
        "id": item.object_id,
        "type": item.type,
        "name": item.logical_id,
        "provider": item.provider,
        "account": item.partition.account,
        "region": item.partition.region,
        "state": item.state,
        "target": item.target,
        "settled": item.is_settled,
        "failed": item.is_phase_failed or item.state in table.errors,
        "live": not table.is_final(item.state),
        "message": "; ".join(part for part in (item.message, upkeep_words(item)) if part) or None,
        "created": time_text(item.created_at),
        "moved": time_text(item.moved_at),
        "leaving": item.target == table.gone,
        "fields": {name: value for name, value in sorted(item.desired.items()) if name != TAGS},
        "attributes": {name: item.attributes[name] for name in _TOLD if name in item.attributes},
    }


def object_document(view: ObjectView, is_seen: IsSeen = lambda _: True) -> JsonMap:
    """One object in detail. Of the objects that need it, it names only those that the reader may see."""
    item = view.item
    return {
        **row_document(item),
        "lifecycle": item.lifecycle,
        "tags": dict(item.desired.get(TAGS, {})),
        "attributes": dict(sorted(item.attributes.items())),
        "claims": [
            {"space": one.claim.space, "key": one.claim.key, "free_at": time_text(one.free_at)} for one in view.claims
        ],
        "needs": [
            {
                "role": relation.role,
                "id": relation.to_id,
                "type": None if target is None else target.type,
                "name": None if target is None else target.logical_id,
            }
            for relation, target in view.needs
        ],
        "needed_by": [
            {"id": one.object_id, "type": one.type, "name": one.logical_id} for one in view.users if is_seen(one)
        ],
        "phases": {
            name: {
                "state": entry.state,
                "status": entry.status.value,
                "message": entry.message or None,
                "wakes": time_text(entry.wake_at),
            }
            for name, entry in sorted(item.phases.items())
        },
    }


def _type(kind: ObjectType) -> JsonMap:
    return {
        "name": kind.name,
        "provider": kind.provider or None,
        "lifecycle": kind.lifecycle,
        "summary": kind.summary,
        "named": kind.is_named,
        "unique_in": kind.scope.value,
        "reserved_s": kind.halo_s,
        "right": kind.right.value,
        "fields": [_field(one) for one in kind.fields],
    }


def _field(field: FieldType) -> JsonMap:
    return {
        "name": field.name,
        "kind": field.kind.value,
        "summary": field.summary,
        "required": field.is_required,
        "default": field.default,
        "unique": field.is_claim,
        "of": list(field.of),
        "choices": list(field.choices),
    }
