"""The managed catalogue tells at compile time which types and properties the providers can run.

Theory of operation. Every provider says of each of its types which properties it cannot hold; nothing here knows a type
by name. The same words are used by the compiler, which points at the line, and by the Conductor, which judges documents
again. Only the final declarations are judged: a resource or a property that a condition leaves out is no problem.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tenuto.compositions.checks.refused import Path, dotted, named, refused_in
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.codes import Code
from tenuto.kit.nearest import likeness, nearest
from tenuto.model.composition import Declaration
from tenuto.model.ids import LogicalId, TypeName
from tenuto.model.resource import ResourceType

_OF_A_SLIP = 0.8
"""`Subnets` is as like `Subnet` as that; `Route` and `RouteTable` are two types."""
_SHOWN = 5
"""The number of names in a message: so many are read; a longer list is skipped."""
_OTHER_PROVIDER = (
    "A provider brings types: start the Conductor also with the one that has these ('tenuto conductor --provider'), "
    "give the composition to a Conductor that has it, or leave these resources to another tool and refer to them by "
    "parameters. 'tenuto types' lists the types that this Conductor manages."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Managed:
    """The types that can be run, each with the properties that its provider cannot hold, and the reasons, which may be
    empty.

    `is_whole` is False where the Conductor may have more providers than are known: only types of known ones are judged.
    """

    types: Mapping[TypeName, Mapping[str, str]] = field(default_factory=dict)
    is_whole: bool = True

    def judges(self, name: str) -> bool:
        """Whether it can be said that the type is not managed."""
        return self.is_whole or any(_vendor(name) == _vendor(other) for other in self.types)


class _Refused(Mapping[TypeName, Mapping[str, str]]):
    """The refused properties of the types, looked up where a type is asked for: a composition has a few of hundreds."""

    def __init__(self, types: Mapping[TypeName, ResourceType]) -> None:
        self._types = types

    def __getitem__(self, name: TypeName) -> Mapping[str, str]:
        return self._types[name].refused

    def __iter__(self) -> Iterator[TypeName]:
        return iter(self._types)

    def __len__(self) -> int:
        return len(self._types)


def managed_of(types: Mapping[TypeName, ResourceType], *, is_whole: bool = True) -> Managed:
    """Return the managed types, taken from the resource types of the providers."""
    return Managed(types=_Refused(types), is_whole=is_whole)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfit:
    """One reason why a composition cannot be run. `path` leads into the properties; empty for the type itself."""

    code: Code
    logical_id: LogicalId
    path: Path
    detail: str
    hint: str

    @property
    def subject(self) -> str:
        """The resource, or the path of the property, for people."""
        return f"Resources.{self.logical_id}.Properties.{dotted(self.path)}" if self.path else str(self.logical_id)


def unfit(resources: Sequence[Declaration], managed: Managed) -> tuple[Unfit, ...]:
    """Every type that is not managed, at the first resource of it, and every property that cannot be held. Types of a
    vendor of whom nothing is managed are one reason: their provider is missing, and not one type after the other."""
    by_type: dict[TypeName, list[LogicalId]] = {}
    for one in resources:
        by_type.setdefault(one.type, []).append(one.logical_id)
    unknown = [name for name in by_type if name not in managed.types and managed.judges(name)]
    vendors = {_vendor(name) for name in managed.types}
    strange = [name for name in unknown if _vendor(name) in vendors]
    lacking: dict[str, list[TypeName]] = {}
    for name in unknown:
        if _vendor(name) not in vendors:
            lacking.setdefault(_vendor(name), []).append(name)
    counted = f"{len(strange)} of the {_number(len(by_type), 'type')} of this composition" if len(by_type) > 1 else ""
    found = [
        Unfit(
            code=codes.TYPE_NOT_MANAGED,
            logical_id=by_type[name][0],
            path=(),
            detail=_unmanaged(name, by_type[name], managed),
            hint=_what_to_do(name, managed, counted, len(strange)),
        )
        for name in sorted(strange)
    ]
    found += [
        Unfit(
            code=codes.TYPE_NOT_MANAGED,
            logical_id=by_type[names[0]][0],
            path=(),
            detail=_without_provider(vendor, names),
            hint=_OTHER_PROVIDER,
        )
        for vendor, names in sorted(lacking.items())
    ]
    for one in resources:
        refused = managed.types.get(one.type, {})
        for path in refused_in(one.properties, refused):
            detail = f"Tenuto does not manage {dotted(path)} of {one.type}."
            hint = refused[named(path)] or codes.PROPERTY_NOT_HELD.hint
            found.append(
                Unfit(code=codes.PROPERTY_NOT_HELD, logical_id=one.logical_id, path=path, detail=detail, hint=hint)
            )
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Through:
    """The resources of a composition that go through a general interface of their provider."""

    interface: str
    resources: tuple[LogicalId, ...]

    @property
    def text(self) -> str:
        """A sentence for people. Only the way in which such things are seen is news to them."""
        names, verb = _listed([str(one) for one in self.resources]), "goes" if len(self.resources) == 1 else "go"
        return f"{names} {verb} through {self.interface}: each is read by a call of its own, in turns."


def through_of(resources: Iterable[Declaration], types: Mapping[TypeName, ResourceType]) -> tuple[Through, ...]:
    """The resources without a block of their own, by the interface that they go through."""
    found: dict[str, list[LogicalId]] = {}
    for one in resources:
        facts = types.get(one.type)
        if facts is not None and facts.through:
            found.setdefault(facts.through, []).append(one.logical_id)
    return tuple(Through(interface=name, resources=tuple(found[name])) for name in sorted(found))


def alternatives(name: str, managed: Iterable[str]) -> tuple[str, ...]:
    """The managed types of the same service, the nearest first."""
    service = name.rpartition("::")[0]
    like = [one for one in managed if one.rpartition("::")[0] == service]
    return tuple(sorted(like, key=lambda one: (-likeness(name, one), one)))


def others_of(name: str, managed: Iterable[str]) -> str:
    """A sentence, with a space before it, about the other types of the same service; empty for a name without one."""
    service = name.rpartition("::")[0]
    like = alternatives(name, managed)
    if not service:
        return ""
    return f" Of {service} it manages {_listed(like)}." if like else f" It manages no type of {service}."


def _unmanaged(name: str, names: Sequence[LogicalId], managed: Managed) -> str:
    of_type = f"{_number(len(names), 'resource')} ({_listed([str(one) for one in names])})"
    return f"Tenuto does not manage {name}, the type of {of_type}.{others_of(name, managed.types)}"


def _without_provider(vendor: str, names: Sequence[str]) -> str:
    return (
        f"The providers of this Conductor bring no type of {vendor}, and the composition has "
        f"{_number(len(names), 'type')} of it: {_listed(names)}."
    )


def _what_to_do(name: str, managed: Managed, counted: str, count: int) -> str:
    guess = nearest(name.rpartition("::")[2], [one.rpartition("::")[2] for one in alternatives(name, managed.types)])
    meant = f"Did you mean {name.rpartition('::')[0]}::{guess}? " if guess and _is_slip(name, guess) else ""
    are = f" {counted} {'is' if count == 1 else 'are'} not managed." if counted else ""
    return f"{meant}Leave it to another tool and refer to it by a parameter; 'tenuto types' lists what is managed.{are}"


def _is_slip(name: str, guess: str) -> bool:
    """Whether one of the two is the other with a letter or two of difference."""
    return likeness(name.rpartition("::")[2], guess) > _OF_A_SLIP


def _listed(names: Sequence[str]) -> str:
    shown, more = list(names[:_SHOWN]), len(names) - _SHOWN
    if more > 0:
        return f"{', '.join(shown)} and {more} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _vendor(name: str) -> str:
    return name.replace(".", "::").partition("::")[0]
