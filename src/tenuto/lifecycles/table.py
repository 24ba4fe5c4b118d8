"""The type of every lifecycle: one frozen table, checked when it is made.

A lifecycle is data. `rows` lists for every state the states it may move to; `initial` the states an object may be
born in; `final` the states that nothing leaves. A caller that wants to move an object asks `check`, which answers
with an error and changes nothing when the table does not list the move (specification: object state machines).

Beside the moves, a table has the meanings of its states: its *roles*. Code that works on objects of every type asks for
a role (`ready`, `gone`, `failure[state]`) and never for a state by its name, so a new type is a new table and no change
elsewhere. The roles are plain attributes, and the ways are computed once when the table is made: planning and the phase
engine ask for them for every object in every pass.

The way to a target is its preferred path in `paths`. An object whose state is not on the path enters it at the first
state that the table allows from there; where none is allowed, it takes the shortest way through `rows` to the path (so
an instance in `created-error` is deleted by way of `error`). A state of a path that is `optional` is left out for an
object to which no phase applies there.

Rejected: transitions as methods, guards or decorators. They cannot be listed, drawn or compared with a document;
a table can, and its picture in docs/reference/lifecycles.md is generated from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tenuto.errors import BugError, IllegalTransitionError
from tenuto.lifecycles.table_checks import problems_of
from tenuto.lifecycles.ways import Ways, ways_of
from tenuto.model.phase_map import Heading


class Work(StrEnum):
    """The work that Tenuto's own phases do on an object of a table, through its provider."""

    CREATE = "create"
    """Make the real thing, or take over an existing one."""
    AWAIT = "await"
    """Wait until the provider says that it is ready."""
    CONFIGURE = "configure"
    """Bring it to the declared properties."""
    DELETE = "delete"
    RELEASE = "release"
    """Take the ownership marks off it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """One object type's states, moves and roles. Raises BugError when the table is not well formed."""

    name: str
    states: type[StrEnum]
    initial: frozenset[StrEnum]
    rows: Mapping[StrEnum, frozenset[StrEnum]]
    final: frozenset[StrEnum]
    errors: frozenset[StrEnum] = frozenset()
    """The states that an error message may be stored with (DECISIONS 10)."""
    born: StrEnum
    """The state in which a plan or a request makes an object."""
    ready: StrEnum
    """The state that a make and a change aim at."""
    gone: StrEnum
    """The final state of a deletion, and of a thing that vanished."""
    released: StrEnum | None = None
    """The final state of an object that is given up and stays at the provider; None where a type knows no release."""
    rested: StrEnum | None = None
    """The state of an object that gave its machine back and keeps its record."""
    failed: StrEnum | None = None
    """The state in which an object that failed waits for a person; None where failures stay in the phase."""
    failure: Mapping[StrEnum, StrEnum] = field(default_factory=dict)
    """The state, by state, that an object goes to at once when a phase of it fails there (DECISIONS 13)."""
    change_at: StrEnum
    """The state that a change in place enters again. It may be the ready state itself: then a change runs the phases of
    that state without a move."""
    turnable: frozenset[StrEnum] = frozenset()
    """The states from which a deletion or a release that was cancelled can be turned back."""
    reading: frozenset[StrEnum] = frozenset()
    """The states whose phases only ask, so that an older sweep stays good."""
    optional: frozenset[StrEnum] = frozenset()
    """The states of a path that are left out where no phase applies."""
    work: Mapping[Work, StrEnum] = field(default_factory=dict)
    """The state, by kind of work, in which Tenuto's own provider phases do it."""
    paths: Mapping[StrEnum, tuple[StrEnum, ...]] = field(default_factory=dict)
    """The states, by target, of the preferred way to it; empty for a type that phases do not drive."""
    ages_out: bool = True
    """True when a final object is removed for good some time later (DECISIONS 12)."""
    headings: Mapping[str, Heading] = field(init=False, repr=False, compare=False)
    """The heading of an object, by its target."""
    _paths: Mapping[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)
    _ways: Ways = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if problems := problems_of(self):
            raise BugError(f"lifecycle {self.name}: {'; '.join(problems)}")
        roles = (
            (self.rested, Heading.RESTED),
            (self.released, Heading.RELEASED),
            (self.failed, Heading.FAILED),
            (self.gone, Heading.GONE),
            (self.ready, Heading.READY),
        )
        headings = {str(state): heading for state, heading in roles if state is not None}
        object.__setattr__(self, "headings", headings)
        object.__setattr__(self, "_paths", {str(state): path for state, path in self.targets.items()})
        object.__setattr__(self, "_ways", ways_of(self.rows, self.targets))

    @property
    def is_provided(self) -> bool:
        """Whether Tenuto's own phases do its work through its provider: then phases for `*` are for its objects too."""
        return bool(self.work)

    @property
    def targets(self) -> Mapping[StrEnum, tuple[StrEnum, ...]]:
        """The preferred path to each target, by target; the state of failures is one, and is its own path."""
        return self.paths if self.failed is None else {**self.paths, self.failed: (self.failed,)}

    def allows(self, before: str, after: str) -> bool:
        """Whether the table lists the move."""
        return after in self.rows[self.states(before)]

    def check(self, before: str, after: str, *, object_id: str) -> None:
        """Raise IllegalTransitionError unless the table lists the move."""
        if not self.allows(before, after):
            raise IllegalTransitionError(
                object_type=self.name,
                object_id=object_id,
                before=before,
                after=after,
                allowed=sorted(self.rows[self.states(before)]),
            )

    def check_birth(self, state: str, *, object_id: str) -> None:
        """Raise IllegalTransitionError unless an object may be born in `state`."""
        if state not in self.initial:
            raise IllegalTransitionError(
                object_type=self.name, object_id=object_id, before="nothing", after=state, allowed=sorted(self.initial)
            )

    def is_final(self, state: str) -> bool:
        return state in self.final

    def path_to(self, target: str) -> tuple[str, ...]:
        """The states of the preferred way to `target`. Raises BugError when no object of this type heads for it."""
        path = self._paths.get(target)
        if path is None:
            targets = ", ".join(sorted(self.targets)) or "(none)"
            raise BugError(f"lifecycle {self.name}: nothing heads for {target}; the targets are {targets}")
        return path

    def next_state(self, state: str, target: str) -> str:
        """The state after `state` on the way to `target`: `state` itself when it is the target.

        Raises BugError when there is no way.
        """
        if state == target:
            return state
        following = self._ways.get((state, target))
        if following is None:
            raise BugError(f"lifecycle {self.name}: no way from {state} to {target}")
        return following
