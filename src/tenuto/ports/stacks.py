"""Stacks of another tool in an account: read to be imported, and let go without touching the things that they made."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from tenuto.model.ids import JsonMap, Partition, PhysicalId, TypeName
from tenuto.model.stack import ChangeSet, Stack


class StackBook(Protocol):
    """Every method raises TransientError or PermanentError. Only the last four change anything, and no resource."""

    def stack(self, partition: Partition, name: str) -> Stack | None:
        """The stack of this name or id; None when there is none, or only one that was deleted. The template of one that
        has no resource yet is empty."""
        ...

    def is_known_by_given_id(self, type_name: TypeName) -> bool:
        """Whether the id that the other tool shows of a type is the one that the provider knows its things by."""
        ...

    def derive(
        self, partition: Partition, type_name: TypeName, given_id: str, properties: JsonMap
    ) -> PhysicalId | None:
        """The physical id that follows from the given id and the properties, whether there is such a thing or not;
        None where a thing must be looked up."""
        ...

    def identify(
        self, partition: Partition, type_name: TypeName, given_id: str, properties: JsonMap
    ) -> PhysicalId | None:
        """The physical id of a thing with these properties; None when there is not exactly one."""
        ...

    def change_set(self, partition: Partition, stack_id: str, name: str) -> ChangeSet | None:
        """The change set of this name, with all its changes; None when there is none."""
        ...

    def make_change_set(
        self, partition: Partition, stack: Stack, name: str, template: str, *, kept: Sequence[str]
    ) -> None:
        """Ask for a change set with this template. Nothing is executed. `kept` are the parameters that keep their
        values: all that the stack has of those that the template declares, and no other."""
        ...

    def drop_change_set(self, partition: Partition, stack_id: str, name: str) -> None:
        """Delete a change set that is not to be executed. Idempotent."""
        ...

    def execute_change_set(self, partition: Partition, stack_id: str, name: str) -> None:
        """Begin to execute a change set. The caller has read it."""
        ...

    def delete_stack(self, partition: Partition, stack_id: str, *, role: str | None) -> None:
        """Begin to delete the stack, with the rights of `role` where one is given. The caller has made sure that every
        resource of it is retained."""
        ...


@runtime_checkable
class HasStacks(Protocol):
    """A provider with stacks of another tool."""

    @property
    def stacks(self) -> StackBook: ...
