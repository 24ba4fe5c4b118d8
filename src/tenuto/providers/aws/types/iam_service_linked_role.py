"""AWS::IAM::ServiceLinkedRole: the role that a service of AWS keeps for itself. Its Ref is its name, which IAM makes.

The role carries no mark: it is told by its service and its suffix. Its deletion is a task of IAM, which asks the
service whether it still needs the role. IAM answers a second deletion with the task of the first one, so each step of
the work asks again.
"""

from collections.abc import Mapping
from dataclasses import replace

from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Pending, Request
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.kind import AwsType, Work

_SERVICE, _SUFFIX = "AWSServiceName", "CustomSuffix"
_PLACE = "/aws-service-role/"
_ASK_AGAIN_S = 5.0


def _service(role: JsonMap) -> Json:
    """The service in the path of a role."""
    return str(role["Path"]).removeprefix(_PLACE).strip("/")


def _is_it(request: Request, item: ObservedItem) -> bool:
    """Whether a role is that of the service, with the suffix that is declared, if there is one."""
    suffix = request.properties.get(_SUFFIX)
    is_of_service = item.properties.get(_SERVICE) == request.properties.get(_SERVICE)
    return is_of_service and (not suffix or str(item.physical_id).endswith(f"_{suffix}"))


def _delete(work: Work) -> Outcome:
    task = work.change("iam", "DeleteServiceLinkedRole", RoleName=work.id)["DeletionTaskId"]
    told = work.read("iam", "GetServiceLinkedRoleDeletionStatus", DeletionTaskId=task)
    if told.get("Status") == "FAILED":
        raise PermanentError(f"IAM keeps {work.id}: {_reason(told)}", code="DeleteConflict")
    if told.get("Status") == "SUCCEEDED":
        return Done(physical_id=work.id)
    return Pending(message=f"{work.id} is being deleted", delay_s=_ASK_AGAIN_S)


def _reason(told: JsonMap) -> str:
    """The reason of the service, with the resources that still use the role."""
    reason: Mapping[str, Json] = told.get("Reason") or {}
    used = [one for usage in reason.get("RoleUsageList") or () for one in usage.get("Resources") or ()]
    words = str(reason.get("Reason") or "its service did not say why")
    return f"{words} In use by {', '.join(map(str, used))}." if used else words


ROLE: AwsType = replace(
    block(
        "AWS::IAM::ServiceLinkedRole",
        "iam",
        key="RoleName",
        # An account has dozens of them that no composition declares: each that is declared is asked for.
        described=Described(call=Call("GetRole"), at="Role"),
        beside=Listed(operation="ListRoles", id="RoleName", size=1000, fixed={"PathPrefix": _PLACE}),
        create="CreateServiceLinkedRole",
        made="Role.RoleName",
        shown={_SERVICE: _service},
        attributes={"RoleName": "RoleName"},
        modify={"UpdateRoleDescription": "Description"},
        delete="DeleteServiceLinkedRole",
        shows=_SERVICE,
        exclusive=[(_SERVICE, f"{_SUFFIX}?")],
        defaults={"Description": ""},
        named_by="",
    ),
    is_found=_is_it,
    delete=_delete,
)
TYPES = (ROLE,)
