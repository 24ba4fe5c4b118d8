"""The requests about the keys of namespaces: from a call to the document that answers it."""

from tenuto.api.requests.calls import Call
from tenuto.model.ids import JsonMap
from tenuto.service.objects.namespaces import MOST_SECONDS, key_document


def trust(call: Call) -> JsonMap:
    namespace = call.path["namespace"]
    return {"namespace": namespace, "trusted": list(call.services.namespaces.trusted(namespace))}


def set_trust(call: Call) -> JsonMap:
    namespace, body = call.path["namespace"], call.body
    trusted = call.services.namespaces.set_trust(
        namespace, body.required("other"), is_trusted=body.flag("trusted"), actor=call.actor
    )
    return {"namespace": namespace, "trusted": list(trusted)}


def limits(call: Call) -> JsonMap:
    namespace = call.path["namespace"]
    return {"namespace": namespace, "limits": list(call.services.namespaces.limits(namespace))}


def set_limits(call: Call) -> JsonMap:
    namespace = call.path["namespace"]
    found = call.services.namespaces.set_limits(namespace, call.body.mapping("limits"), actor=call.actor)
    return {"namespace": namespace, "limits": list(found)}


def keys(call: Call) -> JsonMap:
    namespaces = call.services.namespaces
    return {"keys": [key_document(one, namespaces.now()) for one in namespaces.keys(call.path["namespace"])]}


def add_key(call: Call) -> JsonMap:
    body, namespaces = call.body, call.services.namespaces
    expires_s = body.number("expires_s", 0, MOST_SECONDS) if "expires_s" in body.values else None
    made = namespaces.add_key(
        call.path["namespace"],
        body.required("name"),
        body.texts("commands"),
        expires_s=expires_s,
        actor=call.actor,
    )
    return {**key_document(made.key, namespaces.now()), "secret": made.secret}


def delete_key(call: Call) -> JsonMap:
    namespaces = call.services.namespaces
    gone = namespaces.delete_key(call.path["namespace"], call.path["name"], actor=call.actor)
    return key_document(gone, namespaces.now())
