"""Values as JSON for people and programs: times as text, secrets as four stars."""

from collections.abc import Collection, Mapping

from tenuto.core.language.expressions import KEPT_SECRET
from tenuto.kit.times import iso_text
from tenuto.model.composition import Composition
from tenuto.model.delta import Unknown
from tenuto.model.ids import Instant, Json, JsonMap
from tenuto.model.resource import ManagedObject

_NOTE = "tenuto:"


def time_text(instant: Instant | None) -> str | None:
    """ISO 8601 in UTC with milliseconds."""
    if instant is None:
        return None
    return iso_text(instant)


def secret_names(composition: Composition | None) -> frozenset[str]:
    """The parameters of a composition whose values no user may see."""
    if composition is None:
        return frozenset()
    return frozenset(name for name, parameter in composition.parameters.items() if parameter.is_secret)


def parameters_of(composition: Composition | None) -> dict[str, Json]:
    """The parameters with the values that were given or are defaults, the key of a value that is looked up, and None
    for a secret. A value that the text of a composition looks up by itself is no parameter: its name has a colon."""
    if composition is None:
        return {}
    opened = {
        name: None if one.is_secret else one.lookup for name, one in composition.parameters.items() if ":" not in name
    }
    return dict(sorted({**composition.values, **opened}.items()))


def _is_secret(value: JsonMap, secrets: Collection[str]) -> bool:
    """Whether a mapping is a reference to a secret: of the composition, or one that the provider keeps."""
    return len(value) == 1 and (value.get("Ref") in secrets or KEPT_SECRET in value)


def masked(value: Json, secrets: Collection[str]) -> Json:
    """The value with every reference to a secret replaced, all the way down."""
    if isinstance(value, Mapping):
        if _is_secret(value, secrets):
            return Unknown.SECRET.value
        return {str(key): masked(inner, secrets) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [masked(inner, secrets) for inner in value]
    return str(value) if isinstance(value, Unknown) else value


def mentions(value: Json, secrets: Collection[str]) -> bool:
    """Whether a secret feeds the value."""
    if isinstance(value, Mapping):
        if _is_secret(value, secrets):
            return True
        return any(mentions(inner, secrets) for inner in value.values())
    return isinstance(value, list | tuple) and any(mentions(inner, secrets) for inner in value)


def shown_attributes(found: ManagedObject, secrets: Collection[str]) -> JsonMap:
    """The attributes of an object, without the notes of its provider (`tenuto:…`), which are for the provider alone.
    One that the provider echoes from a secret property is masked like it."""
    hidden = {name for name, value in found.desired.items() if mentions(value, secrets)}
    return {
        name: Unknown.SECRET.value if name in hidden else masked(value, secrets)
        for name, value in sorted(found.attributes.items())
        if not name.startswith(_NOTE)
    }
