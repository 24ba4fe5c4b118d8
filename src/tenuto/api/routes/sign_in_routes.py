"""Requests of those who have no secret yet: where one signs in, and a token of an issuer for one of Tenuto."""

from tenuto.api.answers import access
from tenuto.api.requests.calls import Call
from tenuto.api.requests.route import ApiRoute, Open, Parameter
from tenuto.model.ids import JsonMap
from tenuto.service.access.tokens import token_document

LARGEST_SIGN_IN_BYTES = 32 * 1024
"""Twice the longest token of an issuer: the body is read for every caller."""
SIGN_IN_PATH = "/v1/sign-in"


def about_sign_in(call: Call) -> JsonMap:
    return call.services.identities.about()


def sign_in(call: Call) -> JsonMap:
    kept, secret = call.services.identities.exchange(
        call.body.required("token"), nonce=call.body.text("nonce"), address=call.address
    )
    return {**token_document(kept, call.services.administration.now()), "secret": secret}


SIGN_IN_ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute(
        method="GET",
        path=SIGN_IN_PATH,
        operation="about_sign_in",
        right=Open.TO_ALL,
        summary="Where people sign in, and the issuers whose tokens are taken. Needs no secret.",
        handler=about_sign_in,
        answer=access.SIGN_IN,
    ),
    ApiRoute(
        method="POST",
        path=SIGN_IN_PATH,
        operation="sign_in",
        right=Open.TO_ALL,
        summary="Give a token of an issuer (OpenID Connect) for a short-lived one of Tenuto. Needs no secret.",
        handler=sign_in,
        answer=access.NEW_TOKEN,
        body=(
            Parameter(name="token", summary="the signed token (JWT) of the issuer", is_required=True),
            Parameter(name="nonce", summary="the nonce that the token must carry, where one was asked for"),
        ),
        status=201,
    ),
)
