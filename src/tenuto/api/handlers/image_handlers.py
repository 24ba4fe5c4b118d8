"""The requests about uploads, artifacts and blobs: from a call to the document that answers it."""

from collections.abc import Callable

from tenuto.api.requests.calls import Call
from tenuto.api.requests.route import SentFile
from tenuto.errors import UserError
from tenuto.model.access import Right
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.model.image import ArtifactKind
from tenuto.service.images import image_views
from tenuto.service.images.artifacts import Fetching
from tenuto.service.objects import objects_view

_MOST = 10**15


def begin(call: Call) -> JsonMap:
    body, sharing, sees = call.body, call.services.artifacts.sharing, _sees(call)
    view = call.services.uploads.begin(
        call.path["namespace"],
        body.required("name"),
        body.number("size", 0, _MOST),
        kind=body.text("kind") or ArtifactKind.IMAGE,
        sha512=body.text("sha512"),
        most_versions=_number(call, "most_versions"),
        is_seen=lambda one: sharing.is_seen(one, sees),
        actor=call.actor,
    )
    return image_views.upload_document(view)


def show(call: Call) -> JsonMap:
    return image_views.upload_document(call.services.uploads.show(call.path["namespace"], call.path["upload"]))


def append(call: Call) -> JsonMap:
    if not call.content:
        raise UserError("The body has no bytes.")
    view = call.services.uploads.append(
        call.path["namespace"], call.path["upload"], call.query.number("offset", 0, _MOST), call.content
    )
    return image_views.upload_document(view)


def truncate(call: Call) -> JsonMap:
    view = call.services.uploads.truncate(
        call.path["namespace"], call.path["upload"], call.body.number("size", 0, _MOST)
    )
    return image_views.upload_document(view)


def finish(call: Call) -> JsonMap:
    view = call.services.uploads.finish(call.path["namespace"], call.path["upload"], actor=call.actor)
    return image_views.upload_document(view)


def fetch(call: Call) -> JsonMap:
    body = call.body
    item = call.services.artifacts.fetch(
        call.path["namespace"],
        body.required("name"),
        Fetching(
            url=body.required("url"),
            sha512=body.text("sha512"),
            refresh_s=body.number("refresh_s", 0, 10 * 366 * 86400),
        ),
        kind=body.text("kind") or ArtifactKind.IMAGE,
        most_versions=_number(call, "most_versions"),
        actor=call.actor,
    )
    return _shown(call, item.object_id)


def label(call: Call) -> JsonMap:
    item = call.services.artifacts.label(
        call.path["namespace"],
        call.body.required("name"),
        call.body.required("source"),
        most_versions=_number(call, "most_versions"),
        sees=_sees(call),
        actor=call.actor,
    )
    return _shown(call, item.object_id)


def versions(call: Call) -> JsonMap:
    found = call.services.artifacts.versions(ObjectId(call.path["object"]))
    return {"versions": [image_views.version_document(one) for one in found]}


def delete_version(call: Call) -> JsonMap:
    number = call.path["number"]
    if not number.isdecimal() or len(number) > 9:
        raise UserError(f"{number[:80]!r} is no number of a version.")
    item = call.services.artifacts.delete_version(ObjectId(call.path["object"]), int(number), actor=call.actor)
    return _shown(call, item.object_id)


def content(call: Call) -> SentFile:
    index = _query_number(call, "version")
    stored = call.services.artifacts.content(ObjectId(call.path["object"]), index)
    headers = {
        "Tenuto-Sha512": stored.version.sha512,
        "Tenuto-Version": str(stored.version.index),
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return SentFile(path=stored.path, headers=headers)


def share(call: Call) -> JsonMap:
    if "shared" not in call.body.values:
        raise UserError("The body needs 'shared': true or false.")
    item = call.services.artifacts.share(
        ObjectId(call.path["object"]), is_shared=call.body.flag("shared"), actor=call.actor
    )
    return _shown(call, item.object_id)


def verify(call: Call) -> JsonMap:
    found = call.services.artifacts.verify(ObjectId(call.path["object"]), actor=call.actor)
    return {**_shown(call, found.blob.object_id), "damage": found.damage or None}


def _shown(call: Call, object_id: ObjectId) -> JsonMap:
    sees = _sees(call)
    view = call.services.objects.show(object_id)
    return objects_view.object_document(view, lambda one: call.services.artifacts.sharing.is_seen(one, sees))


def _sees(call: Call) -> Callable[[str], bool]:
    return call.services.gatekeeper.reader(call.caller, Right.STATUS)


def _number(call: Call, name: str) -> int | None:
    return call.body.number(name, 0, 10**9) if call.body.values.get(name) is not None else None


def _query_number(call: Call, name: str) -> int | None:
    return call.query.number(name, 0, 10**9) if call.query.values.get(name) is not None else None
