"""Contents of images and other files: a blob by its digest, and the versions of an artifact.

A blob is known by the SHA-512 of its bytes, so equal contents are one blob. An artifact is a name with versions, each
of which is a blob. The index of a version is never used twice.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from tenuto.model.ids import JsonMap, ObjectId, TypeName

GIB = 1024**3
BLOB_TYPE = TypeName("Tenuto::Blob")
DAMAGE = "Damage"
"""The attribute of a blob that names the damage of its file."""
STAMP = "Stamp"
"""The attribute of a blob with the marks of its file when it was known to be good."""
PARENT = "Parent"
"""The attribute of a thin blob with the digest of the blob that it stands on."""
PARENT_ROLE = "parent"
"""The role of the relation from a thin blob to the blob that it stands on, which stays for as long."""
FETCHING = "FetchingBytes"
"""The attribute of an artifact with the bytes that are on their way to it, which count for its namespace."""
_DIGEST = re.compile(r"[0-9a-f]{128}")


class ImageFormat(StrEnum):
    QCOW2 = "qcow2"
    RAW = "raw"
    ISO = "iso"
    DATA = "data"
    """Content that no machine can have as a disk."""


class ArtifactKind(StrEnum):
    IMAGE = "image"
    LABEL = "label"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The facts of some bytes. `fault` says why they are no image; empty for one. `parent` is the digest of the image
    that a thin one stands on."""

    sha512: str
    size: int
    format: ImageFormat
    virtual_size: int
    fault: str = ""
    parent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version of an artifact. `made_at` is ISO 8601."""

    index: int
    blob: ObjectId
    sha512: str
    size: int
    virtual_size: int
    format: str
    made_at: str

    @property
    def role(self) -> str:
        """The role of the relation from the artifact to the blob."""
        return version_role(self.index)

    def document(self) -> JsonMap:
        return {
            "Index": self.index,
            "BlobId": self.blob,
            "Sha512": self.sha512,
            "SizeBytes": self.size,
            "VirtualSizeBytes": self.virtual_size,
            "Format": self.format,
            "CreatedAt": self.made_at,
        }


def told_thin(parent: str) -> str:
    """The reason why a thin image that comes from outside is no content here."""
    return (
        f"it is a thin snapshot, which holds only what differs from the image {parent[:16]}…: take a whole snapshot of "
        "a machine that was made of it"
    )


def version_role(index: int) -> str:
    """The role of the relation from an artifact to the blob of a version."""
    return f"version{index}"


def versions_of(attributes: JsonMap) -> tuple[Version, ...]:
    """The versions of an artifact by its attributes, the oldest first."""
    return tuple(
        Version(
            index=one["Index"],
            blob=ObjectId(one["BlobId"]),
            sha512=one["Sha512"],
            size=one["SizeBytes"],
            virtual_size=one["VirtualSizeBytes"],
            format=one["Format"],
            made_at=one["CreatedAt"],
        )
        for one in attributes.get("Versions", ())
    )


def whole_gib(size: int) -> int:
    """The least number of GiB that holds so many bytes."""
    return -(-size // GIB)


def is_digest(text: str) -> bool:
    """Whether a text is a SHA-512 as it is written here: 128 small hexadecimal digits."""
    return _DIGEST.fullmatch(text) is not None
