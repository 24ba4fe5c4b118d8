"""AWS::EC2::Volume and AWS::EC2::VolumeAttachment.

A volume whose deletion policy is Snapshot is copied before it goes: a snapshot with our mark is made once, even if the
Conductor dies in between, and waited for. It stays in the account, and has no owner.
"""

from collections.abc import Iterable

from tenuto.errors import ProviderError
from tenuto.model.ids import Json, JsonMap, PhysicalId
from tenuto.model.observation import Condition
from tenuto.model.outcome import Done, Outcome, Pending
from tenuto.model.resource import Comparison
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.answers.pages import ec2
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.names import client_token
from tenuto.providers.aws.client.owner import declared_tags
from tenuto.providers.aws.kind import AwsType, IdFilter, Scope, Seen, Source, Work, by_key, by_owner, flag
from tenuto.providers.aws.naming import KMS_KEY_IF_SHOWN
from tenuto.providers.aws.observed import narrowed, seen
from tenuto.providers.aws.question import by_ids
from tenuto.providers.aws.types.facts import calls, facts, unsaid

VOLUME = "AWS::EC2::Volume"
ATTACHMENT = "AWS::EC2::VolumeAttachment"
SNAPSHOT_OF = "tenuto:snapshot-of"
"""The key of the tag by which the snapshot of an incarnation is known."""
_VOLUMES = ec2("DescribeVolumes", "Volumes")
_SNAPSHOTS = ec2("DescribeSnapshots", "Snapshots")
_CONDITIONS = {
    "creating": Condition.PENDING,
    "deleting": Condition.GOING,
    "deleted": Condition.GOING,
    "error": Condition.BROKEN,
}
_ATTACHED = {"attaching": Condition.PENDING, "detaching": Condition.GOING, "detached": Condition.GOING}
_READ_AGAIN_S = 5.0
_COPY_AGAIN_S = 15.0
"""A snapshot takes a minute for each few gigabytes that changed."""
_AUTO = "AutoEnableIO"
_ZONES = ("AvailabilityZone", "AvailabilityZoneId")
_SIZES = ("Iops", "MultiAttachEnabled", "Size", "Throughput", "VolumeType")


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    volumes = list(client.pages(_VOLUMES, **narrowed(scope.filters)))
    details = scope.details(client, VOLUME, [one["VolumeId"] for one in volumes], lambda asked: _details(client, asked))
    found: list[Seen] = []
    for volume in volumes:
        if volume["VolumeId"] not in (client.unread or {}):
            found.append(_seen_volume({**volume, **details.get(volume["VolumeId"], {})}))
        found += [_seen_attachment(one) for one in volume.get("Attachments") or () if one.get("InstanceId")]
    return found


def _details(client: AccountClient, asked: Iterable[str]) -> dict[str, JsonMap]:
    """The attribute that costs a call for each volume that declares it."""

    def read(volume_id: str) -> JsonMap:
        answer = client.read("ec2", "DescribeVolumeAttribute", VolumeId=volume_id, Attribute="autoEnableIO")
        return {_AUTO: (answer.get(_AUTO) or {}).get("Value")}

    return client.each_there(read, asked)


def _seen_volume(volume: JsonMap) -> Seen:
    names = (*_ZONES, _AUTO, "Encrypted", "KmsKeyId", *_SIZES)
    return seen(
        VOLUME,
        volume["VolumeId"],
        {name: volume.get(name) for name in names} | {"SnapshotId": volume.get("SnapshotId") or None},
        attributes={"VolumeId": volume["VolumeId"]},
        tags=volume.get("Tags") or (),
        condition=_CONDITIONS.get(str(volume.get("State")), Condition.READY),
        message="AWS reports an error of the volume" if volume.get("State") == "error" else "",
    )


def _seen_attachment(one: JsonMap) -> Seen:
    properties = {"Device": one.get("Device"), "InstanceId": one["InstanceId"], "VolumeId": one["VolumeId"]}
    condition = _ATTACHED.get(str(one.get("State")), Condition.READY)
    return seen(ATTACHMENT, _attachment_id(properties), properties, condition=condition)


def _attachment_id(properties: JsonMap) -> str:
    return f"{properties.get('VolumeId')}|{properties.get('InstanceId')}"


def _create(work: Work) -> Outcome:
    made = work.change(
        "ec2",
        "CreateVolume",
        **work.given(
            *_ZONES,
            "Encrypted",
            "KmsKeyId",
            "OutpostArn",
            "SnapshotId",
            "VolumeInitializationRate",
            *_SIZES,
        ),
        ClientToken=client_token(work.request),
        **work.birth(),
    )
    return Done(physical_id=made["VolumeId"], attributes={"VolumeId": made["VolumeId"]})


def _modify(work: Work) -> Outcome:
    """Change all sizes in one call: AWS takes the next one only hours later."""
    changed = {name: work.want(name) for name in _SIZES if work.differs(name)}
    if changed:
        work.change("ec2", "ModifyVolume", VolumeId=work.id, **changed)
    if work.differs(_AUTO):
        work.change("ec2", "ModifyVolumeAttribute", VolumeId=work.id, **{_AUTO: {"Value": flag(work.want(_AUTO))}})
    return Done(physical_id=work.id)


def _delete(work: Work) -> Outcome:
    if work.request.keeps_snapshot:
        waiting = _copied(work)
        if waiting is not None:
            return waiting
    work.change("ec2", "DeleteVolume", VolumeId=work.id)
    return Done(physical_id=work.id)


def _copied(work: Work) -> Outcome | None:
    """Make the snapshot, or find the one that was made; None when it is complete."""
    within = [{"Name": f"tag:{SNAPSHOT_OF}", "Values": [str(work.request.object_id)]}]
    for snapshot in work.client.pages(_SNAPSHOTS, Filters=within, OwnerIds=["self"]):
        if snapshot.get("State") == "completed":
            return None
        if snapshot.get("State") != "error":
            return Pending(
                message=f"snapshot {snapshot['SnapshotId']} is {snapshot.get('Progress') or 'pending'}",
                delay_s=_COPY_AGAIN_S,
            )
    tags: dict[str, str] = {**declared_tags(work.request.properties), SNAPSHOT_OF: str(work.request.object_id)}
    made = work.change(
        "ec2",
        "CreateSnapshot",
        VolumeId=work.id,
        Description=f"{work.request.process_name} {work.request.logical_id}, kept by its deletion policy",
        TagSpecifications=[
            {"ResourceType": "snapshot", "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}
        ],
    )
    return Pending(message=f"snapshot {made['SnapshotId']} is being made", delay_s=_READ_AGAIN_S)


def _attach(work: Work) -> Outcome:
    wanted = work.given("Device", "EbsCardIndex", "InstanceId", "VolumeId")
    work.change("ec2", "AttachVolume", **wanted)
    return Done(physical_id=PhysicalId(_attachment_id(wanted)))


def _detach(work: Work) -> Outcome:
    """Detach the volume: done when it shows no such attachment; detaching twice would be refused as a wrong state for
    ever.
    """
    volume_id, instance_id = str(work.id).split("|", 1)
    state = _attachment_state(work, volume_id, instance_id)
    if state in ("attached", "attaching", "busy"):
        work.change("ec2", "DetachVolume", VolumeId=volume_id, InstanceId=instance_id)
        state = _attachment_state(work, volume_id, instance_id)
    if state in ("", "detached"):
        return Done(physical_id=work.id)
    return Pending(message=f"{volume_id} is {state}", delay_s=_READ_AGAIN_S)


def _attachment_state(work: Work, volume_id: str, instance_id: str) -> str:
    try:
        volumes: Json = work.read("ec2", "DescribeVolumes", VolumeIds=[volume_id])["Volumes"]
    except ProviderError as error:
        if faults.is_gone(error):
            return ""
        raise
    attachments = [one for volume in volumes for one in volume.get("Attachments") or ()]
    return next((str(one.get("State")) for one in attachments if one.get("InstanceId") == instance_id), "")


SOURCE = Source(
    name="ec2.DescribeVolumes",
    read=_read,
    by_id={
        VOLUME: IdFilter(name="volume-id"),
        ATTACHMENT: IdFilter(name="volume-id"),
    },
)

EBS_VOLUME = AwsType(
    facts=facts(
        VOLUME,
        SOURCE,
        refused={
            "SourceVolumeId": "A copy is made by another call, which no emulator serves. Make a snapshot of "
            "the volume, and name it as SnapshotId.",
        },
        goes_in_steps=True,
        calls=calls(
            "ec2:CreateVolume",
            "ec2:DeleteVolume",
            changes={**dict.fromkeys(_SIZES, "ec2:ModifyVolume+"), _AUTO: "ec2:ModifyVolumeAttribute"},
            is_tagged=True,
        ),
        makes_once=True,
        create_only="AvailabilityZone AvailabilityZoneId Encrypted KmsKeyId OutpostArn SnapshotId "
        "VolumeInitializationRate",
        write_only="VolumeInitializationRate",
        costly=(_AUTO,),
        compare_as={
            "AvailabilityZoneId": Comparison.SHOWN,
            "KmsKeyId": KMS_KEY_IF_SHOWN,
            "MultiAttachEnabled": Comparison.SHOWN,
        },
        synonyms=[_ZONES],
        # The operations of these follow from the size. A snapshot is of the day the volume was made, and often gone.
        unsaid=[unsaid("Iops Throughput", VolumeType="gp2 sc1 st1 standard"), unsaid("SnapshotId", beside="Size")],
        has_snapshots=True,
        bears_data=True,
    ),
    source=SOURCE,
    question=by_ids("DescribeVolumes", "VolumeIds", "Volumes"),
    create=_create,
    modify=_modify,
    delete=_delete,
    is_found=by_owner,
    tagged_as="volume",
)

VOLUME_ATTACHMENT = AwsType(
    facts=facts(
        ATTACHMENT,
        SOURCE,
        goes_in_steps=True,
        calls=calls("ec2:AttachVolume", "ec2:DetachVolume"),
        write_only="EbsCardIndex",
        compare_as={"Device": Comparison.SHOWN},
        exclusive=[("VolumeId",), ("InstanceId", "Device")],
        is_tagged=False,
        is_mutable=False,
    ),
    source=SOURCE,
    create=_attach,
    delete=_detach,
    is_found=by_key(_attachment_id),
    find_filters=(("VolumeId", "volume-id"),),
)
TYPES = (EBS_VOLUME, VOLUME_ATTACHMENT)
