"""A stack of another tool: the facts that an import reads, and the change sets that let its resources go."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tenuto.model.ids import Json, JsonMap, LogicalId, PhysicalId, TypeName


@dataclass(frozen=True, slots=True, kw_only=True)
class StackResource:
    """One resource of a stack. `given_id` is the id that the other tool shows, which may be a made-up name."""

    logical_id: LogicalId
    type: TypeName
    given_id: str
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StackExport:
    """A name that a stack exports, and the stacks that import it."""

    name: str
    value: str
    importers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StackOutput:
    """An output of a stack as it is now. `export` is empty for one that no other stack can import."""

    name: str
    value: str
    export: str = ""


UNMADE = "REVIEW_IN_PROGRESS"
"""The status of a stack that is nothing but a change set so far: it has no template and no resource."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """A stack as its tool tells it. `template` is its source, after transforms when it has any."""

    stack_id: str
    name: str
    status: str
    reason: str = ""
    template: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    """The parameters whose values are not told."""
    looked_up: Mapping[str, str] = field(default_factory=dict)
    """The values of the parameter store that the stack was made with, by key."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """The tags that its tool puts on each of its resources, those of the stacks that it is nested in included."""
    capabilities: tuple[str, ...] = ()
    resources: tuple[StackResource, ...] = ()
    outputs: tuple[StackOutput, ...] = ()
    exports: tuple[StackExport, ...] = ()
    is_protected: bool = False
    """True while the stack itself refuses its deletion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StackChange:
    """One change of a change set. `scope` are the attributes that change; None where the tool does not say."""

    logical_id: LogicalId
    action: str
    replaces: bool | None
    scope: frozenset[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSet:
    """A change set of a stack, by its name."""

    name: str
    status: str
    execution: str
    reason: str = ""
    changes: tuple[StackChange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StackTags:
    """The tags of a stack that a thing shows and that its resource does not declare. `added` is a list or a mapping, as
    the property takes it."""

    property: str
    added: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A resource of a stack, as it is known here: its physical id, or why it cannot be taken over."""

    logical_id: LogicalId
    type: TypeName
    physical_id: PhysicalId | None
    properties: JsonMap = field(default_factory=dict)
    problem: str = ""
    accepted: tuple[str, ...] = ()
    """The codes of the rules that it breaks, although its provider has taken it: they are newer there."""
    tags: StackTags | None = None
