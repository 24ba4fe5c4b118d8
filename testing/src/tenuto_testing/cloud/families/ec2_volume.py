"""Volumes: the root of every instance, and those that are made on their own."""

import re
from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call, unknown
from tenuto_testing.cloud.describing import Listing, describe
from tenuto_testing.cloud.families import ec2_volume_shape as shape
from tenuto_testing.cloud.families.ec2_region import zone_of
from tenuto_testing.cloud.families.kinds import INSTANCE, SNAPSHOT, VOLUME
from tenuto_testing.cloud.families.kms_key import key_arn
from tenuto_testing.cloud.tags import check_specifications, tags_at_birth
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

_ROOT_GIB = 8
_DEFAULT_KEY = "alias/aws/ebs"
_DEVICE = re.compile(r"(/dev/)?(sd|xvd)[a-z]{1,2}([1-9]|1[0-5])?")
_MODIFIABLE = ("Iops", "MultiAttachEnabled", "Size", "Throughput", "VolumeType")

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
        "SnapshotId": "",
        "State": "creating",
        **more,
    }
    data |= shape.shown(data)
    data |= _encryption(call, data)
    return call.make(VOLUME, data, is_asked_for=False, hidden={"modified_at": None})


def _encryption(call: Call, wanted: Data) -> Data:
    """The key of an encrypted volume, by its ARN however it was named; it is looked for after the order was taken."""
    if not wanted["Encrypted"]:
        return {}
    try:
        return {"KmsKeyId": key_arn(call, wanted.get("KmsKeyId") or _DEFAULT_KEY)}
    except Refusal:
        return {"State": "error"}


def attach_root(call: Call, instance: Thing) -> None:
    """The volume that an instance starts from; it goes with its instance."""
    devices = call.want("BlockDeviceMappings") or ()
    root: Data = next((one for one in devices if one.get("DeviceName") == instance["RootDeviceName"]), {})
    wanted = root.get("Ebs") or {}
    more = {name: wanted[name] for name in ("Encrypted", "KmsKeyId") if name in wanted}
    size, zone = wanted.get("VolumeSize", _ROOT_GIB), instance["Placement"]["AvailabilityZone"]
    volume = _make(call, zone, size, State="in-use", VolumeType="gp3", **more)
    volume.data["Tags"] = tags_at_birth(call.want("TagSpecifications") or (), "volume")
    _attach(call, volume, instance, instance["RootDeviceName"], is_root=True)


def let_go(call: Call, instance: Thing) -> None:
    """An instance has ended: its root goes with it, and every other volume is free again."""
    for volume in call.all(VOLUME, instance.id):
        if volume["Attachments"][0]["DeleteOnTermination"]:
            call.remove(volume)
        else:
            _free(call, volume)


def _attach(call: Call, volume: Thing, instance: Thing, device: str, *, is_root: bool) -> Data:
    shown = {
        "AttachTime": call.now,
        "DeleteOnTermination": is_root,
        "Device": device,
        "InstanceId": instance.id,
        "State": "attached" if is_root else "attaching",
        "VolumeId": volume.id,
    }
    call.edit(volume).update(Attachments=[shown], State="in-use")
    call.place.table(VOLUME).move(volume, (instance.id,))
    ebs = {"DeleteOnTermination": is_root, "Status": shown["State"], "VolumeId": volume.id}
    call.edit(instance)["BlockDeviceMappings"].append({"DeviceName": device, "Ebs": ebs})
    return shown


def _create(call: Call) -> Data:
    check_specifications(call.want("TagSpecifications") or (), ["volume"])
    wanted = call.copied("Encrypted", "Iops", "KmsKeyId", "MultiAttachEnabled", "Size", "SnapshotId", "Throughput")
    if wanted.get("KmsKeyId") and not wanted.get("Encrypted"):
        raise Refusal(
            "InvalidParameterDependency", "The parameter KmsKeyId requires the parameter Encrypted to be set."
        )
    wanted = {"VolumeType": call.want("VolumeType", "gp2"), **_sized(call, wanted)}
    shape.check(wanted)
    zone = zone_of(call)
    wanted["AvailabilityZoneId"] = zone["ZoneId"]
    volume = _make(call, zone["ZoneName"], wanted.pop("Size"), **wanted)
    volume.data["Tags"] = tags_at_birth(call.want("TagSpecifications") or (), "volume")
    if volume["State"] == "creating":
        call.later(call.cloud.pace.volume_s, lambda then: then.edit(volume).update(State="available"))
    return dict(volume.data)


def _sized(call: Call, wanted: Data) -> Data:
    """An order with its size, which a snapshot may give. Raises Refusal."""
    if "SnapshotId" not in wanted:
        if "Size" not in wanted:
            raise Refusal("MissingParameter", "The request must contain the parameter size or snapshotId")
        return wanted
    snapshot = call.get(SNAPSHOT, wanted["SnapshotId"])
    if snapshot["State"] != "completed":
        raise Refusal("IncorrectState", f"Snapshot is in invalid state - {snapshot['State']}")
    size = wanted.get("Size", snapshot["VolumeSize"])
    if size < snapshot["VolumeSize"]:
        raise Refusal("InvalidParameterValue", f"Volume of {size}GiB is smaller than its snapshot.")
    return {**wanted, "Size": size}


def _there(call: Call) -> Thing:
    """A volume that is not on its way out. Raises Refusal."""
    volume = call.get(VOLUME, call.want("VolumeId"))
    if volume["State"] == "deleting":
        raise unknown(VOLUME, volume.id)
    return volume


def _attach_to(call: Call) -> Data:
    volume, instance, device = _there(call), call.get(INSTANCE, call.want("InstanceId")), call.want("Device")
    if volume["Attachments"]:
        raise Refusal("VolumeInUse", f"{volume.id} is already attached to an instance")
    if volume["State"] != "available":
        raise Refusal("IncorrectState", f"The volume '{volume.id}' is not 'available'.")
    if instance["State"]["Name"] not in ("running", "stopped"):
        raise Refusal("IncorrectState", f"Instance '{instance.id}' is not 'running'.")
    if volume["AvailabilityZone"] != instance["Placement"]["AvailabilityZone"]:
        raise Refusal("InvalidVolume.ZoneMismatch", f"The volume '{volume.id}' is not in the zone of '{instance.id}'")
    if not _DEVICE.fullmatch(device):
        raise Refusal("InvalidParameterValue", f"Value ({device}) for parameter device is not a valid EBS device name.")
    if any(one["DeviceName"] == device for one in instance["BlockDeviceMappings"]):
        raise Refusal("InvalidParameterValue", f"Attachment point {device} is already in use")
    shown = _attach(call, volume, instance, device, is_root=False)
    call.later(call.cloud.pace.attachment_s, lambda then: _attached(then, volume))
    return dict(shown)


def _attached(then: Call, volume: Thing) -> None:
    if volume["Attachments"] and volume["Attachments"][0]["State"] == "attaching":
        then.edit(volume)["Attachments"] = [{**volume["Attachments"][0], "State": "attached"}]
        _map(then, volume, "attached")


def _map(call: Call, volume: Thing, status: str | None) -> None:
    """Set the status of a volume that its instance shows; None removes the volume there."""
    instance = call.place.table(INSTANCE).things.get(volume["Attachments"][0]["InstanceId"])
    if instance is None:
        return
    data = call.edit(instance)
    data["BlockDeviceMappings"] = [
        one if one["Ebs"]["VolumeId"] != volume.id else {**one, "Ebs": {**one["Ebs"], "Status": status}}
        for one in data["BlockDeviceMappings"]
        if status or one["Ebs"]["VolumeId"] != volume.id
    ]


def _detach(call: Call) -> Data:
    volume = _there(call)
    if not volume["Attachments"]:
        raise Refusal("IncorrectState", f"Volume '{volume.id}' is in the 'available' state.")
    attachment = volume["Attachments"][0]
    if call.want("InstanceId", attachment["InstanceId"]) != attachment["InstanceId"]:
        raise Refusal("InvalidAttachment.NotFound", f"'{volume.id}' is not attached to '{call.want('InstanceId')}'.")
    instance = call.get(INSTANCE, attachment["InstanceId"])
    if attachment["State"] == "detaching":
        raise Refusal("IncorrectState", f"Volume '{volume.id}' is in the 'detaching' state.")
    if attachment["Device"] == instance["RootDeviceName"] and instance["State"]["Name"] != "stopped":
        raise Refusal(
            "OperationNotPermitted", f"Unable to detach root volume '{volume.id}' from instance '{instance.id}'"
        )
    leaving = {**attachment, "State": "detaching"}
    call.edit(volume)["Attachments"] = [leaving]
    _map(call, volume, "detaching")
    call.later(call.cloud.pace.attachment_s, lambda then: _free(then, volume))
    return leaving


def _free(then: Call, volume: Thing) -> None:
    if volume["Attachments"]:
        _map(then, volume, None)
        then.edit(volume).update(Attachments=[], State="available")
        then.place.table(VOLUME).move(volume, ())


def _modify(call: Call) -> Data:
    volume, now = _there(call), call.now
    given = call.copied("Iops", "MultiAttachEnabled", "Size", "Throughput", "VolumeType")
    if volume["State"] not in ("available", "in-use"):
        raise Refusal("IncorrectState", f"The volume '{volume.id}' is '{volume['State']}'.")
    pace, last = call.cloud.pace, volume.hidden["modified_at"]
    if last is not None and now < last + pace.modification_s * pace.times:
        raise Refusal(
            "VolumeModificationRateExceeded",
            "You've reached the maximum modification rate per volume limit. Wait at least 6 hours between "
            "modifications per EBS volume.",
        )
    if given.get("Size", volume["Size"]) < volume["Size"]:
        raise Refusal("InvalidParameterValue", f"New size cannot be smaller than existing size {volume['Size']}")
    wanted = {"Size": volume["Size"], "VolumeType": volume["VolumeType"], **given}
    if wanted["VolumeType"] == volume["VolumeType"] != "gp2":
        wanted = {**{key: volume.get(key) for key in ("Iops", "Throughput")}, **wanted}
    shape.check(wanted)
    before = {f"Original{key}": volume.get(key) for key in _MODIFIABLE}
    after = {f"Target{key}": wanted.get(key, volume.get(key)) for key in _MODIFIABLE}
    volume.hidden["modified_at"] = now
    changed = {"Size": wanted["Size"], "VolumeType": wanted["VolumeType"], **shape.shown(wanted)}
    call.later(pace.volume_s, lambda then: then.edit(volume).update(changed))
    state = {"ModificationState": "modifying", "Progress": 0, "StartTime": now, "VolumeId": volume.id}
    return {"VolumeModification": {**state, **before, **after}}


def _attribute(call: Call) -> Data:
    """The switch that lets a volume work on after a doubt about its data."""
    volume = _there(call)
    return {"VolumeId": volume.id, "AutoEnableIO": {"Value": volume.hidden.get("auto_enable_io", False)}}


def _set_attribute(call: Call) -> Data:
    _there(call).hidden["auto_enable_io"] = call.want("AutoEnableIO")["Value"]
    return {}


def _delete(call: Call) -> Data:
    volume = _there(call)
    if volume["Attachments"]:
        raise Refusal("VolumeInUse", f"Volume {volume.id} is currently attached to an instance")
    if volume["State"] == "creating":
        raise Refusal("IncorrectState", f"The volume '{volume.id}' is 'creating'.")
    call.edit(volume)["State"] = "deleting"
    call.later(call.cloud.pace.network_s, lambda then: then.remove(volume))
    return {}


HANDLERS: Mapping[str, Any] = {
    "AttachVolume": _attach_to,
    "CreateVolume": _create,
    "DeleteVolume": _delete,
    "DescribeVolumeAttribute": _attribute,
    "DescribeVolumes": describe(VOLUMES),
    "DetachVolume": _detach,
    "ModifyVolume": _modify,
    "ModifyVolumeAttribute": _set_attribute,
}
