"""The checks of the claims of a signed token, and the user that a rule of the policy makes of it.

The signature is verified before (`ports.issuers`). Here stands the rest, on values: who made the token, for whom, when,
for which sign-in. Every refusal says which check failed and names only the values of the token that its bearer may see.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tenuto.errors import ForbiddenError
from tenuto.model.access import Grant, Policy
from tenuto.model.identity import IdentityRule, Wanted
from tenuto.model.ids import Instant

LEEWAY_S = 60.0
"""Clocks of machines that keep time differ by less; a token is good for minutes."""
LONGEST_AGE_S = 24 * 3600.0
"""The greatest age of a token. An older one is refused, even when its own end is still to come."""


def check_claims(claims: Mapping[str, Any], wanted: Wanted, now: Instant) -> None:
    """Raise ForbiddenError when the token is another one than wanted, or it is not its time."""
    if claims.get("iss") != wanted.issuer:
        raise _refused("its issuer is not the one that signed it")
    audience = claims.get("aud")
    names = audience if isinstance(audience, list) else [audience]
    if wanted.audience not in names:
        raise _refused("it was made for another audience")
    if len(names) > 1 and claims.get("azp") != wanted.audience:
        raise _refused("it was made for several audiences, and another one asked for it")
    expires, made, begins = (_moment(claims, name) for name in ("exp", "iat", "nbf"))
    if expires is None or made is None:
        raise _refused("it does not say when it was made and when it ends")
    if expires + LEEWAY_S <= now:
        raise _refused("it has expired")
    if made - LEEWAY_S > now or (begins is not None and begins - LEEWAY_S > now):
        raise _refused("it is not valid yet; compare the clocks of the issuer and the Conductor")
    if now - made > LONGEST_AGE_S:
        raise _refused("it was made more than a day ago")
    if not isinstance(claims.get("sub"), str) or not claims["sub"]:
        raise _refused("it names no subject")
    if wanted.nonce is not None and claims.get("nonce") != wanted.nonce:
        raise _refused("it belongs to another sign-in")


def user_of(policy: Policy, rule: IdentityRule, claims: Mapping[str, Any]) -> str | None:
    """The user that the token stands for by this rule; None when the rule is not about it."""
    if not all(_has(claims.get(name), values) for name, values in rule.claims.items()):
        return None
    if not rule.user.startswith("{"):
        return rule.user if rule.user in policy.users else None
    name = rule.user[1:-1]
    if name == "email" and claims.get("email_verified") is not True:
        return None
    value = claims.get(name)
    return value if isinstance(value, str) and value in policy.users else None


def narrowing_for(rule: IdentityRule, user: str) -> Grant | None:
    """Return the grant by which the rule narrows the token of this user; None for a rule without a narrowing."""
    return None if rule.narrowing is None else replace(rule.narrowing, users=frozenset({user}))


def rules_for(policy: Policy, issuer: str) -> Sequence[IdentityRule]:
    return tuple(one for one in policy.identities if one.issuer == issuer)


def _has(claim: object, values: Sequence[str]) -> bool:
    """Whether a claim has one of the values. A truth value is written as YAML and JSON write it."""
    members = claim if isinstance(claim, list) else [claim]
    return any(_text(one) in values for one in members)


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int) else None


def _moment(claims: Mapping[str, Any], name: str) -> float | None:
    value = claims.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 10**11:
        raise _refused(f"{name!r} is no time")
    return float(value)


def _refused(why: str) -> ForbiddenError:
    return ForbiddenError(
        f"The token of the issuer is refused: {why}. Nothing was changed; get a new one and try again."
    )
