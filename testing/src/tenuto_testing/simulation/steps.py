"""The steps of a history, as values. Each reads as a line of a scenario, and is meaningful after any other.

A step that has no object now (a command that the state refuses, a thing that is not there) does nothing, so that any
step may be dropped from a history and the rest still is one. The texts hold everything: `script` reads them back.
"""

import json
from dataclasses import dataclass

from tenuto.core.language.resolve import referenced_resources
from tenuto.model.composition import Composition, Declaration, DeletionPolicy
from tenuto.model.ids import Json, JsonMap, LogicalId, TypeName
from tenuto_testing.mortality import Blow

EVERYTHING = LogicalId("*")
"""In place of a resource: all of a process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submit:
    """`run` or `update` with a composition."""

    verb: str
    alias: str
    composition: Composition

    def __str__(self) -> str:
        return f"{self.verb} {self.alias}{_lines(self.composition)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """`suspend`, `resume`, `kill`, `retry` or `release`. A release may keep the tags."""

    verb: str
    alias: str
    keeps_tags: bool = False

    def __str__(self) -> str:
        return f"{self.verb} {self.alias}{' keep-tags' if self.keeps_tags else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """Two people give a command each at one moment: the second is stored while the first is being decided."""

    first: str
    second: str
    alias: str

    def __str__(self) -> str:
        return f"together {self.first} {self.second} {self.alias}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearse:
    """A dry run of `update`, `resume`, `kill` or `release`, whose plan is kept."""

    verb: str
    alias: str
    composition: Composition | None = None

    def __str__(self) -> str:
        return f"rehearse {self.verb} {self.alias}{_lines(self.composition)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Execute:
    """The plan of the last rehearsal is executed, however late."""

    alias: str

    def __str__(self) -> str:
        return f"execute {self.alias}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetProperty:
    alias: str
    key: str
    value: str
    until_s: float | None = None

    def __str__(self) -> str:
        until = "" if self.until_s is None else f" {number_text(self.until_s)}"
        return f"property {self.alias} {self.key} {self.value}{until}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTempo:
    """The delays of the Conductor that leads are other ones, until it dies."""

    period_s: float
    patience_s: float

    def __str__(self) -> str:
        return f"tempo {number_text(self.period_s)} {number_text(self.patience_s)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """Time passes, and the work that becomes due is done."""

    seconds: float

    def __str__(self) -> str:
        return f"advance {number_text(self.seconds)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Strike:
    """Another user does something to a thing of ours: tamper, vanish, terminate, break or fill. `*` is all of them."""

    act: str
    alias: str
    logical_id: LogicalId
    path: str = ""
    value: Json = None

    def __str__(self) -> str:
        detail = f" {self.path}={json_text(self.value)}" if self.path else ""
        return f"{self.act} {self.alias}.{self.logical_id}{detail}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Add:
    """Another user makes something of their own."""

    type: TypeName
    properties: JsonMap

    def __str__(self) -> str:
        return f"add {self.type} {json_text(self.properties)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """The cloud will be faulty: the next calls of an operation that are about a subject, in the cloud's own words."""

    operation: str
    subject: str
    kind: str
    times: int
    seconds: float

    def __str__(self) -> str:
        return f"fault {self.operation} {self.subject} {self.kind} x{self.times} {number_text(self.seconds)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreDown:
    """The next commits, their answers or reads will find the store unavailable: it is down, unsure or unreadable."""

    how: str = "down"
    times: int

    def __str__(self) -> str:
        return f"store {self.how} x{self.times}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Enter:
    """Conductors that are started from now on have the credentials of this account."""

    account: str

    def __str__(self) -> str:
        return f"account {self.account}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Swap:
    """The credentials of every Conductor, also of those that live, are renewed and lead to this account from now on."""

    account: str

    def __str__(self) -> str:
        return f"credentials {self.account}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stall:
    """The Conductor stands still, and goes on after that as if nothing had been. Meanwhile another is started."""

    seconds: float

    def __str__(self) -> str:
        return f"stall {number_text(self.seconds)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """Another Conductor is started beside the one that lives."""

    def __str__(self) -> str:
        return "rival"


@dataclass(frozen=True, slots=True, kw_only=True)
class Death:
    """The Conductor dies: now, or at a moment to come."""

    blow: Blow | None = None

    def __str__(self) -> str:
        if self.blow is None:
            return "crash"
        when = "after" if self.blow.is_after else "before"
        return f"crash {when} {self.blow.operation} {self.blow.subject} x{self.blow.count}"


Step = (
    Submit
    | Order
    | Together
    | Rehearse
    | Execute
    | SetProperty
    | SetTempo
    | Pass
    | Strike
    | Add
    | Trouble
    | StoreDown
    | Enter
    | Swap
    | Death
    | Stall
    | Rival
)


def _lines(composition: Composition | None) -> str:
    declared = composition.resources if composition is not None else ()
    lines = [f"{one.logical_id}: {json_text(as_template(one))}" for one in declared]
    exports = composition.outputs if composition is not None else ()
    lines += [f"export {one.export}: {json_text(one.value)}" for one in exports]
    return "".join(f"\n        {line}" for line in lines)


def as_template(one: Declaration) -> JsonMap:
    """A resource as a template declares it: without the dependencies that its references say already."""
    found: dict[str, Json] = {"Type": one.type, "Properties": one.properties}
    extra = sorted(set(one.depends_on) - set(referenced_resources(one.properties)))
    if extra:
        found["DependsOn"] = extra
    policies = {"DeletionPolicy": one.deletion_policy, "UpdateReplacePolicy": one.replace_policy}
    found |= {name: str(policy) for name, policy in policies.items() if policy is not DeletionPolicy.DELETE}
    return found


def json_text(value: Json) -> str:
    """A value in one line that is read back as the same."""
    return json.dumps(value)


def number_text(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
