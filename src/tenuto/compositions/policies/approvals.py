"""The section `Approvals` of a policy: commands that take the agreement of other users."""

from collections.abc import Callable, Mapping, Sequence

from tenuto.compositions.cloudformation.reading import shape
from tenuto.compositions.diagnostics.nodes import Fields, Items, Node, Scalar
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.compositions.policies import policy_codes as access_codes
from tenuto.kit.nearest import did_you_mean
from tenuto.model.access import Right
from tenuto.model.proposal import ApprovalRule, When

PROPOSED = (Right.UPDATE, Right.RESUME, Right.KILL, Right.RELEASE)
"""The commands that have a plan which can be kept and executed exactly."""
_KEYS = ("Accounts", "Commands", "When", "By", "Count")
_MOST = 10

Texts = Callable[[Node | None, Problems, str], tuple[Scalar, ...]]


def approval_rules(
    node: Node | None, names: Mapping[str, frozenset[str]], problems: Problems, texts: Texts
) -> tuple[ApprovalRule, ...]:
    """The rules, in their order; every problem is told at its place."""
    if node is None:
        return ()
    if not isinstance(node, Items):
        problems.add(access_codes.WRONG_SHAPE, node, "Approvals must be a list.")
        return ()
    made = [_rule(item, names, problems, texts) for item in node.items]
    return tuple(one for one in made if one is not None)


def _rule(node: Node, names: Mapping[str, frozenset[str]], problems: Problems, texts: Texts) -> ApprovalRule | None:
    fields = shape.fields(node, problems, "An approval", access_codes.WRONG_SHAPE)
    if fields is None:
        return None
    fields = shape.known_fields(fields, _KEYS, problems, access_codes.UNKNOWN_KEY, "An approval")
    missing = [key for key in ("Accounts", "Commands", "By") if fields.get(key) is None]
    for key in missing:
        problems.add(access_codes.WRONG_SHAPE, fields, f"An approval needs {key}.", subject=key)
    if missing:
        return None
    commands = _commands(texts(fields.get("Commands"), problems, "Commands"), problems)
    approvers = _approvers(texts(fields.get("By"), problems, "By"), names, problems)
    count = _count(fields, problems)
    if approvers and count > len(approvers):
        # The user who proposes is no approver, so with as many approvers as are needed one of them cannot propose.
        detail = f"{count} approvals are needed, and {len(approvers)} users may give one."
        problems.add(access_codes.WRONG_SHAPE, fields, detail, subject="Count")
    return ApprovalRule(
        accounts=tuple(one.text for one in texts(fields.get("Accounts"), problems, "Accounts")),
        commands=commands,
        when=_when(fields, problems),
        approvers=approvers,
        count=count,
    )


def _commands(given: Sequence[Scalar], problems: Problems) -> frozenset[Right]:
    known = [one.value for one in PROPOSED]
    for one in given:
        if one.text not in known:
            detail = f"{one.text!r} cannot be proposed. There are {', '.join(known)}."
            hint = did_you_mean(one.text, known)
            problems.add(access_codes.UNKNOWN_COMMAND, one, detail, hint=hint, subject=one.text)
    return frozenset(Right(one.text) for one in given if one.text in known)


def _approvers(given: Sequence[Scalar], names: Mapping[str, frozenset[str]], problems: Problems) -> frozenset[str]:
    for one in given:
        if one.text not in names:
            hint = did_you_mean(one.text, list(names))
            detail = f"There is no {one.text} in the policy."
            problems.add(access_codes.UNKNOWN_USER, one, detail, hint=hint, subject=one.text)
    return frozenset(user for one in given for user in names.get(one.text, ()))


def _when(fields: Fields, problems: Problems) -> When:
    node = fields.get("When")
    if node is None:
        return When.DESTRUCTIVE
    text = node.text if isinstance(node, Scalar) else ""
    if text not in set(When):
        problems.add(access_codes.WRONG_SHAPE, node, f"When is {' or '.join(When)}.", subject="When")
        return When.ALWAYS
    return When(text)


def _count(fields: Fields, problems: Problems) -> int:
    node = fields.get("Count")
    if node is None:
        return 1
    text = node.text if isinstance(node, Scalar) else ""
    if not text.isdecimal() or not 1 <= int(text) <= _MOST:
        problems.add(access_codes.WRONG_SHAPE, node, f"Count is a number from 1 to {_MOST}.", subject="Count")
        return 1
    return int(text)
