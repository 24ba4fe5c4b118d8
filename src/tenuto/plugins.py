"""The imports of a plugin's author: the decorators that declare a phase or a state listener.

    from tenuto.plugins import phase

    @phase("Acme.CreateInstance", states="Allocation", types="Cloud.Node", provider="acme")
    def create_instance(run):
        for node in run.resources:
            ...

A decorator replaces the function (or the class, which is made once without arguments) by a value of type `PhasePlugin`
or `ListenerPlugin`. Nothing is registered anywhere: the loader reads the values of a module. So importing a plugin
has no effect on a running Conductor, and a test can call `create_instance.handler.handle(run)` itself.

The specification's own attribute names are understood beside the short ones: `handles_states`, `resource_type`,
`handles_provider` and `for_provider`, `resource_constraint`, `resource_states`, `resource_types`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from typing import Any, TypeVar, cast

from tenuto.errors import PluginError
from tenuto.kit.well_formed import text_of, well_formed
from tenuto.model.cloud_node import type_named
from tenuto.model.ids import PhaseName, TypeName
from tenuto.model.object_type import FieldKind, FieldType, ObjectType
from tenuto.model.phase_map import (
    DEFAULT_DELAY_S,
    SHORTEST_SLEEP_S,
    Heading,
    ListenerDefinition,
    PhaseDefinition,
    seconds_problem,
)
from tenuto.ports.phase import Listener, Phase, PhaseRun, StateEvent

__all__ = [
    "FieldKind",
    "FieldType",
    "ListenerPlugin",
    "ObjectType",
    "PhasePlugin",
    "PhaseRun",
    "StateEvent",
    "TypePlugin",
    "listener",
    "object_type",
    "phase",
]

DEFAULT_BATCH = 1000
Names = str | Iterable[str]
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class PhasePlugin:
    """A declared phase. `origin` is the file or entry point it was found in, for messages."""

    definition: PhaseDefinition
    handler: Phase
    origin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypePlugin:
    """A declared type of objects that requests make."""

    definition: ObjectType
    origin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenerPlugin:
    """A declared state listener."""

    definition: ListenerDefinition
    handler: Listener
    origin: str = ""


def object_type(
    name: str, *, lifecycle: str, summary: str, fields: Iterable[FieldType] = (), provider: str = "", **rest: Any
) -> TypePlugin:
    """Declare a type of objects that requests make (`tenuto object create`). `rest` is as for `ObjectType`.

    The phases that its objects walk through name it in their `types`. Types are read when the Conductor starts.
    """
    with _naming("object type", name):
        for what, given in (("name", name), ("lifecycle", lifecycle), ("summary", summary), ("provider", provider)):
            _check(what, given, str, "a text")
        _check("fields", fields, Iterable, "a sequence of FieldType")
        own = tuple(fields)
        for one in own:
            _check("fields", one, FieldType, "a sequence of FieldType")
        definition = ObjectType(
            name=TypeName(name), provider=provider, lifecycle=lifecycle, summary=summary, fields=own, **rest
        )
    return TypePlugin(definition=definition)


def phase(
    name: str = "",
    *,
    states: Names | None = None,
    handles_states: Names | None = None,
    types: Names | None = None,
    resource_type: Names | None = None,
    provider: str | None = None,
    handles_provider: str | None = None,
    for_provider: str | None = None,
    dependencies: Names = (),
    applies: Callable[[Any], object] | None = None,
    resource_constraint: Callable[[Any], object] | None = None,
    delay: float = DEFAULT_DELAY_S,
    timeout: float | None = None,
    batch: int = DEFAULT_BATCH,
    acts: bool = True,
    heading: str | None = None,
    every: float | None = None,
    description: str = "",
    extra: Mapping[str, str] | None = None,
) -> Callable[[Any], PhasePlugin]:
    """Declare a phase: a function of the run, or a class with `handle(self, run)`.

    `delay` is how long an object without a verdict sleeps, `timeout` how long it may take in all before it fails, both
    in seconds. `acts=False` declares a phase that only reads the outside. `applies` gets the object; its answer decides
    whether the object goes through the phase at all. `heading` (ready, gone, released, rested, failed) is for objects
    that head for that alone; `heading="gone"` tears a thing down in the state that it is in. `every` (seconds) declares
    upkeep: while an object rests in one of the states, the phase is done again so long after it was done. Raises
    PluginError when two names of one attribute disagree, and when a value is of a kind that no phase has.
    """
    with _naming("phase", name):
        definition = PhaseDefinition(
            name=PhaseName(name),
            states=_names("states", _one_of("states", states, handles_states)),
            types=tuple(type_named(text) for text in _names("types", _one_of("types", types, resource_type))),
            provider=_one_of("provider", provider, handles_provider, for_provider),
            dependencies=tuple(PhaseName(text) for text in _names("dependencies", dependencies)),
            applies=_one_of("applies", applies, resource_constraint),
            delay_s=delay,
            timeout_s=timeout,
            batch=batch,
            acts=acts,
            heading=_heading(heading),
            every_s=every,
            shortest_sleep_s=SHORTEST_SLEEP_S,
            description=description,
            extra=extra or {},
        )
        _check_phase(definition)

    def declare(handler: Any) -> PhasePlugin:
        return PhasePlugin(
            definition=definition, handler=cast(Phase, _handler(handler, "handle", name, _FunctionPhase))
        )

    return declare


def _check_phase(definition: PhaseDefinition) -> None:
    """Raise PluginError for a value of a kind that no phase has: a plugin may declare anything."""
    _check("name", definition.name, str, "a text")
    _check("description", definition.description, str, "a text")
    _check("provider", definition.provider, (str, type(None)), "the name of a provider")
    _check("applies", definition.applies, (Callable, type(None)), "a function of the object")  # type: ignore[arg-type]
    _check("batch", definition.batch, int, "a whole number")
    _check("acts", definition.acts, bool, "True or False")
    _check_seconds("delay", definition.delay_s)
    for what, seconds in (("timeout", definition.timeout_s), ("every", definition.every_s)):
        if seconds is not None:
            _check_seconds(what, seconds)
    _check("extra", definition.extra, Mapping, "texts by their names")
    for member, value in definition.extra.items():
        _check("extra", member, str, "texts by their names")
        _check(f"extra[{member!r}]", value, str, "a text")


def _heading(heading: str | None) -> Heading | None:
    """The heading of a phase by its name. Raises PluginError when there is none of that name."""
    try:
        return None if heading is None else Heading(heading)
    except ValueError:
        known = ", ".join(one.value for one in Heading)
        raise PluginError(f"there is no heading {heading}; there are {known}") from None


def listener(
    name: str = "",
    *,
    states: Names | None = None,
    resource_states: Names | None = None,
    types: Names | None = None,
    resource_types: Names | None = None,
) -> Callable[[Any], ListenerPlugin]:
    """Declare a state listener: a function of the event, or a class with `on_state_transition(self, event)`."""
    with _naming("listener", name):
        _check("name", name, str, "a text")
        definition = ListenerDefinition(
            name=name,
            states=_names("states", _one_of("states", states, resource_states)),
            types=tuple(type_named(text) for text in _names("types", _one_of("types", types, resource_types))),
        )

    def declare(handler: Any) -> ListenerPlugin:
        return ListenerPlugin(
            definition=definition,
            handler=cast(Listener, _handler(handler, "on_state_transition", name, _FunctionListener)),
        )

    return declare


@dataclass(frozen=True, slots=True)
class _FunctionPhase:
    handle: Callable[[PhaseRun], None]


@dataclass(frozen=True, slots=True)
class _FunctionListener:
    on_state_transition: Callable[[StateEvent], None]


_CAMEL = {"on_state_transition": "onStateTransition"}
"""The method names of the specification, where they differ."""


def _handler(given: Any, method: str, name: str, wrap: Callable[[Any], object]) -> object:
    """The object that has `method`: made from a class, taken as it is, or wrapped around a function."""
    try:
        made = given() if isinstance(given, type) else given
    except Exception as error:
        told = f"{type(error).__name__}: {text_of(error)}"
        raise PluginError(f"plugin {name} was refused: {given.__name__}() raised {told}") from error
    own = getattr(made, method, None)
    for one in (own, getattr(made, _CAMEL.get(method, method), None), made):
        if callable(one):
            _check_plain(one, name)
            return made if one is own else wrap(one)
    raise PluginError(f"plugin {name} was refused: it is neither a function nor a class with a method {method}")


def _check_plain(given: Callable[..., object], name: str) -> None:
    """Raise PluginError for a function whose call only makes a coroutine or a generator: nothing of it would run."""
    for one in (given, getattr(given, "__call__", None)):  # noqa: B004 - the method of an object that is called
        if iscoroutinefunction(one) or isgeneratorfunction(one) or isasyncgenfunction(one):
            raise PluginError(
                f"plugin {name or '(without a name)'} was refused: it is declared with 'async' or has a 'yield', "
                "so that a call does nothing; declare a plain function"
            )


def _names(what: str, given: Names | None) -> tuple[str, ...]:
    """The names that an attribute gives. Raises PluginError for anything but texts."""
    names: object = () if given is None else (given,) if isinstance(given, str) else given
    if not isinstance(names, Iterable) or isinstance(names, bytes):
        raise PluginError(f"its {what} are {given!r}; give a text, or several")
    found = tuple(names)
    for one in found:
        _check(what, one, str, "a text, or several")
    return found


def _check(what: str, given: object, kind: type | tuple[type, ...], expected: str) -> None:
    """Raise PluginError when an attribute has a value of another kind. True is no number, and half of a surrogate pair
    no text.
    """
    is_mistaken = isinstance(given, bool) and kind is int
    if is_mistaken or not isinstance(given, kind) or (isinstance(given, str) and well_formed(given) != given):
        raise PluginError(f"its {what} is {given!r}; give {expected}")


def _check_seconds(what: str, given: object) -> None:
    if problem := seconds_problem(given):
        raise PluginError(f"its {what} is {problem}")


@contextmanager
def _naming(kind: str, name: object) -> Iterator[None]:
    """Raise each PluginError with the plugin that it is about."""
    try:
        yield
    except PluginError as error:
        called = name if isinstance(name, str) and name else "(without a name)"
        raise PluginError(f"{kind} {called} was refused: {error}") from error


def _one_of(name: str, *given: _T | None) -> _T | None:
    """The value of an attribute that has several names."""
    values = [value for value in given if value is not None]
    if any(value != values[0] for value in values):
        raise PluginError(f"{name} is given twice, and differently; give it once")
    return values[0] if values else None
