"""Identities: the users that people and programs of an issuer (OpenID Connect) stand for, and the issuers."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tenuto.model.access import Grant

DEFAULT_MINUTES = 15
"""As long as a step of CI; people get more by their rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Issuer:
    """A place that signs tokens, as the administrator named it. With a `client`, people sign in there."""

    url: str
    client: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityRule:
    """One rule of a policy: a token of the issuer, for the audience and with these claims, stands for a user.

    `user` is a name, or `{CLAIM}`, the claim whose value is the name. A rule gives no right: the user has grants.
    """

    issuer: str
    audience: str
    user: str
    claims: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Each claim must have one of the values, or be a list with one of them."""
    narrowing: Grant | None = None
    """The most that the Tenuto token may do; None is all that the user may."""
    minutes: int = DEFAULT_MINUTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The marks of the token that is wanted: who made it, for whom, and for which sign-in."""

    issuer: str
    audience: str
    nonce: str | None = None
