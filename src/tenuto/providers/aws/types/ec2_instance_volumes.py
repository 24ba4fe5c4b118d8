"""The volumes that an AWS::EC2::Instance declares as attached to it (`Volumes`).

EC2 shows all volumes of an instance together: its root, those of its devices, and those that others have attached. So
the declared ones are held among the others, and one is detached when it was declared and is not any more. One that is
on another device is detached first, and attached as declared when EC2 shows it no more. An instance that ends lets go
of all of them by itself.
"""

from collections.abc import Mapping

from tenuto.model.ids import JsonMap
from tenuto.model.outcome import Pending
from tenuto.model.rate import MemberCalls
from tenuto.model.resource import Comparison, Rule
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.facts import member

VOLUMES = "Volumes"
RULES: Mapping[str, Rule] = {VOLUMES: Comparison.SHARED}
MEMBERS: Mapping[str, MemberCalls] = {VOLUMES: member("ec2:AttachVolume", "ec2:DetachVolume")}
_READ_AGAIN_S = 5.0
Place = tuple[str, str]
"""A device and the id of the volume on it."""


def shown(instance: JsonMap) -> list[JsonMap]:
    """The volumes that are attached to an instance, as they are declared."""
    return [
        {"Device": device, "VolumeId": volume} for (device, volume), state in _states(instance).items() if _stays(state)
    ]


def change(work: Work, instance: JsonMap) -> Pending | None:
    """Detach the volumes that have to go; then attach the missing ones. None when nothing has to be waited for."""
    wanted = [_place(one) for one in work.want(VOLUMES) or ()]
    ours = [_place(one) for one in work.seen(VOLUMES) or ()]
    asked = {volume for _, volume in wanted}
    there = _states(instance)
    leaving = {place for place, state in there.items() if place[1] in asked and not _stays(state)}
    for place in sorted(there.keys() - leaving - {*wanted}):
        device, volume = place
        if place in ours or volume in asked:
            work.change("ec2", "DetachVolume", VolumeId=volume, InstanceId=work.id, Device=device)
            leaving.add(place)
    if leaving:
        names = ", ".join(sorted(volume for _, volume in leaving))
        return Pending(message=f"{names} is being detached from {work.id}", delay_s=_READ_AGAIN_S)
    for device, volume in wanted:
        if (device, volume) not in there:
            work.change("ec2", "AttachVolume", VolumeId=volume, InstanceId=work.id, Device=device)
    return None


def _states(instance: JsonMap) -> dict[Place, str]:
    """The state of each volume that an instance has."""
    mappings = [(one, one.get("Ebs") or {}) for one in instance.get("BlockDeviceMappings") or ()]
    return {(one["DeviceName"], ebs["VolumeId"]): str(ebs.get("Status")) for one, ebs in mappings if "VolumeId" in ebs}


def _stays(state: str) -> bool:
    return state not in ("detaching", "detached")


def _place(declared: JsonMap) -> Place:
    return str(declared["Device"]), str(declared["VolumeId"])
