"""The section `Identities` of a policy: the users that tokens of issuers (OpenID Connect) stand for."""

import re
from collections.abc import Callable, Iterable, Mapping

from tenuto.compositions.cloudformation.reading import shape
from tenuto.compositions.diagnostics.nodes import Fields, Items, Node, Scalar
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.compositions.policies import policy_codes as access_codes
from tenuto.kit.digits import is_digits
from tenuto.kit.nearest import did_you_mean
from tenuto.model.access import Grant, Right
from tenuto.model.identity import DEFAULT_MINUTES, IdentityRule

LONGEST_MINUTES = 720
"""Half a day: a token of an issuer proves the identity of a person now, and they may leave."""
_MOST = 200
_KEYS = ("Issuer", "Audience", "Claims", "User", "Commands", "Accounts", "Minutes")
_CLAIM = re.compile(r"\{[A-Za-z0-9_:./-]{1,100}\}")

Texts = Callable[[Node | None, Problems, str], tuple[Scalar, ...]]
Rights = Callable[[Iterable[Scalar], Problems], frozenset[Right]]


def identity_rules(
    node: Node | None, users: tuple[str, ...], problems: Problems, texts: Texts, rights: Rights
) -> tuple[IdentityRule, ...]:
    """The rules, in their order; every problem is told at its place."""
    if node is None:
        return ()
    if not isinstance(node, Items) or len(node.items) > _MOST:
        problems.add(access_codes.WRONG_SHAPE, node, f"Identities must be a list of at most {_MOST}.")
        return ()
    made = [_rule(item, users, problems, texts, rights) for item in node.items]
    return tuple(one for one in made if one is not None)


def _rule(node: Node, users: tuple[str, ...], problems: Problems, texts: Texts, rights: Rights) -> IdentityRule | None:
    fields = shape.fields(node, problems, "An identity", access_codes.WRONG_SHAPE)
    if fields is None:
        return None
    fields = shape.known_fields(fields, _KEYS, problems, access_codes.UNKNOWN_KEY, "An identity")
    issuer, audience, user = (_needed(fields, key, problems) for key in ("Issuer", "Audience", "User"))
    claims = _claims(fields.get("Claims"), problems, texts)
    if user is not None:
        _check_user(user, bool(claims), users, problems)
    commands = rights(texts(fields.get("Commands"), problems, "Commands"), problems)
    accounts = tuple(one.text for one in texts(fields.get("Accounts"), problems, "Accounts"))
    for one in texts(fields.get("Accounts"), problems, "Accounts"):
        if set(one.text) & set("*?["):
            detail = f"{one.text!r}: an identity is for accounts by their names; patterns stand in grants."
            problems.add(access_codes.BAD_PATTERN, one, detail, subject=one.text)
    minutes = _minutes(fields, problems)
    if issuer is None or audience is None or user is None:
        return None
    is_narrow = fields.get("Commands") is not None or bool(accounts)
    allowed = commands if fields.get("Commands") is not None else frozenset(Right)
    return IdentityRule(
        issuer=issuer.text,
        audience=audience.text,
        user=user.text,
        claims=claims,
        narrowing=Grant(users=frozenset(), rights=allowed, accounts=accounts) if is_narrow else None,
        minutes=minutes,
    )


def _needed(fields: Fields, key: str, problems: Problems) -> Scalar | None:
    node = fields.get(key)
    if isinstance(node, Scalar) and node.text:
        return node
    problems.add(access_codes.WRONG_SHAPE, node or fields, f"An identity needs {key}, a text.", subject=key)
    return None


def _check_user(user: Scalar, has_claims: bool, users: tuple[str, ...], problems: Problems) -> None:
    """A user of the policy, or a claim. A name without claims would let in every program of the issuer."""
    if _CLAIM.fullmatch(user.text):
        return
    if user.text not in users:
        hint = did_you_mean(user.text, list(users))
        detail = f"{user.text} is no user of the policy, and no claim such as '{{email}}'."
        problems.add(access_codes.UNKNOWN_USER, user, detail, hint=hint, subject=user.text)
    elif not has_claims:
        detail = f"Without Claims, every token of the issuer for the audience would stand for {user.text}."
        problems.add(access_codes.OPEN_IDENTITY, user, detail, subject=user.text)


def _claims(node: Node | None, problems: Problems, texts: Texts) -> Mapping[str, tuple[str, ...]]:
    if node is None:
        return {}
    found = shape.fields(node, problems, "Claims", access_codes.WRONG_SHAPE)
    claims: dict[str, tuple[str, ...]] = {}
    for entry in found.entries if found else ():
        values = tuple(one.text for one in texts(entry.value, problems, f"The claim {entry.name}"))
        if not values:
            problems.add(access_codes.WRONG_SHAPE, entry.key, f"The claim {entry.name} needs a value.")
        claims[entry.name] = values
    return claims


def _minutes(fields: Fields, problems: Problems) -> int:
    node = fields.get("Minutes")
    if node is None:
        return DEFAULT_MINUTES
    text = node.text if isinstance(node, Scalar) else ""
    if not is_digits(text) or len(text) > 4 or not 1 <= int(text) <= LONGEST_MINUTES:
        detail = f"Minutes is a number from 1 to {LONGEST_MINUTES}."
        problems.add(access_codes.WRONG_SHAPE, node, detail, subject="Minutes")
        return 1
    return int(text)
