"""The types of objects that requests make in the local cloud."""

from tenuto.model.access import Right
from tenuto.model.ids import TypeName
from tenuto.model.object_type import FieldKind, FieldType, ObjectType, Scope
from tenuto.providers.local.types import PROVIDER

NAMESPACE = TypeName("Tenuto::Namespace")
OPERATION = TypeName("Tenuto::AgentOperation")

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
        name=OPERATION,
        provider=PROVIDER,
        lifecycle="agent_operation",
        summary="commands for the agent inside an instance",
        fields=(
            FieldType(name="Instance", summary="the id of the instance", is_required=True),
            FieldType(name="Commands", kind=FieldKind.LIST, summary="what to do, in order", is_required=True),
            FieldType(name="DeadlineSeconds", kind=FieldKind.NUMBER, summary="how long it may take", default=600),
        ),
        is_named=False,
        right=Right.INSTANCE,
    ),
)
