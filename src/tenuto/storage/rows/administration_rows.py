"""Rows of leases, deliveries and versions, and the values they hold."""

import json
from typing import Any

from tenuto.kit.canonical import to_text
from tenuto.model.lease import Lease
from tenuto.model.notification import Delivery
from tenuto.ports.store_administration import ProcessVersion
from tenuto.storage.rows.columns import Row, fields_of, same_fields

_LEASE = ("holder", "epoch", "renewed_at", "expires_at")
_DELIVERY = ("sink", "number", "event_id", "tries", "next_at", "last_error", "died_at")
_VERSION = ("fid", "composition_digest", "updated_at")


def lease_row(lease: Lease) -> dict[str, Any]:
    return fields_of(lease, _LEASE)


def lease_of(row: Row) -> Lease:
    return Lease(**same_fields(row, _LEASE))


def version_of(row: Row) -> ProcessVersion:
    return ProcessVersion(**same_fields(row, _VERSION))


def delivery_row(delivery: Delivery) -> dict[str, Any]:
    return {**fields_of(delivery, _DELIVERY), "document": to_text(delivery.document)}


def delivery_of(row: Row) -> Delivery:
    return Delivery(document=json.loads(row["document"]), **same_fields(row, _DELIVERY))
