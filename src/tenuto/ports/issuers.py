"""Issuers of signed tokens (OpenID Connect), which the administrator names where the Conductor is started."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tenuto.model.identity import Issuer


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """The places of an issuer at which people sign in, and codes become tokens."""

    authorization: str
    token: str


class Issuers(Protocol):
    """Every method but the first two may raise ForbiddenError (the token is refused) and TransientError (the issuer
    does not answer, or answers with something else). All may be called twice and from any thread.
    """

    def known(self) -> tuple[Issuer, ...]: ...

    def for_people(self) -> Issuer | None:
        """The issuer at which people sign in; None when there is none."""
        ...

    def verified(self, token: str) -> Mapping[str, Any]:
        """The claims of a token that one of the issuers has signed, by a key and an algorithm that are permitted.

        `iss` is that issuer. Nothing else is checked.
        """
        ...

    def endpoints(self, issuer: Issuer) -> Endpoints: ...

    def redeem(self, issuer: Issuer, *, code: str, verifier: str, redirect: str) -> str:
        """The identity token for a code, which is good once."""
        ...
