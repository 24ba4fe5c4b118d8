"""Models of Cloud Control: the documents that it is sent and shows, and the facts of a thing in them. Pure functions.

Theory of operation. Cloud Control takes the whole of a new thing as one document, shows a thing as one, and takes a
change as a JSON patch. A patch of Tenuto replaces whole properties: the hidden part of a property is sent along, since
the service keeps nothing of it that an update could build on. Where a member of a property can never change (it is
settled at the creation, or AWS sets it), the patch replaces the members beside it, each by itself.

*Sent values.* Nothing shows of a hidden value whether it is the declared one, and a service may show others in words of
its own. So a thing remembers a digest of each property as it was sent last (`SENT`). A property is sent again when it
was never sent like this, or when the shown value cannot be the sent one. The digest is salted with the object, so that
it tells nothing about the same secret elsewhere.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tenuto.compositions.checks.schema import TypeSchema
from tenuto.core.planning.comparing.ignores import as_found
from tenuto.core.planning.equality.retelling import is_as_sent
from tenuto.core.planning.equality.values import means_same
from tenuto.model.ids import Json, JsonMap, ObjectId
from tenuto.model.outcome import Request
from tenuto.model.resource import LOST, ResourceType
from tenuto.providers.aws.client.owner import Tag, owner_tags
from tenuto.providers.aws.types.cloud_control_facts import Tagging

SENT = "tenuto:sent"
"""The attribute that holds the digests. Its name cannot be that of an attribute of AWS."""
_DIGITS = 16


def desired_state(request: Request, tagging: Tagging | None) -> JsonMap:
    """The document of a new thing, with our mark where it can carry one. Raises PermanentError for too many tags."""
    return {**request.properties, **_marked(request, tagging, request.properties)}


def identifier_of(request: Request, schema: TypeSchema) -> str:
    """The identifier that the declared properties settle; empty when the service makes a part of it."""
    parts = [request.properties.get(name) for name in schema.primary_identifier]
    return "|".join(str(part) for part in parts) if all(isinstance(part, str | int) for part in parts) else ""


def properties_of(model: JsonMap, schema: TypeSchema) -> JsonMap:
    """Return the properties of a thing that can be declared."""
    shown = model
    for path in sorted(schema.read_only - frozenset(schema.primary_identifier)):
        shown = _without(shown, path.split("."))
    return shown


def attributes_of(model: JsonMap, facts: ResourceType) -> dict[str, Json]:
    """The answers to `Fn::GetAtt`, by dotted name."""
    found = {name: _at(model, name.split(".")) for name in sorted(facts.attributes)}
    return {name: value for name, value in found.items() if value is not None}


def tags_in(value: Json) -> list[JsonMap]:
    """The tags in a property of either shape, as keys and values."""
    if isinstance(value, Mapping):
        return [{"Key": key, "Value": value[key]} for key in sorted(value)]
    return [tag for tag in value or () if isinstance(tag, Mapping) and "Key" in tag]


def shaped(tags: Iterable[Tag], tagging: Tagging) -> Json:
    """Tags as the type has them."""
    if tagging.is_mapping:
        return {tag["Key"]: tag["Value"] for tag in tags}
    return [{**tagging.fixed, **tag} for tag in tags]


def sent(request: Request) -> dict[str, str]:
    """The digest of each declared property."""
    return {name: _digest(request.object_id, name, value) for name, value in request.properties.items()}


def is_sent_anew(request: Request, name: str) -> bool:
    """Whether a property that is never shown is declared otherwise than it was sent last.

    Of a thing that was adopted nothing was sent, and its hidden values stand as they are.
    """
    now = sent(request)
    known: JsonMap = request.attributes.get(SENT, now)
    return request.properties.get(name) is not None and known.get(name) != now.get(name)


def changed(request: Request, facts: ResourceType) -> list[str]:
    """The properties that an update has to send, in order.

    Of a thing that was adopted nothing was sent before: its hidden values stand as they are.
    """
    shown: JsonMap = request.observed or {}
    known: JsonMap = request.attributes.get(SENT) or sent(request)
    now = sent(request)
    wanted = {**facts.when_absent, **request.properties}
    new = {name for name in wanted if known.get(name) != now.get(name)}
    lost = {path.partition(".")[0] for path in request.attributes.get(LOST) or ()}
    return [name for name in sorted(wanted) if name in lost or _is_due(name, wanted, shown, facts, is_new=name in new)]


def patch_of(
    request: Request,
    names: Sequence[str],
    tagging: Tagging | None,
    kept: Sequence[Tag] = (),
    fixed: frozenset[str] = frozenset(),
) -> str:
    """The JSON patch (RFC 6902) that gives these properties their declared values. To add replaces the present value,
    so `kept` are the tags of others that go along. The values at the paths `fixed` stay as they are."""
    wanted = {**request.properties, **_marked(request, tagging, request.properties, kept)}
    shown: JsonMap = request.observed or {}
    operations = [one for name in names for one in _operations(name, wanted[name], shown.get(name), fixed)]
    return json.dumps(operations, sort_keys=True)


def fixed_members(schema: TypeSchema) -> frozenset[str]:
    """The members of properties that no update changes, as dotted paths: those that are settled at the creation, and
    those that AWS sets."""
    return frozenset(path for path in schema.create_only | schema.read_only if "." in path)


def tag_patch(tagging: Tagging, tags: Iterable[Tag]) -> str:
    """The JSON patch that gives a thing these tags and no others."""
    operation = {"op": "add", "path": _pointer(tagging.property), "value": shaped(tags, tagging)}
    return json.dumps([operation], sort_keys=True)


def client_token(request: Request, verb: str, tries: int, document: str = "") -> str:
    """The token by which AWS knows the repetition of a request: the same for one act, another one for the next.

    AWS answers a repetition with the first answer, also with its failure, so each try after one needs its own. It
    refuses another document under a known token: where another one is another act, `document` is part of the token.
    """
    text = f"{request.token}\0{verb}\0{request.sent_at}\0{tries}{document and chr(0)}{document}"
    return hashlib.sha256(text.encode()).hexdigest()


def _is_due(name: str, wanted: JsonMap, shown: JsonMap, facts: ResourceType, *, is_new: bool) -> bool:
    value = wanted[name]
    hidden = [path for path in facts.write_only if path == name or path.startswith(f"{name}.")]
    if is_new and hidden:
        return True
    if name in hidden:
        return False
    filled = as_found(shown, wanted, hidden).get(name)
    if is_new:
        return not means_same(value, filled, facts.compare_as, name)
    return not is_as_sent(value, filled, facts, name)


def _operations(path: str, value: Json, shown: Json, fixed: frozenset[str]) -> Iterator[JsonMap]:
    """The operations that give the place of a dotted path its value, without a word about the values that are fixed
    below it.

    A member that is shown and not declared goes, as it does where a property is replaced as a whole; one with
    something fixed in it stays.
    """
    if not (_holds(path, fixed) and isinstance(value, Mapping) and isinstance(shown, Mapping)):
        yield {"op": "add", "path": _pointer(path), "value": value}
        return
    for name in sorted(value):
        place = f"{path}.{name}"
        if place not in fixed or name not in shown:
            yield from _operations(place, value[name], shown.get(name), fixed)
    for name in sorted(shown.keys() - value.keys()):
        place = f"{path}.{name}"
        if place not in fixed and not _holds(place, fixed):
            yield {"op": "remove", "path": _pointer(place)}


def _holds(path: str, fixed: frozenset[str]) -> bool:
    return any(one.startswith(f"{path}.") for one in fixed)


def _marked(request: Request, tagging: Tagging | None, properties: JsonMap, kept: Sequence[Tag] = ()) -> JsonMap:
    if tagging is None:
        return {}
    declared = tags_in(properties.get(tagging.property))
    marks = shaped([*owner_tags(request, len(declared) + len(kept)), *kept], tagging)
    given = properties.get(tagging.property) or ()
    return {tagging.property: {**dict(given), **marks} if isinstance(marks, Mapping) else [*given, *marks]}


def _digest(object_id: ObjectId, name: str, value: Json) -> str:
    text = json.dumps([object_id, name, value], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _pointer(path: str) -> str:
    """The JSON pointer of a dotted path."""
    return "".join(f"/{name.replace('~', '~0').replace('/', '~1')}" for name in path.split("."))


def _at(value: Json, names: Sequence[str]) -> Json:
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _without(value: Json, names: Sequence[str]) -> Json:
    """The value without the part at the path, in every member of the lists on the way (`*`)."""
    name, *rest = names
    if name == "*":
        return [_without(one, rest) for one in value] if isinstance(value, list) and rest else value
    if not isinstance(value, Mapping) or name not in value:
        return value
    if not rest:
        return {key: one for key, one in value.items() if key != name}
    return {**value, name: _without(value[name], rest)}
