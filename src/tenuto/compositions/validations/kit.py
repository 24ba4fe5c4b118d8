"""The kit of a validation's author: the decorator, the values that a rule sees, and the findings it may report.

A rule is a plain function. It gets copies, so nothing that it does to them reaches the composition, and it sees
properties as they leave the compiler: parameters, mappings, conditions and constant functions are folded, wherever a
value was built. A value that only the running world will know is an `Unresolved`, which names the thing that it waits
for.

The decorator replaces the function by a value of type `Validation`. Nothing is registered anywhere: the loader reads
the values of a module, and a test can call `rule.function(resource)` itself.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tenuto.compositions.documents.canonical import canonical_json
from tenuto.core.language.expressions import is_expression, is_list
from tenuto.core.language.resolve import has_kept_secret, open_expressions
from tenuto.errors import UserError
from tenuto.model.composition import Composition, Declaration
from tenuto.model.ids import Json

PathPart = str | int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unresolved:
    """A value that is known only after the build, a secret, or something made of them.

    Equal to another one exactly when both are the same expression, and to nothing else.
    """

    expression: Json = field(compare=False, repr=False)
    """The expression, as `tenuto compile` prints it."""
    text: str
    """The value as canonical JSON."""
    references: tuple[str, ...] = field(compare=False)
    """The logical ids that it waits for."""
    is_secret: bool = field(compare=False)
    """True when a NoEcho parameter is part of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """One declared resource. `properties` and `metadata` hold dicts, lists, scalars and `Unresolved` values."""

    logical_id: str
    type: str
    properties: dict[str, Any]
    metadata: dict[str, Any]
    depends_on: tuple[str, ...]
    """Explicit and implied dependencies."""
    deletion_policy: str
    replace_policy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeComposition:
    """The whole composition, its resources by logical id."""

    name: str
    region: str
    description: str
    parameters: dict[str, Any]
    """The ordinary parameters by name; secrets and values that the provider looks up are not among them."""
    resources: tuple[Resource, ...]

    def of_type(self, *types: str) -> tuple[Resource, ...]:
        """The resources of these types."""
        return tuple(one for one in self.resources if one.type in types)

    def resource(self, logical_id: str) -> Resource | None:
        """The resource of that name."""
        return next((one for one in self.resources if one.logical_id == logical_id), None)


@dataclass(frozen=True, slots=True)
class Violation:
    """The verdict of a rule. A rule may also yield a bare text, which is the message of an error."""

    message: str
    path: str | tuple[PathPart, ...] = field(default=(), kw_only=True)
    """The path into the properties: `("SecurityGroupIngress", 0, "CidrIp")`, or the same with dots."""
    hint: str = field(default="", kw_only=True)
    severity: Literal["error", "warning"] = field(default="error", kw_only=True)
    resource: Resource | str | None = field(default=None, kw_only=True)
    """The resource that is meant, from a rule over the whole composition."""

    @property
    def parts(self) -> tuple[PathPart, ...]:
        """The path in its parts."""
        if isinstance(self.path, str):
            return tuple(int(part) if part.isdecimal() else part for part in self.path.split(".") if part)
        return self.path


Answer = Violation | str
Rule = Callable[..., Iterable[Answer] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """A declared rule. Without `types`, it is asked once, about the whole composition."""

    name: str
    types: tuple[str, ...]
    function: Rule
    takes_composition: bool
    """True when the function takes the whole composition: a rule over a type may, as its second argument."""
    file: str
    line: int


def validation(*types: str, name: str = "") -> Callable[[Rule], Validation]:
    """Declare a rule: over every resource of these types, or, without a type, over the whole composition.

    The function gets a `Resource` (and, if it has a second parameter, the `WholeComposition`), or the
    `WholeComposition` alone. It yields or returns `Violation`s, or nothing.
    """
    if any(callable(one) or not one for one in types):
        raise UserError("@validation takes the names of resource types, and needs its brackets: @validation().")

    def declare(function: Rule) -> Validation:
        code = getattr(inspect.unwrap(function), "__code__", None)
        if code is None:
            raise UserError(f"@validation decorates a function, and {function!r} is none")
        count = len(inspect.signature(function).parameters)
        most = 2 if types else 1
        if not 1 <= count <= most:
            wanted = "a resource, and perhaps the composition" if types else "the composition"
            raise UserError(f"the validation {function.__name__} takes {count} arguments; it gets {wanted}")
        return Validation(
            name=name or function.__name__,
            types=types,
            function=function,
            takes_composition=count == most,
            file=code.co_filename,
            line=code.co_firstlineno,
        )

    return declare


class Views:
    """Makes copies of a composition and its resources, for one rule each."""

    def __init__(self, composition: Composition) -> None:
        self._composition = composition
        self._resources = frozenset(one.logical_id for one in composition.resources)
        self._secrets = frozenset(name for name, one in composition.parameters.items() if one.is_secret)

    def whole(self) -> WholeComposition:
        """The whole composition."""
        composition = self._composition
        return WholeComposition(
            name=composition.name,
            region=composition.region,
            description=composition.description,
            parameters=self._copied(composition.values),
            resources=tuple(self.resource(one) for one in composition.resources),
        )

    def resource(self, one: Declaration) -> Resource:
        """One resource."""
        return Resource(
            logical_id=one.logical_id,
            type=one.type,
            properties={key: self._copied(value) for key, value in one.properties.items()},
            metadata={key: self._copied(value) for key, value in one.metadata.items()},
            depends_on=one.depends_on,
            deletion_policy=one.deletion_policy.value,
            replace_policy=one.replace_policy.value,
        )

    def _copied(self, value: Json) -> Any:
        if is_expression(value):
            return self._unresolved(value)
        if isinstance(value, Mapping):
            return {key: self._copied(member) for key, member in value.items()}
        if is_list(value):
            return [self._copied(member) for member in value]
        return value

    def _unresolved(self, expression: Json) -> Unresolved:
        names = tuple(dict.fromkeys(one.name for one in open_expressions(expression)))
        return Unresolved(
            expression=expression,
            text=canonical_json(expression),
            references=tuple(name for name in names if name in self._resources),
            is_secret=has_kept_secret(expression) or not self._secrets.isdisjoint(names),
        )
