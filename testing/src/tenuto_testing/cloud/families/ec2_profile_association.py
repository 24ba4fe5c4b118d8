"""Which instance profile an instance has."""

from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.describing import Listing, describe
from tenuto_testing.cloud.families.iam_kinds import PROFILE
from tenuto_testing.cloud.families.kinds import INSTANCE, PROFILE_ASSOCIATION
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

ASSOCIATIONS = Listing(
    kind=PROFILE_ASSOCIATION,
    members="IamInstanceProfileAssociations",
    ids="AssociationIds",
    filters={"instance-id": "InstanceId", "state": "State"},
)


def profile_of(call: Call) -> Data | None:
    """The profile that a request names, as EC2 shows it. Raises Refusal when IAM has none, or it is too new."""
    wanted = call.want("IamInstanceProfile")
    if not wanted:
        return None
    name = wanted.get("Name") or str(wanted.get("Arn", "")).rpartition("/")[2]
    profile = call.cloud.place(call.account, "global").table(PROFILE).things.get(name)
    if profile is None or profile.made_at > call.now - call.cloud.pace.profile_s * call.cloud.pace.times:
        raise Refusal(
            "InvalidParameterValue",
            f"Value ({name}) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name",
        )
    return {"Arn": profile["Arn"], "Id": profile["InstanceProfileId"]}


def associate(call: Call, instance: Thing, profile: Data) -> Thing:
    """A new association, which takes its time."""
    association = call.make(
        PROFILE_ASSOCIATION,
        {"IamInstanceProfile": profile, "InstanceId": instance.id, "State": "associating", "Timestamp": call.now},
        parents=[instance.id],
        is_asked_for=False,
    )
    del association.data["Tags"]
    call.edit(instance)["IamInstanceProfile"] = profile
    call.later(call.cloud.pace.association_s, lambda then: then.edit(association).update(State="associated"))
    return association


def _associate(call: Call) -> Data:
    instance, profile = call.get(INSTANCE, call.want("InstanceId")), profile_of(call)
    if call.all(PROFILE_ASSOCIATION, instance.id):
        raise Refusal("IncorrectState", f"There is an existing association for instance {instance.id}")
    assert profile is not None
    return {"IamInstanceProfileAssociation": associate(call, instance, profile)}


def _replace(call: Call) -> Data:
    profile, old = profile_of(call), call.get(PROFILE_ASSOCIATION, call.want("AssociationId"))
    instance = call.get(INSTANCE, old["InstanceId"])
    call.remove(old)
    assert profile is not None
    return {"IamInstanceProfileAssociation": associate(call, instance, profile)}


def _disassociate(call: Call) -> Data:
    association = call.get(PROFILE_ASSOCIATION, call.want("AssociationId"))
    call.edit(call.get(INSTANCE, association["InstanceId"]))["IamInstanceProfile"] = None
    call.remove(association)
    return {"IamInstanceProfileAssociation": {**association.data, "State": "disassociating"}}


HANDLERS: Mapping[str, Any] = {
    "AssociateIamInstanceProfile": _associate,
    "DescribeIamInstanceProfileAssociations": describe(ASSOCIATIONS),
    "DisassociateIamInstanceProfile": _disassociate,
    "ReplaceIamInstanceProfileAssociation": _replace,
}
