"""The view of a stack whose resources a process is to hold, and its document."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tenuto.compositions.cloudformation import stack_template
from tenuto.model.ids import JsonMap, LogicalId, Partition
from tenuto.model.stack import Member, Stack
from tenuto.service.existing.stack_problems import SETTLED, not_settled


@dataclass(frozen=True, slots=True, kw_only=True)
class StackView:
    """A stack with its members as they are known here, and the process that holds each of them."""

    stack: Stack
    partition: Partition
    template: str
    members: tuple[Member, ...] = ()
    holders: Mapping[LogicalId, str] = field(default_factory=dict)
    not_retained: tuple[LogicalId, ...] = ()
    untagged: tuple[LogicalId, ...] = ()
    """The members whose thing carries tags of the stack that could not be written into the template."""
    saying_id: tuple[LogicalId, ...] = ()
    """The members that have `AWS::StackId` in a property."""
    is_shell: bool = False
    """True when it was emptied, and holds nothing but its exports."""
    problem: str = ""
    """The reason why it cannot be taken over as a whole; empty when nothing but a member is in the way."""

    @property
    def problems(self) -> tuple[Member, ...]:
        return tuple(one for one in self.members if one.problem)

    @property
    def unsettled(self) -> str:
        """The reason why the stack cannot be let go in the state that it is in; empty when it can."""
        return "" if self.stack.status in SETTLED else not_settled(self.stack)


def stack_document(view: StackView) -> JsonMap:
    """A stack as its import sees it."""
    stack = view.stack
    return {
        "stack": stack.name,
        "stack_id": stack.stack_id,
        "status": stack.status,
        "account": view.partition.account,
        "region": view.partition.region,
        "template": view.template,
        "format": "json" if stack_template.is_json(stack.template) else "yaml",
        "parameters": dict(stack.parameters),
        "hidden": sorted(stack.hidden),
        "tags": dict(stack.tags),
        "tagged": [one.logical_id for one in view.members if one.tags and one.logical_id not in view.untagged],
        "untagged": list(view.untagged),
        "saying_id": list(view.saying_id),
        "resources": [
            {
                "logical_id": one.logical_id,
                "type": one.type,
                "id": one.physical_id,
                "problem": one.problem or None,
                "held_by": view.holders.get(one.logical_id),
            }
            for one in view.members
        ],
        "not_retained": list(view.not_retained),
        "exports": [{"name": one.name, "value": one.value, "importers": list(one.importers)} for one in stack.exports],
        "protected": stack.is_protected,
        "shell": view.is_shell,
        "problem": view.problem or None,
        "unsettled": view.unsettled or None,
    }
