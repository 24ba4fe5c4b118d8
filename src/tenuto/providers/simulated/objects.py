"""The simulated types of objects that requests make, so that every command can be tried without an account.

They have the tables of the local cloud's own types, a host's alone excepted: hosts check in by themselves. How they are
made, kept and deleted, and how they fail, is in `object_work`.
"""

from tenuto.lifecycles.agent_operation import AgentOperationState
from tenuto.lifecycles.instance import InstanceState
from tenuto.lifecycles.made_things import MadeState
from tenuto.lifecycles.network import NetworkState
from tenuto.model.access import Right
from tenuto.model.ids import TypeName
from tenuto.model.object_type import FieldKind, FieldType, ObjectType, Scope
from tenuto.providers.simulated.types import PROVIDER

NAMESPACE = TypeName("Simulated::Namespace")
UPLOAD = TypeName("Simulated::Upload")
BLOB = TypeName("Simulated::Blob")
ARTIFACT = TypeName("Simulated::Artifact")
OPERATION = TypeName("Simulated::AgentOperation")
NETWORK = TypeName("Simulated::Compute::Network")
INTERFACE = TypeName("Simulated::Compute::NetworkInterface")
INSTANCE = TypeName("Simulated::Compute::Instance")

FAIL_WITH = "FailWith"
FAIL_IN = "FailIn"
DELETION = "deletion"
"""The value of `FailIn` for the first try to delete a thing that has no state of its own for that."""


def _faults(*places: str) -> tuple[FieldType, FieldType]:
    """The fields that let an object fail, in one of these states."""
    return (
        FieldType(name=FAIL_WITH, summary="the message with which it shall fail"),
        FieldType(name=FAIL_IN, summary=f"the state in which it shall fail: {', '.join(places)}", choices=places),
    )


def _namespace() -> FieldType:
    return FieldType(name="Namespace", kind=FieldKind.OBJECT, summary="whose it is", role="parent", of=(NAMESPACE,))


_SIZE = FieldType(name="SizeBytes", kind=FieldKind.NUMBER, summary="its size", default=0)
_MADE = (MadeState.INITIAL, MadeState.CREATED, DELETION)

OBJECT_TYPES: tuple[ObjectType, ...] = (
    ObjectType(
        name=NAMESPACE,
        provider=PROVIDER,
        lifecycle="namespace",
        summary="a tenant that other objects may belong to",
        fields=(
            FieldType(name="Trust", kind=FieldKind.LIST, summary="names of namespaces that may see it", default=[]),
            FieldType(name="Limits", kind=FieldKind.MAP, summary="the most of each thing in it", default={}),
            *_faults(DELETION),
        ),
        scope=Scope.PROVIDER,
        right=Right.ACCOUNT,
    ),
    ObjectType(
        name=UPLOAD,
        provider=PROVIDER,
        lifecycle="upload",
        summary="bytes on their way to become a blob",
        fields=(
            FieldType(name="SizeBytes", kind=FieldKind.NUMBER, summary="how many bytes will come", is_required=True),
            _namespace(),
            *_faults(DELETION),
        ),
        is_named=False,
    ),
    ObjectType(
        name=BLOB,
        provider=PROVIDER,
        lifecycle="blob",
        summary="an immutable file",
        fields=(
            FieldType(name="Sha512", summary="the checksum of its content; no two blobs have one", is_claim=True),
            _SIZE,
            *_faults(*_MADE),
        ),
        is_named=False,
    ),
    ObjectType(
        name=ARTIFACT,
        provider=PROVIDER,
        lifecycle="artifact",
        summary="a named image, label or other file",
        fields=(
            FieldType(
                name="Kind", summary="image, label or other", default="other", choices=("image", "label", "other")
            ),
            FieldType(name="Blob", kind=FieldKind.OBJECT, summary="its content", of=(BLOB,)),
            _namespace(),
            *_faults(*_MADE),
        ),
        halo_s=60.0,
    ),
    ObjectType(
        name=NETWORK,
        provider=PROVIDER,
        lifecycle="network",
        summary="a network of instances",
        fields=(
            FieldType(name="CidrBlock", summary="its range of addresses", is_required=True),
            _namespace(),
            *_faults(NetworkState.INITIAL, NetworkState.CREATED, NetworkState.DELETE_WAIT),
        ),
    ),
    ObjectType(
        name=INTERFACE,
        provider=PROVIDER,
        lifecycle="network_interface",
        summary="the tie of an instance to a network",
        fields=(
            FieldType(
                name="Network",
                kind=FieldKind.OBJECT,
                summary="the network that it is on",
                role="network",
                of=(NETWORK,),
                is_required=True,
            ),
            FieldType(name="Address", summary="its address there"),
            *_faults(*_MADE),
        ),
        is_named=False,
    ),
    ObjectType(
        name=INSTANCE,
        provider=PROVIDER,
        lifecycle="instance",
        summary="a virtual machine on a host",
        fields=(
            FieldType(name="Vcpus", kind=FieldKind.NUMBER, summary="how many processors it has", default=1),
            FieldType(name="MemoryMiB", kind=FieldKind.NUMBER, summary="how much memory it has", default=512),
            FieldType(name="Image", kind=FieldKind.OBJECT, summary="what it boots from", role="image", of=(ARTIFACT,)),
            FieldType(
                name="Interface",
                kind=FieldKind.OBJECT,
                summary="its network interface",
                role="interface",
                of=(INTERFACE,),
            ),
            _namespace(),
            *_faults(
                InstanceState.INITIAL,
                InstanceState.PREFLIGHT,
                InstanceState.CREATING,
                InstanceState.CREATED,
                InstanceState.DELETE_WAIT,
            ),
        ),
    ),
    ObjectType(
        name=OPERATION,
        provider=PROVIDER,
        lifecycle="agent_operation",
        summary="commands that an agent carries out",
        fields=(
            FieldType(name="Commands", kind=FieldKind.LIST, summary="what to do, in order", is_required=True),
            FieldType(name="DeadlineSeconds", kind=FieldKind.NUMBER, summary="give up after", default=600),
            FieldType(name="Uses", kind=FieldKind.OBJECT, summary="an artifact that it needs", of=(ARTIFACT,)),
            *_faults(
                AgentOperationState.INITIAL,
                AgentOperationState.PREFLIGHT,
                AgentOperationState.QUEUED,
                AgentOperationState.EXECUTING,
                DELETION,
            ),
        ),
        is_named=False,
    ),
)
