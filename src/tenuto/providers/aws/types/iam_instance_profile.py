"""AWS::IAM::InstanceProfile."""

from tenuto.errors import PermanentError, TransientError
from tenuto.model.ids import PhysicalId
from tenuto.model.outcome import Done, Outcome
from tenuto.model.resource import Comparison
from tenuto.providers.aws.client.owner import owner_tags
from tenuto.providers.aws.kind import AwsType, Work, texts
from tenuto.providers.aws.question import by_name
from tenuto.providers.aws.types import iam_read
from tenuto.providers.aws.types.facts import calls, facts, member
from tenuto.providers.aws.types.iam_marks import iam_marks
from tenuto.providers.aws.types.iam_source import SOURCE, is_found_by
from tenuto.providers.aws.types.named import Named

_NAMED = Named("InstanceProfileName", 128)


def _create(work: Work) -> Outcome:
    name = PhysicalId(_NAMED(work.request))
    made = work.change(
        "iam",
        "CreateInstanceProfile",
        InstanceProfileName=name,
        **work.given("Path"),
        Tags=owner_tags(work.request),
    )["InstanceProfile"]
    return Done(physical_id=name, attributes={"Arn": made["Arn"]})


def _modify(work: Work) -> Outcome:
    """A profile holds one role at most, so the old one goes first."""
    wanted, present = texts(work.want("Roles")), _roles(work)
    for role in sorted(set(present) - set(wanted)):
        _remove(work, role)
    for role in sorted(set(wanted) - set(present)):
        _add(work, role)
    return Done(physical_id=work.id)


def _roles(work: Work) -> list[str]:
    profile = work.read("iam", "GetInstanceProfile", InstanceProfileName=work.id)["InstanceProfile"]
    return [role["RoleName"] for role in profile.get("Roles") or ()]


def _add(work: Work, role: str) -> None:
    """A profile that is full although it looked empty has the role already, or the sweep was out of date."""
    try:
        work.change("iam", "AddRoleToInstanceProfile", InstanceProfileName=work.id, RoleName=role)
    except PermanentError as error:
        if error.code != "LimitExceeded":
            raise
        if role not in _roles(work):
            raise TransientError(str(error), code=error.code, request_id=error.request_id) from error


def _remove(work: Work, role: str) -> None:
    work.let_go("iam", "RemoveRoleFromInstanceProfile", InstanceProfileName=work.id, RoleName=role)


def _delete(work: Work) -> Outcome:
    for role in _roles(work):
        _remove(work, role)
    work.change("iam", "DeleteInstanceProfile", InstanceProfileName=work.id)
    return Done(physical_id=work.id)


INSTANCE_PROFILE = AwsType(
    facts=facts(
        iam_read.PROFILE,
        SOURCE,
        calls=calls(
            "iam:CreateInstanceProfile",
            "iam:DeleteInstanceProfile",
            "iam:AddRoleToInstanceProfile",
            members={
                "Roles": member(
                    "iam:AddRoleToInstanceProfile",
                    "iam:RemoveRoleFromInstanceProfile",
                    "iam:RemoveRoleFromInstanceProfile",
                )
            },
        ),
        compare_as={"Roles": Comparison.SET},
        exclusive=[("InstanceProfileName",)],
        named_by="InstanceProfileName",
        named_attributes="Arn",
        named_with="Path",
        detached="Roles",
        is_tagged=False,
    ),
    source=SOURCE,
    question=by_name("iam", "GetInstanceProfile", "InstanceProfileName", "InstanceProfile"),
    create=_create,
    modify=_modify,
    delete=_delete,
    is_found=is_found_by(_NAMED),
    find_name=_NAMED,
    marks=iam_marks("InstanceProfile", "InstanceProfileName"),
)
TYPES = (INSTANCE_PROFILE,)
