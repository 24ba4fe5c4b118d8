"""Requests about uploads, artifacts and blobs. Things of a namespace are made under its path; existing ones are read
and changed as the objects that they are."""

from tenuto.api.answers import objects
from tenuto.api.handlers import image_handlers
from tenuto.api.requests.route import ApiRoute, Parameter
from tenuto.model.access import Right

_UPLOADS = "/v1/namespaces/{namespace}/uploads"
_ONE = f"{_UPLOADS}/{{upload}}"
_NAME = Parameter(name="name", summary="the name of the artifact in the namespace", is_required=True)
_KIND = Parameter(name="kind", summary="`image` (default) or `other`")
_SHA512 = Parameter(name="sha512", summary="the digest that the content must have, in hexadecimal digits")
_MOST = Parameter(name="most_versions", summary="how many versions it keeps; default 3", kind="integer")

IMAGE_ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute(
        method="POST",
        path=_UPLOADS,
        operation="begin_upload",
        right=Right.ARTIFACT,
        summary="Begin an upload, or find the one that was begun with the same name, size and digest. A content that "
        "the caller sees already becomes a version at once: then `artifact` is set, and no bytes are sent.",
        handler=image_handlers.begin,
        answer=objects.UPLOAD,
        body=(
            _NAME,
            Parameter(name="size", summary="how many bytes will come", kind="integer", is_required=True),
            _KIND,
            _SHA512,
            _MOST,
        ),
        status=201,
    ),
    ApiRoute(
        method="GET",
        path=_ONE,
        operation="upload",
        right=Right.ARTIFACT,
        summary="An upload; `offset` is the number of bytes that are there.",
        handler=image_handlers.show,
        answer=objects.UPLOAD,
    ),
    ApiRoute(
        method="PATCH",
        path=_ONE,
        operation="append_upload",
        right=Right.ARTIFACT,
        summary="Append bytes. They are on the disk when the answer comes.",
        handler=image_handlers.append,
        answer=objects.UPLOAD,
        query=(
            Parameter(
                name="offset",
                summary="the number of bytes that are there; any other one is refused (409)",
                kind="integer",
                is_required=True,
            ),
        ),
        takes_bytes=True,
    ),
    ApiRoute(
        method="POST",
        path=f"{_ONE}/truncate",
        operation="truncate_upload",
        right=Right.ARTIFACT,
        summary="Forget the last bytes of an upload.",
        handler=image_handlers.truncate,
        answer=objects.UPLOAD,
        body=(Parameter(name="size", summary="how many bytes stay", kind="integer", is_required=True),),
    ),
    ApiRoute(
        method="POST",
        path=f"{_ONE}/finish",
        operation="finish_upload",
        right=Right.ARTIFACT,
        summary="Check the bytes of an upload, and make them the next version of its artifact.",
        handler=image_handlers.finish,
        answer=objects.UPLOAD,
    ),
    ApiRoute(
        method="POST",
        path="/v1/namespaces/{namespace}/artifacts",
        operation="fetch_artifact",
        right=Right.ARTIFACT,
        summary="Make an artifact that is fetched from a URL. It is there at once, and `created` when its content is.",
        handler=image_handlers.fetch,
        answer=objects.OBJECT,
        body=(
            _NAME,
            Parameter(name="url", summary="http:// or https://", is_required=True),
            _KIND,
            _SHA512,
            Parameter(name="refresh_s", summary="the seconds after which it is asked again", kind="integer"),
            _MOST,
        ),
        status=201,
    ),
    ApiRoute(
        method="POST",
        path="/v1/namespaces/{namespace}/labels",
        operation="label_artifact",
        right=Right.ARTIFACT,
        summary="Make a label, or give it another version: the content of a blob or an artifact.",
        handler=image_handlers.label,
        answer=objects.OBJECT,
        body=(
            _NAME,
            Parameter(
                name="source",
                summary="the id of a blob, or the id or the name of an artifact, whose newest version counts",
                is_required=True,
            ),
            _MOST,
        ),
        status=201,
    ),
    ApiRoute(
        method="GET",
        path="/v1/objects/{object}/versions",
        operation="versions",
        right=Right.STATUS,
        summary="The versions of an artifact, the oldest first.",
        handler=image_handlers.versions,
        answer=objects.VERSIONS,
    ),
    ApiRoute(
        method="DELETE",
        path="/v1/objects/{object}/versions/{number}",
        operation="delete_version",
        right=Right.ARTIFACT,
        summary="Delete a version of an artifact. The artifact goes with its last one.",
        handler=image_handlers.delete_version,
        answer=objects.OBJECT,
    ),
    ApiRoute(
        method="GET",
        path="/v1/objects/{object}/content",
        operation="content",
        right=Right.STATUS,
        summary="The content of an artifact. `Tenuto-Sha512` is its digest.",
        handler=image_handlers.content,
        query=(Parameter(name="version", summary="the number of a version; default: the newest", kind="integer"),),
        sends_file=True,
    ),
    ApiRoute(
        method="POST",
        path="/v1/objects/{object}/share",
        operation="share",
        right=Right.ARTIFACT,
        summary="Let all namespaces see an artifact of the namespace `system`, or end that.",
        handler=image_handlers.share,
        answer=objects.OBJECT,
        body=(Parameter(name="shared", summary="whether all see it", kind="boolean", is_required=True),),
    ),
    ApiRoute(
        method="POST",
        path="/v1/objects/{object}/verify",
        operation="verify",
        right=Right.ARTIFACT,
        summary="Read the whole file of a blob now, and tell whether it is what it was.",
        handler=image_handlers.verify,
        answer=objects.VERIFIED_OBJECT,
    ),
)
