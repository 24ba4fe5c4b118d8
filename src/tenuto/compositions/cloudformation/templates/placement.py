"""The setting of a compilation, which all templates of a composition share, and the place of one template in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tenuto.compositions.checks.managed import Managed
from tenuto.compositions.checks.schema import SchemaSource
from tenuto.compositions.cloudformation.sections.resources import Source
from tenuto.compositions.diagnostics.nodes import Fields
from tenuto.model.composition import Assertion, Declaration, Output, Parameter
from tenuto.model.ids import Json

SEPARATOR = "."
"""The sign between the name of a nested template and a name in it. No name in a template holds one, so no two logical
ids of a composition are ever equal, and none changes when another one is added."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The facts that hold for every template of a composition."""

    region: str
    account_id: str | None
    schemas: SchemaSource
    managed: Managed | None
    looked_up: Mapping[str, Json] = field(default_factory=dict)
    """The values of the parameter store that are known already, by key."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """The tags of the stack, by key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """The file of a template and the way to it: the files around it and the names of the resources that bring it in."""

    files: tuple[str, ...]
    names: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        return self.files[-1]

    @property
    def prefix(self) -> str:
        """The beginning of every logical id of the template."""
        return "".join(name + SEPARATOR for name in self.names)

    def pseudo_parameters(self) -> dict[str, Json]:
        """The pseudo parameters that a nested template has for itself: two of one kind must not make equal names."""
        if not self.names:
            return {}
        return {name: self.own(name) for name in ("AWS::StackName", "AWS::StackId")}

    def own(self, pseudo: str) -> Json:
        """The value of `AWS::StackName` or `AWS::StackId` in this nested template."""
        # Written as Fn::Sub is lowered, so that names that are made of it in two ways are equal.
        return {"Fn::Join": ["", [{"Ref": pseudo}, "".join(f"-{name}" for name in self.names)]]}

    def below(self, name: str, file: str) -> "Placement":
        return Placement(files=(*self.files, file), names=(*self.names, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One compiled template with those that it nests, under the names that they have in the whole composition."""

    description: str = ""
    declarations: tuple[Declaration, ...] = ()
    outputs: tuple[Output, ...] = ()
    exports: tuple[Output, ...] = ()
    """The outputs of nested templates that other processes may import."""
    values: Mapping[str, Json] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)
    open: Mapping[str, Parameter] = field(default_factory=dict)
    assertions: tuple[Assertion, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)
    properties: Mapping[str, Fields] = field(default_factory=dict)
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The logical ids in each nested template, by the name of the resource that brings it in."""
