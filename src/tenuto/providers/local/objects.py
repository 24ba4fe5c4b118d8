"""The types of objects that requests make in the local cloud."""

from tenuto.model.access import Right
from tenuto.model.ids import TypeName
from tenuto.model.image import BLOB_TYPE, ArtifactKind, ImageFormat
from tenuto.model.object_type import FieldKind, FieldType, ObjectType, Scope
from tenuto.providers.local.types import PROVIDER

NAMESPACE = TypeName("Tenuto::Namespace")
UPLOAD = TypeName("Tenuto::Upload")
BLOB = BLOB_TYPE
ARTIFACT = TypeName("Tenuto::Artifact")
OPERATION = TypeName("Tenuto::AgentOperation")

MOST_VERSIONS = 3
"""The versions that an artifact keeps where it does not say otherwise."""
_KIND = FieldType(
    name="Kind",
    summary="image, for the disks of machines; label, for one that names others' contents; other, for any file",
    default=ArtifactKind.IMAGE,
    choices=tuple(ArtifactKind),
)
_MOST_VERSIONS = FieldType(
    name="MaxVersions", kind=FieldKind.NUMBER, summary="how many versions it keeps", default=MOST_VERSIONS
)

OBJECT_TYPES: tuple[ObjectType, ...] = (
    ObjectType(
        name=NAMESPACE,
        provider=PROVIDER,
        lifecycle="namespace",
        summary="a tenant: an account of the local cloud, in which processes live",
        fields=(
            FieldType(name="Trust", kind=FieldKind.LIST, summary="names of namespaces that may see it", default=[]),
            FieldType(name="Limits", kind=FieldKind.MAP, summary="the most of each thing in it", default={}),
        ),
        scope=Scope.PROVIDER,
        right=Right.ACCOUNT,
        is_account=True,
    ),
    ObjectType(
        name=UPLOAD,
        provider=PROVIDER,
        lifecycle="upload",
        summary="bytes on their way to become a blob",
        fields=(
            FieldType(name="Name", summary="the artifact that will have them as its next version", is_required=True),
            FieldType(name="SizeBytes", kind=FieldKind.NUMBER, summary="how many bytes will come", is_required=True),
            FieldType(name="Sha512", summary="the digest that they must have"),
            _KIND,
            _MOST_VERSIONS,
        ),
        is_named=False,
        right=Right.ARTIFACT,
        made_by="'tenuto artifact upload NAME FILE'",
    ),
    ObjectType(
        name=BLOB,
        provider=PROVIDER,
        lifecycle="blob",
        summary="an immutable file, one for equal contents",
        fields=(
            FieldType(name="Sha512", summary="its digest; no two blobs have one", is_required=True, is_claim=True),
            FieldType(name="SizeBytes", kind=FieldKind.NUMBER, summary="its size", is_required=True),
            FieldType(name="VirtualSizeBytes", kind=FieldKind.NUMBER, summary="the size of the disk", is_required=True),
            FieldType(name="Format", summary="qcow2, raw, iso or data", is_required=True, choices=tuple(ImageFormat)),
        ),
        is_named=False,
        scope=Scope.PROVIDER,
        right=Right.ARTIFACT,
        made_by="'tenuto artifact upload NAME FILE' or 'tenuto artifact fetch NAME URL', and equal contents are one",
    ),
    ObjectType(
        name=ARTIFACT,
        provider=PROVIDER,
        lifecycle="artifact",
        summary="a named image, label or other file, with versions",
        fields=(
            _KIND,
            FieldType(name="Url", summary="where its versions are fetched from"),
            FieldType(name="Sha512", summary="the digest that a fetched version must have"),
            FieldType(
                name="RefreshSeconds", kind=FieldKind.NUMBER, summary="how often the URL is asked again", default=0
            ),
            _MOST_VERSIONS,
            FieldType(name="Shared", kind=FieldKind.FLAG, summary="whether all namespaces see it", default=False),
        ),
        right=Right.ARTIFACT,
        made_by="'tenuto artifact upload NAME FILE', 'tenuto artifact fetch NAME URL' or 'tenuto artifact label NAME'",
    ),
    ObjectType(
        name=OPERATION,
        provider=PROVIDER,
        lifecycle="agent_operation",
        summary="commands for the agent inside an instance",
        fields=(
            FieldType(name="Instance", summary="the id of the instance, or of the network of a Ping", is_required=True),
            FieldType(name="Commands", kind=FieldKind.LIST, summary="what to do, in order", is_required=True),
            FieldType(name="DeadlineSeconds", kind=FieldKind.NUMBER, summary="how long it may take", default=600),
        ),
        is_named=False,
        right=Right.INSTANCE,
    ),
)
