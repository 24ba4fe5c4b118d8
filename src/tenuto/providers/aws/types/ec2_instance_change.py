"""Changes of a running AWS::EC2::Instance: the properties that can be changed at once, and those that need a stop and a
start.

The stop is a walk of its own: mark, stop, wait, change, start, wait, unmark. Each call of `modify` takes the next
step that the present state allows and answers Pending until the last one, so that a Conductor that dies in between
goes on where it was.
"""

import base64
import re
from collections.abc import Callable, Mapping

from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.outcome import Done, Outcome, Pending
from tenuto.providers.aws.kind import Work, flag
from tenuto.providers.aws.naming import INSTANCE_PROFILE
from tenuto.providers.aws.types import ec2_instance_ssm, ec2_instance_volumes
from tenuto.providers.aws.types.ec2_instance_read import (
    CHANGED_WHILE_STOPPED,
    PROFILE_ASSOCIATIONS,
    PROFILE_STATES,
    STOPPED_MARK,
    is_marked,
    one_instance,
)
from tenuto.providers.aws.types.ec2_instance_ssm import ASSOCIATIONS
from tenuto.providers.aws.types.ec2_instance_volumes import VOLUMES

_READ_AGAIN_S = 5.0
CREDITS = "CpuCredits"


def modify(work: Work) -> Outcome:
    """The block's `modify`."""
    instance = one_instance(work.client, work.id)
    if instance is None:
        raise PermanentError(f"ec2 DescribeInstances does not show {work.id}.", code="InvalidInstanceID.NotFound")
    for name, change in _AT_ONCE.items():
        if work.differs(name):
            change(work, work.want(name))
    _change_credits(work)
    outcome = _change_stopped(work, instance)
    if isinstance(outcome, Done) and work.differs(VOLUMES):
        return ec2_instance_volumes.change(work, instance) or outcome
    return outcome


def _change_stopped(work: Work, instance: JsonMap) -> Outcome:
    state = str(instance["State"]["Name"])
    names = [name for name in CHANGED_WHILE_STOPPED if _needs(work, instance, name)]
    marked = is_marked(instance)
    if state in ("pending", "stopping"):
        return Pending(message=f"{work.id} is {state}", delay_s=_READ_AGAIN_S)
    if names and state == "running":
        work.change("ec2", "CreateTags", Resources=[work.id], Tags=[{"Key": STOPPED_MARK, "Value": ",".join(names)}])
        work.change("ec2", "StopInstances", InstanceIds=[work.id])
        return Pending(message=f"stopping {work.id} to change {', '.join(names)}", delay_s=_READ_AGAIN_S)
    for name in names:
        _change_attribute(work, name)
    if marked and state == "stopped":
        work.change("ec2", "StartInstances", InstanceIds=[work.id])
        return Pending(message=f"starting {work.id} again", delay_s=_READ_AGAIN_S)
    if marked:
        work.change("ec2", "DeleteTags", Resources=[work.id], Tags=[{"Key": STOPPED_MARK}])
    return Done(physical_id=work.id, attributes=kept(work))


def _needs(work: Work, instance: JsonMap, name: str) -> bool:
    """Whether the fresh read says that the property must change; a marked instance does not show it to `differs`."""
    wanted = work.want(name)
    if wanted is None:
        return False
    if name == "UserData":
        answer = work.read("ec2", "DescribeInstanceAttribute", InstanceId=work.id, Attribute="userData")
        return bool((answer.get("UserData") or {}).get("Value", "") != wanted)
    if name == "EbsOptimized":
        return bool(instance.get(name)) != flag(wanted)
    return bool(instance.get(name) != wanted)


def _change_attribute(work: Work, name: str) -> None:
    if name == "UserData":
        # This form of the call takes base64 as it is declared.
        decoded(work.want(name))
        work.change("ec2", "ModifyInstanceAttribute", InstanceId=work.id, Attribute="userData", Value=work.want(name))
    else:
        work.change("ec2", "ModifyInstanceAttribute", InstanceId=work.id, **{name: {"Value": work.want(name)}})


def decoded(text: Json) -> bytes:
    """Decode declared user data: it is base64, and botocore encodes the text that it is given. Raises PermanentError
    when it is not.
    """
    try:
        return base64.b64decode(str(text), validate=True)
    except ValueError as error:
        raise PermanentError("UserData must be base64; use Fn::Base64.", code="InvalidProperty") from error


def _attribute(name: str) -> Callable[[Work, Json], None]:
    def change(work: Work, value: Json) -> None:
        work.change("ec2", "ModifyInstanceAttribute", InstanceId=work.id, **{name: {"Value": value}})

    return change


def _shutdown(work: Work, value: Json) -> None:
    name = "instanceInitiatedShutdownBehavior"
    work.change("ec2", "ModifyInstanceAttribute", InstanceId=work.id, Attribute=name, Value=value)


def _groups(work: Work, value: Json) -> None:
    work.change("ec2", "ModifyInstanceAttribute", InstanceId=work.id, Groups=list(value))


def _monitoring(work: Work, value: Json) -> None:
    work.change("ec2", "MonitorInstances" if flag(value) else "UnmonitorInstances", InstanceIds=[work.id])


def _metadata(work: Work, value: Json) -> None:
    work.change("ec2", "ModifyInstanceMetadataOptions", InstanceId=work.id, **value)


def _private_dns(work: Work, value: Json) -> None:
    renamed = {"HostnameType": "PrivateDnsHostnameType"}
    options = {renamed.get(name, name): one for name, one in value.items()}
    work.change("ec2", "ModifyPrivateDnsNameOptions", InstanceId=work.id, **options)


def _change_credits(work: Work) -> None:
    """Change the CPU credits. No sweep shows them, so the value that was last set is kept on the object: an instance is
    born with those it declares.
    """
    wanted = work.want("CreditSpecification")
    if not wanted or credits_of(wanted)["CpuCredits"] == work.request.attributes.get(CREDITS):
        return
    specification = {"InstanceId": work.id, **credits_of(wanted)}
    work.change("ec2", "ModifyInstanceCreditSpecification", InstanceCreditSpecifications=[specification])


def kept(work: Work) -> dict[str, Json]:
    """The attributes that say which credits were last set, and which volumes were declared."""
    wanted = work.want("CreditSpecification")
    return {**({CREDITS: credits_of(wanted)["CpuCredits"]} if wanted else {}), **work.held()}


def credits_of(value: JsonMap) -> JsonMap:
    """Return the credits as EC2 writes them: CpuCredits, where CloudFormation writes CPUCredits."""
    return {"CpuCredits": value.get("CPUCredits", value.get("CpuCredits"))}


def profile_of(value: Json) -> JsonMap:
    """An instance profile as EC2 takes it: CloudFormation has one property for its name or its ARN."""
    return {"Arn" if re.fullmatch(INSTANCE_PROFILE.qualified, str(value)) else "Name": value}


def _profile(work: Work, value: Json) -> None:
    """An instance has at most one profile: replace the one that is there, or associate the first."""
    within = [{"Name": "instance-id", "Values": [work.id]}]
    associations = work.client.pages(PROFILE_ASSOCIATIONS, Filters=within)
    present = [one for one in associations if one.get("State") in PROFILE_STATES]
    profile = profile_of(value)
    if present:
        work.change(
            "ec2",
            "ReplaceIamInstanceProfileAssociation",
            AssociationId=present[0]["AssociationId"],
            IamInstanceProfile=profile,
        )
    else:
        work.change("ec2", "AssociateIamInstanceProfile", InstanceId=work.id, IamInstanceProfile=profile)


_AT_ONCE: Mapping[str, Callable[[Work, Json], None]] = {
    "DisableApiTermination": _attribute("DisableApiTermination"),
    "IamInstanceProfile": _profile,
    "InstanceInitiatedShutdownBehavior": _shutdown,
    "MetadataOptions": _metadata,
    "Monitoring": _monitoring,
    "PrivateDnsNameOptions": _private_dns,
    "SecurityGroupIds": _groups,
    "SourceDestCheck": _attribute("SourceDestCheck"),
    ASSOCIATIONS: ec2_instance_ssm.change,
}
"""The properties that can be changed in every state of the instance, in a fixed order."""
_STOPPED_CALLS = "ec2:CreateTags+ ec2:StopInstances+ ec2:ModifyInstanceAttribute ec2:StartInstances+ ec2:DeleteTags+"
CALLS: Mapping[str, str] = {
    **dict.fromkeys(_AT_ONCE, "ec2:ModifyInstanceAttribute"),
    "IamInstanceProfile": "",
    "MetadataOptions": "ec2:ModifyInstanceMetadataOptions",
    "Monitoring": "",
    ASSOCIATIONS: "",
    "PrivateDnsNameOptions": "ec2:ModifyPrivateDnsNameOptions",
    "CreditSpecification": "ec2:ModifyInstanceCreditSpecification",
    **dict.fromkeys(CHANGED_WHILE_STOPPED, _STOPPED_CALLS),
}
"""The cost of each change; nothing where its call depends on the present state or on the value."""
