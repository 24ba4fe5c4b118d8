"""Snapshots of volumes, which take a minute and stay when their volume goes."""

from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.describing import Listing, describe
from tenuto_testing.cloud.families.kinds import SNAPSHOT, VOLUME
from tenuto_testing.cloud.tags import check_specifications
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data

SNAPSHOTS = Listing(
    kind=SNAPSHOT,
    members="Snapshots",
    ids="SnapshotIds",
    filters={
        "description": "Description",
        "owner-id": "OwnerId",
        "snapshot-id": "SnapshotId",
        "status": "State",
        "volume-id": "VolumeId",
        "volume-size": "VolumeSize",
    },
    ids_exclude_pages=True,
)
_HERE = "self"


def _create(call: Call) -> Data:
    check_specifications(call.want("TagSpecifications") or (), ["snapshot"])
    volume = call.get(VOLUME, call.want("VolumeId"))
    if volume["State"] in ("creating", "deleting"):
        raise Refusal("IncorrectState", f"The volume '{volume.id}' is '{volume['State']}'.")
    data = {
        "Description": call.want("Description") or "",
        "Encrypted": volume["Encrypted"],
        "OwnerId": call.account,
        "Progress": "",
        "StartTime": call.now,
        "State": "pending",
        "StorageTier": "standard",
        "VolumeId": volume.id,
        "VolumeSize": volume["Size"],
    }
    snapshot = call.make(SNAPSHOT, data)
    call.later(call.cloud.pace.snapshot_s, lambda then: then.edit(snapshot).update(State="completed", Progress="100%"))
    return dict(snapshot.data)


def _describe(call: Call) -> Data:
    """The snapshots of the account: no other account shares any here."""
    owners = call.want("OwnerIds") or (_HERE,)
    if not {_HERE, call.account}.intersection(owners):
        return {"Snapshots": []}
    found: Data = describe(SNAPSHOTS)(call)
    return found


def _delete(call: Call) -> Data:
    call.remove(call.get(SNAPSHOT, call.want("SnapshotId")))
    return {}


HANDLERS: Mapping[str, Any] = {
    "CreateSnapshot": _create,
    "DeleteSnapshot": _delete,
    "DescribeSnapshots": _describe,
}
