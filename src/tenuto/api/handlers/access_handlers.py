"""Requests about the policy, users, and settings that change while the Conductor runs."""

from tenuto.api.requests.calls import Call
from tenuto.errors import ForbiddenError
from tenuto.model.ids import JsonMap
from tenuto.service.access.administration import grant_document, policy_document, user_document
from tenuto.service.access.callers import Bounds
from tenuto.service.access.tokens import token_document
from tenuto.service.operations.runtime import runtime_document

_UNNAMED = "policy.yaml"


def whoami(call: Call) -> JsonMap:
    grants = call.services.administration.grants_of(call.caller)
    return {
        "name": call.caller.name,
        "root": call.caller.is_root,
        "grants": [dict(grant_document(one)) | {"users": [call.caller.name]} for one in grants],
    }


def policy(call: Call) -> JsonMap:
    return policy_document(call.services.administration.policy())


def set_policy(call: Call) -> JsonMap:
    made, gone = call.services.administration.set_policy(
        call.body.required("text"), file=call.body.text("file") or _UNNAMED, actor=call.actor
    )
    return dict(policy_document(made)) | {"revoked": list(gone)}


def remove_policy(call: Call) -> JsonMap:
    return {"policy": None, "revoked": list(call.services.administration.remove_policy(actor=call.actor))}


def users(call: Call) -> JsonMap:
    return {"users": [user_document(one) for one in call.services.administration.users()]}


def generate_secret(call: Call) -> JsonMap:
    user = call.path["user"]
    if call.services.gatekeeper.check_makes(call.caller, user) != Bounds():
        raise ForbiddenError(
            f"A token makes no secret for its own user {user}: that would outlive it. Nothing was changed. Make a "
            "token that ends no later, or use the secret of the user."
        )
    return {"user": user, "secret": call.services.administration.generate_secret(user, actor=call.actor)}


def revoke_secret(call: Call) -> JsonMap:
    user = call.path["user"]
    return {"user": user, "revoked": call.services.administration.revoke_secret(user, actor=call.actor)}


def tokens(call: Call) -> JsonMap:
    user, now = call.path["user"], call.services.administration.now()
    found = call.services.tokens.all(user)
    if not found:
        call.services.tokens.check_known(call.services.gatekeeper.policy(), user)
    return {"tokens": [token_document(one, now) for one in found]}


def add_token(call: Call) -> JsonMap:
    bounds = call.services.gatekeeper.check_makes(call.caller, call.path["user"])
    made, secret = call.services.tokens.add(
        call.services.gatekeeper.policy(),
        call.path["user"],
        call.body.required("name"),
        expires_s=float(call.body.number("seconds", 0, 10**9)),
        commands=call.body.texts("commands"),
        accounts=call.body.texts("accounts"),
        actor=call.actor,
        within=bounds.narrowing,
        until=bounds.until,
    )
    return {**token_document(made, call.services.administration.now()), "secret": secret}


def revoke_token(call: Call) -> JsonMap:
    user, name = call.path["user"], call.path["token"]
    call.services.tokens.revoke(user, name, actor=call.actor)
    return {"user": user, "name": name}


def runtime(call: Call) -> JsonMap:
    return runtime_document(call.services.runtime.values(call.query.text("key") or "*"))


def set_runtime(call: Call) -> JsonMap:
    return runtime_document(call.services.runtime.set(call.path["key"], call.body.required("value"), actor=call.actor))


def unset_runtime(call: Call) -> JsonMap:
    return runtime_document(call.services.runtime.unset(call.path["key"], actor=call.actor))
