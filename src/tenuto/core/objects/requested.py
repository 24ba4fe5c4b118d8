"""Objects without a process as they are born, and the events of the commands about them."""

from tenuto.lifecycles.table import Lifecycle
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Instant, Json, JsonMap, LogicalId, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.resource import ManagedObject


def born_alone(
    table: Lifecycle,
    type_name: TypeName,
    partition: Partition,
    *,
    object_id: ObjectId,
    at: Instant,
    name: str | None = None,
    provider: str | None = None,
    physical_id: PhysicalId | None = None,
    desired: JsonMap | None = None,
    attributes: JsonMap | None = None,
) -> ManagedObject:
    """An object that begins its table, and heads for the ready state. Without a name it is called by its id."""
    return ManagedObject(
        object_id=object_id,
        lifecycle=table.name,
        type=type_name,
        provider=provider,
        partition=partition,
        fid=None,
        logical_id=LogicalId(name or object_id),
        state=table.born,
        target=table.ready,
        created_at=at,
        moved_at=at,
        touched_at=at,
        physical_id=physical_id,
        desired=desired or {},
        attributes=attributes or {},
    )


def command_given(item: ManagedObject, command: str, actor: str, at: Instant, **more: Json) -> Event:
    """The event of a command about an object. `more` is beside the command and the account."""
    return Event(
        at=at,
        type=EventType.COMMAND_GIVEN,
        fid=item.fid,
        object_id=item.object_id,
        subject=item.logical_id,
        actor=actor,
        data={"command": command, "account": item.partition.account, **more},
    )
