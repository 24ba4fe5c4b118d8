"""AWS::IAM::RolePolicy and AWS::IAM::ManagedPolicy: policies that are resources of their own."""

from tenuto.errors import PermanentError, ProviderError, TakenError, TransientError
from tenuto.model.ids import PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Request
from tenuto.model.resource import Comparison
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.answers.pages import iam
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.owner import owner_tags, read_tags
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.kind import AwsType, Work, by_key, texts
from tenuto.providers.aws.question import by_name
from tenuto.providers.aws.types import iam_read
from tenuto.providers.aws.types.facts import calls, facts, member, unsaid
from tenuto.providers.aws.types.iam_attached import POLICY_TAGS, attached_to, mark, marked
from tenuto.providers.aws.types.iam_marks import iam_marks
from tenuto.providers.aws.types.iam_placed import KINDS
from tenuto.providers.aws.types.iam_source import SOURCE
from tenuto.providers.aws.types.named import Named

_NAMED = Named("ManagedPolicyName", 128)
_VERSIONS = iam("ListPolicyVersions", "Versions")
_MOST_VERSIONS = 5
"""IAM keeps five versions of a policy; a sixth is refused."""


def _put(work: Work) -> Outcome:
    work.change(
        "iam",
        "PutRolePolicy",
        RoleName=work.need("RoleName"),
        PolicyName=work.need("PolicyName"),
        PolicyDocument=text_of(work.need("PolicyDocument")),
    )
    key = {"RoleName": work.need("RoleName"), "PolicyName": work.need("PolicyName")}
    return Done(physical_id=PhysicalId(iam_read.role_policy_id(key, key)))


def _create_inline(work: Work) -> Outcome:
    """Create the inline policy. PutRolePolicy overwrites, so whether there is one already must be asked before."""
    try:
        work.read("iam", "GetRolePolicy", RoleName=work.need("RoleName"), PolicyName=work.need("PolicyName"))
    except ProviderError as error:
        if not faults.is_gone(error):
            raise
        return _put(work)
    raise TakenError(f"The role {work.need('RoleName')} has an inline policy {work.need('PolicyName')} already.")


def _modify_inline(work: Work) -> Outcome:
    return _put(work) if work.differs("PolicyDocument") else Done(physical_id=work.id)


def _delete_inline(work: Work) -> Outcome:
    policy_name, role_name = work.id.split("|", 1)
    work.change("iam", "DeleteRolePolicy", RoleName=role_name, PolicyName=policy_name)
    return Done(physical_id=work.id)


def _create(work: Work) -> Outcome:
    made = work.change(
        "iam",
        "CreatePolicy",
        PolicyName=_NAMED(work.request),
        PolicyDocument=text_of(work.need("PolicyDocument")),
        **work.given("Description", "Path"),
        Tags=owner_tags(work.request),
    )["Policy"]
    return Done(physical_id=made["Arn"], attributes={"PolicyArn": made["Arn"], "PolicyId": made.get("PolicyId")})


def _modify(work: Work) -> Outcome:
    if work.differs("PolicyDocument"):
        _make_room(work)
        text = text_of(work.want("PolicyDocument"))
        work.change("iam", "CreatePolicyVersion", PolicyArn=work.id, PolicyDocument=text, SetAsDefault=True)
    for kind, word in KINDS.items():
        if work.differs(f"{word}s"):
            _attach(work, kind, word)
    return Done(physical_id=work.id)


def _attach(work: Work, kind: str, word: str) -> None:
    """Attach the policy to the principals of a kind that are declared, and to no others."""
    wanted, present = set(texts(work.want(f"{word}s"))), set(texts(work.seen(f"{word}s")))
    for name in sorted(wanted - present):
        # The mark goes first: an attachment without one would be taken for the principal's own.
        tag = {"Key": mark((kind, name)), "Value": ""}
        work.change("iam", "TagPolicy", PolicyArn=work.id, Tags=[tag])
        work.change("iam", f"Attach{word}Policy", **{f"{word}Name": name}, PolicyArn=work.id)
    for name in sorted(present - wanted):
        work.let_go("iam", f"Detach{word}Policy", **{f"{word}Name": name}, PolicyArn=work.id)
        work.change("iam", "UntagPolicy", PolicyArn=work.id, TagKeys=[mark((kind, name))])


def _make_room(work: Work) -> None:
    versions = list(work.client.pages(_VERSIONS, PolicyArn=work.id))
    old = sorted((one for one in versions if not one["IsDefaultVersion"]), key=lambda one: str(one.get("CreateDate")))
    if len(versions) >= _MOST_VERSIONS and old:
        work.change("iam", "DeletePolicyVersion", PolicyArn=work.id, VersionId=old[0]["VersionId"])


def _delete(work: Work) -> Outcome:
    """Delete the policy after its attachments to roles, and to the users and groups that it marks as its own; others
    are not ours to change, and IAM then says DeleteConflict.
    """
    own = set(marked(str(tag["Key"]) for tag in work.client.pages(POLICY_TAGS, PolicyArn=work.id)))
    attached = attached_to(work.client, work.id)
    for kind, word in KINDS.items():
        for name in attached[f"{word}s"]:
            if kind == "role" or (kind, name) in own:
                work.let_go("iam", f"Detach{word}Policy", **{f"{word}Name": name}, PolicyArn=work.id)
    for version in work.client.pages(_VERSIONS, PolicyArn=work.id):
        if not version["IsDefaultVersion"]:
            work.let_go("iam", "DeletePolicyVersion", PolicyArn=work.id, VersionId=version["VersionId"])
    work.change("iam", "DeletePolicy", PolicyArn=work.id)
    return Done(physical_id=work.id)


def _is_ours(client: AccountClient, request: Request, item: ObservedItem) -> bool:
    """Whether a policy of the right name is ours: lists do not show the tags of policies, so AWS must be asked.

    Raises TransientError when a policy that was listed a moment ago is not known there yet: its owner cannot be told
    then.
    """
    try:
        owner = read_tags(client.pages(POLICY_TAGS, PolicyArn=item.physical_id)).owner
    except PermanentError as error:
        if not faults.is_gone(error):
            raise
        raise TransientError(str(error), code=error.code, request_id=error.request_id) from error
    return owner is not None and owner.object_id == request.object_id


ROLE_POLICY = AwsType(
    facts=facts(
        iam_read.ROLE_POLICY,
        SOURCE,
        calls=calls("iam:PutRolePolicy", "iam:DeleteRolePolicy", "iam:PutRolePolicy"),
        compare_as={"PolicyDocument": POLICY},
        exclusive=[("PolicyName", "RoleName")],
        is_tagged=False,
    ),
    source=SOURCE,
    create=_create_inline,
    modify=_modify_inline,
    delete=_delete_inline,
    is_found=by_key(lambda properties: iam_read.role_policy_id(properties, properties)),
)

MANAGED_POLICY = AwsType(
    facts=facts(
        iam_read.MANAGED_POLICY,
        SOURCE,
        calls=calls(
            "iam:CreatePolicy",
            "iam:DeletePolicy",
            "iam:CreatePolicyVersion",
            members={
                f"{word}s": member(
                    f"iam:TagPolicy iam:Attach{word}Policy",
                    f"iam:Detach{word}Policy iam:UntagPolicy",
                    f"iam:Detach{word}Policy",
                )
                for word in KINDS.values()
            },
        ),
        costly=("Groups", "Users"),
        compare_as={
            "PolicyDocument": POLICY,
            "Description": Comparison.SHOWN,
            **dict.fromkeys((f"{word}s" for word in KINDS.values()), Comparison.SET),
        },
        defaults={f"{word}s": [] for word in KINDS.values()},
        detached=" ".join(f"{word}s" for word in KINDS.values()),
        # They repeat the attachments that the principals declare of themselves, and both would put and drop the same
        # attachment.
        unsaid=[unsaid(" ".join(f"{word}s" for word in KINDS.values()))],
        exclusive=[("ManagedPolicyName",)],
        is_tagged=False,
        heeds=("AWS::IAM::Group", "AWS::IAM::User"),
    ),
    source=SOURCE,
    question=by_name("iam", "GetPolicy", "PolicyArn", "Policy"),
    create=_create,
    modify=_modify,
    delete=_delete,
    is_found=lambda request, item: item.properties.get("ManagedPolicyName") == _NAMED(request),
    confirm=_is_ours,
    marks=iam_marks("Policy", "PolicyArn"),
)
TYPES = (MANAGED_POLICY, ROLE_POLICY)
