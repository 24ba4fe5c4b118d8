"""Volumes: the root of every instance, and those that are made on their own."""

from collections.abc import Mapping
from typing import Any

from tenuto.testing.cloud.call import Call
from tenuto.testing.cloud.describing import Listing, describe
from tenuto.testing.cloud.families.ec2_region import zone_of
from tenuto.testing.cloud.families.kinds import INSTANCE, VOLUME
from tenuto.testing.cloud.tags import check_specifications, tags_at_birth
from tenuto.testing.cloud.wire.messages import Refusal
from tenuto.testing.cloud.world import Data, Thing

_ROOT_GIB = 8

VOLUMES = Listing(
    kind=VOLUME,
    members="Volumes",
    ids="VolumeIds",
    filters={
        "attachment.device": "Attachments.Device",
        "attachment.instance-id": "Attachments.InstanceId",
        "availability-zone": "AvailabilityZone",
        "size": "Size",
        "status": "State",
        "volume-id": "VolumeId",
        "volume-type": "VolumeType",
    },
    ids_exclude_pages=True,
)


def _make(call: Call, zone: str, size: int, **more: Any) -> Thing:
    data = {
        "Attachments": [],
        "AvailabilityZone": zone,
        "CreateTime": call.now,
        "Encrypted": False,
        "Size": size,
        "State": "creating",
        "VolumeType": "gp3",
        **more,
    }
    return call.make(VOLUME, data, is_asked_for=False)


def attach_root(call: Call, instance: Thing) -> None:
    """The volume that an instance starts from; it goes with its instance."""
    devices = call.want("BlockDeviceMappings") or ()
    root: Data = next((one for one in devices if one.get("DeviceName") == instance["RootDeviceName"]), {})
    size = (root.get("Ebs") or {}).get("VolumeSize", _ROOT_GIB)
    volume = _make(call, instance["Placement"]["AvailabilityZone"], size, State="in-use")
    volume.data["Tags"] = tags_at_birth(call.want("TagSpecifications") or (), "volume")
    _attach(call, volume, instance, instance["RootDeviceName"], is_root=True)


def _attach(call: Call, volume: Thing, instance: Thing, device: str, *, is_root: bool) -> Data:
    shown = {
        "AttachTime": call.now,
        "DeleteOnTermination": is_root,
        "Device": device,
        "InstanceId": instance.id,
        "State": "attached",
        "VolumeId": volume.id,
    }
    call.edit(volume).update(Attachments=[shown], State="in-use")
    call.place.table(VOLUME).move(volume, (instance.id,) if is_root else ())
    ebs = {"DeleteOnTermination": is_root, "Status": "attached", "VolumeId": volume.id}
    call.edit(instance)["BlockDeviceMappings"].append({"DeviceName": device, "Ebs": ebs})
    return shown


def _create(call: Call) -> Data:
    check_specifications(call.want("TagSpecifications") or (), ["volume"])
    if not call.want("Size") and not call.want("SnapshotId"):
        raise Refusal("MissingParameter", "The request must contain the parameter size or snapshotId")
    if not 1 <= int(call.want("Size") or _ROOT_GIB) <= 65536:
        raise Refusal("InvalidParameterValue", f"Volume of {call.want('Size')}GiB is invalid.")
    zone = zone_of(call)["ZoneName"]
    volume = _make(call, zone, call.want("Size") or _ROOT_GIB, **call.copied("VolumeType", "Encrypted", "Iops"))
    volume.data["Tags"] = tags_at_birth(call.want("TagSpecifications") or (), "volume")
    call.later(call.cloud.pace.volume_s, lambda then: then.edit(volume).update(State="available"))
    return dict(volume.data)


def _attach_to(call: Call) -> Data:
    volume, instance = call.get(VOLUME, call.want("VolumeId")), call.get(INSTANCE, call.want("InstanceId"))
    if volume["State"] != "available":
        raise Refusal("IncorrectState", f"The volume '{volume.id}' is not 'available'.")
    if volume["AvailabilityZone"] != instance["Placement"]["AvailabilityZone"]:
        raise Refusal("InvalidVolume.ZoneMismatch", f"The volume '{volume.id}' is not in the zone of '{instance.id}'")
    return _attach(call, volume, instance, call.want("Device"), is_root=False)


def _detach(call: Call) -> Data:
    volume = call.get(VOLUME, call.want("VolumeId"))
    if not volume["Attachments"]:
        raise Refusal("IncorrectState", f"Volume '{volume.id}' is in the 'available' state.")
    attachment = volume["Attachments"][0]
    data = call.edit(call.get(INSTANCE, attachment["InstanceId"]))
    data["BlockDeviceMappings"] = [one for one in data["BlockDeviceMappings"] if one["Ebs"]["VolumeId"] != volume.id]
    call.edit(volume).update(Attachments=[], State="available")
    return {**attachment, "State": "detaching"}


def _delete(call: Call) -> Data:
    volume = call.get(VOLUME, call.want("VolumeId"))
    if volume["Attachments"]:
        raise Refusal("VolumeInUse", f"Volume {volume.id} is currently attached to an instance")
    call.remove(volume)
    return {}


HANDLERS: Mapping[str, Any] = {
    "AttachVolume": _attach_to,
    "CreateVolume": _create,
    "DeleteVolume": _delete,
    "DescribeVolumes": describe(VOLUMES),
    "DetachVolume": _detach,
}
