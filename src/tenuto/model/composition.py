"""A compiled composition: the declared resources, as one canonical value.

Property values are JSON with *residual expressions*: everything that could be decided at compile time (parameters,
mappings, conditions, constant functions) is folded away; the values that only the running world knows are left, in
exactly these long forms, each a mapping with one key:

    {"Ref": LOGICAL_ID}                         the physical id of a resource
    {"Ref": "AWS::StackName" | "AWS::StackId" | "AWS::AccountId"}
    {"Ref": SECRET_PARAMETER}                   a NoEcho parameter, kept apart and sealed
    {"Ref": LOOKUP_PARAMETER}                   a parameter whose value the provider looks up (SSM)
    {"Fn::GetAtt": [LOGICAL_ID, ATTRIBUTE]}
    {"Fn::Join": [DELIMITER, LIST]}             `Fn::Sub` is lowered to it
    {"Fn::Select": [INDEX, LIST]}  {"Fn::Split": [DELIMITER, TEXT]}
    {"Fn::Base64": TEXT}           {"Fn::Cidr": [BLOCK, COUNT, BITS]}
    {"Fn::GetAZs": REGION}         {"Fn::ImportValue": NAME}
    {"Fn::ToJsonString": VALUE}                 the JSON text of one value that is open
    {"Tenuto::Secret": REFERENCE}               a secret that the provider keeps; it is read when a phase needs it

`core.language.resolve` is the one evaluator of both times. `Fn::If` and conditions never survive compilation.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tenuto.model.diagnostic import Position
from tenuto.model.ids import Json, JsonMap, LogicalId, TypeName


class DeletionPolicy(StrEnum):
    """The fate of the real thing when a resource leaves the process."""

    DELETE = "Delete"
    RETAIN = "Retain"
    RETAIN_EXCEPT_ON_CREATE = "RetainExceptOnCreate"
    """Retain, but delete a resource that never became ready."""
    SNAPSHOT = "Snapshot"
    """Deleted, after a snapshot was made of it; kept, where its type has no snapshots."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """One resource as declared. `depends_on` holds explicit and implied dependencies, sorted, without repeats."""

    logical_id: LogicalId
    type: TypeName
    properties: JsonMap
    depends_on: tuple[LogicalId, ...] = ()
    deletion_policy: DeletionPolicy = DeletionPolicy.DELETE
    replace_policy: DeletionPolicy = DeletionPolicy.DELETE
    metadata: JsonMap = field(default_factory=dict)
    position: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """A named value that the process shows to people, and to other processes when `export` names it."""

    name: str
    value: Json
    description: str = ""
    export: Json = None


SECRET_LOOKUP = "resolve:"
"""The beginning of the lookups whose values are secrets, in any service of a provider. No name of the parameter store
begins like that: it has no colon, and a version or label after its name begins with one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter that is still open after compilation: its value is secret, or must be looked up.

    Exactly one of `fingerprint` (of a secret's value, so that a change can be seen without the value), `lookup` (the
    key the provider resolves) and `is_kept` (the secret that a process has already, which a client cannot know) is set.
    """

    name: str
    fingerprint: str = ""
    lookup: str = ""
    is_kept: bool = False

    @property
    def is_secret(self) -> bool:
        """Whether no user may see the value, also where it is still to be looked up."""
        return bool(self.fingerprint) or self.is_kept or self.lookup.startswith(SECRET_LOOKUP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """An assertion of a rule of the template on parameters that are open: a tree of `core.language.assertions`."""

    rule: str
    holds: Json
    description: str = ""
    """The message of the template's author to a user who breaks it."""
    position: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True)
class Composition:
    """A whole compiled composition. `digest` is the SHA-256 of its canonical JSON without positions."""

    name: str
    digest: str
    region: str
    description: str = ""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    values: JsonMap = field(default_factory=dict)
    """The values of the ordinary parameters that were folded in, for people to see."""
    resources: tuple[Declaration, ...] = ()
    outputs: tuple[Output, ...] = ()
    assertions: tuple[Assertion, ...] = ()
    """The conditions that must hold before anything is made, as far as the compiler could not decide it."""

    @property
    def is_exporting(self) -> bool:
        """Whether any output has a name for other processes."""
        return any(one.export is not None for one in self.outputs)
