"""The requests about notifications: from a call to the document that answers it."""

from tenuto.api.requests.calls import Call
from tenuto.model.ids import JsonMap
from tenuto.model.notification import DEFAULT_TRIES
from tenuto.service.operations.notifications import SinkWish


def listed(call: Call) -> JsonMap:
    return call.services.notifications.list()


def add(call: Call) -> JsonMap:
    body = call.body
    wish = SinkWish(
        name=body.required("name"),
        url=body.text("url"),
        secret=body.text("secret"),
        form=body.text("format") or "json",
        topic=body.text("topic"),
        account=body.text("account"),
        types=body.texts("types"),
        processes=body.texts("processes"),
        accounts=body.texts("accounts"),
        tries=body.number("tries", DEFAULT_TRIES, 10**9),
    )
    return call.services.notifications.add(wish, actor=call.actor)


def remove(call: Call) -> JsonMap:
    return call.services.notifications.remove(call.path["name"], actor=call.actor)


def test(call: Call) -> JsonMap:
    return call.services.notifications.test(call.path["name"])


def dead(call: Call) -> JsonMap:
    return call.services.notifications.dead(call.path["name"])


def redeliver(call: Call) -> JsonMap:
    return call.services.notifications.redeliver(call.path["name"], call.body.texts("events"), actor=call.actor)
