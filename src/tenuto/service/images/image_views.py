"""Uploads and versions, as people and programs see them."""

from tenuto.model.ids import JsonMap
from tenuto.model.image import Version
from tenuto.service.images.uploads import UploadView
from tenuto.service.objects.objects_view import row_document


def upload_document(view: UploadView) -> JsonMap:
    """The document of an upload. `artifact` and `version` are its result; null while bytes come."""
    item = view.item
    return {
        "id": item.object_id,
        "account": item.partition.account,
        "state": item.state,
        "name": item.desired["Name"],
        "kind": item.desired["Kind"],
        "size": item.desired["SizeBytes"],
        "sha512": item.desired.get("Sha512"),
        "offset": view.offset,
        "artifact": row_document(view.artifact) if view.artifact else None,
        "version": view.version,
    }


def version_document(version: Version) -> JsonMap:
    return {
        "version": version.index,
        "blob": version.blob,
        "sha512": version.sha512,
        "size": version.size,
        "virtual_size": version.virtual_size,
        "format": version.format,
        "created": version.made_at,
    }
