"""AWS::IAM::Policy: an inline policy that is a resource of its own, in any number of roles, users and groups.

It is code, since its id is made of three lists that can change in place, and since the documents that it places must
not count as a role's own (`iam_placed`).
"""

from tenuto.errors import PermanentError, TakenError
from tenuto.model.ids import PhysicalId
from tenuto.model.outcome import Done, Outcome, Request
from tenuto.model.resource import Comparison
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.kind import AwsType, Work, declared
from tenuto.providers.aws.types.facts import calls, facts, member
from tenuto.providers.aws.types.iam_placed import KINDS, NAME, Principal, answers, document_of, placed, placed_as
from tenuto.providers.aws.types.iam_source import SOURCE

_LISTS = tuple(f"{word}s" for word in KINDS.values())


def _put(work: Work, principal: Principal, policy: str) -> None:
    kind, name = KINDS[principal[0]], principal[1]
    text = text_of(work.need("PolicyDocument"))
    work.change("iam", f"Put{kind}Policy", **{f"{kind}Name": name}, PolicyName=policy, PolicyDocument=text)


def _drop(work: Work, principal: Principal, policy: str) -> None:
    kind, name = KINDS[principal[0]], principal[1]
    work.let_go("iam", f"Delete{kind}Policy", **{f"{kind}Name": name}, PolicyName=policy)


def _create(work: Work) -> Outcome:
    """Place the policy. The call overwrites, so whether there is one of the name already is asked before."""
    one = placed(work.request.properties)
    if not one.principals:
        raise PermanentError(f"{NAME} needs a role, a user or a group.", code="MissingProperty")
    for kind, name in one.principals:
        if document_of(work.client, (kind, name), one.policy) is not None:
            raise TakenError(f"The {kind} {name} has an inline policy {one.policy} already.")
    for principal in one.principals:
        _put(work, principal, one.policy)
    return Done(physical_id=PhysicalId(one.id), attributes=answers(one))


def _modify(work: Work) -> Outcome:
    """Place the document wherever it is missing, or not this one, before it is taken from where it is not wanted."""
    wanted, present = placed(work.request.properties), placed_as(str(work.id))
    is_new = work.differs("PolicyDocument") or wanted.policy != present.policy
    holding = () if is_new else placed({**(work.request.observed or {}), "PolicyName": wanted.policy}).principals
    for principal in wanted.principals:
        if principal not in holding:
            _put(work, principal, wanted.policy)
    kept = wanted.principals if wanted.policy == present.policy else ()
    for principal in present.principals:
        if principal not in kept:
            _drop(work, principal, present.policy)
    return Done(physical_id=PhysicalId(wanted.id), attributes=answers(wanted))


def _delete(work: Work) -> Outcome:
    one = placed_as(str(work.id))
    for principal in one.principals:
        _drop(work, principal, one.policy)
    return Done(physical_id=work.id)


def _id_of(request: Request) -> str:
    return placed(request.properties).id


POLICY_IN_PRINCIPALS = AwsType(
    facts=facts(
        NAME,
        SOURCE,
        calls=calls(
            "",
            "",
            changes={
                "PolicyDocument": "iam:PutRolePolicy",
                # The document comes under the new name, and the document of the old one goes.
                "PolicyName": "iam:PutRolePolicy iam:DeleteRolePolicy",
            },
            members={
                name: member(
                    f"iam:Put{name[:-1]}Policy", f"iam:Delete{name[:-1]}Policy", f"iam:Delete{name[:-1]}Policy"
                )
                for name in _LISTS
            },
        ),
        compare_as={"PolicyDocument": POLICY, **dict.fromkeys(_LISTS, Comparison.SET)},
        exclusive=[("PolicyName", name) for name in _LISTS],
        # A list that is not declared, any more or at all, is empty.
        when_absent={name: [] for name in _LISTS},
        attributes="Ref",
        ref_attribute="Ref",
        is_tagged=False,
    ),
    source=SOURCE,
    create=_create,
    modify=_modify,
    delete=_delete,
    is_found=lambda request, item: item.physical_id == _id_of(request),
    find_name=_id_of,
    known_as=declared(_id_of),
)
TYPES = (POLICY_IN_PRINCIPALS,)
