"""The places of a published schema, and the facts of each that follow without knowing the type.

A mapping of texts by names of the user, such as the variables of a function, counts as a whole: were it compared member
by member, a name that an update takes out would be left behind unseen. So does an object of which the schema knows no
member: it is a document, such as a policy.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tenuto.compositions.checks.schema import TypeSchema, follow
from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Rule
from tenuto.model.spelling import Documents, Words
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.types.zeros import ZEROS_OF

_MOST_PLACES = 5_000
"""The number of places of a schema that are looked at. The largest schemas (dashboards of QuickSight) have definitions
that hold each other; a value that lies so deep is compared as it is."""
_DEEPEST = 12
_ZERO = Words(absent="0")
_MEMBERS = ("properties", "patternProperties", "oneOf", "anyOf", "allOf")
"""The words by which a schema says which members an object has."""


def places(document: JsonMap) -> Iterator[tuple[str, JsonMap]]:
    """Every place of a schema with its rule, the upper ones first. A list and its members share their place."""
    waiting = deque((name, rule, 1) for name, rule in (document.get("properties") or {}).items())
    known: dict[str, JsonMap] = {}
    for _ in range(_MOST_PLACES):
        if not waiting:
            return
        path, rule, depth = waiting.popleft()
        if named := rule.get("$ref"):
            # A definition that holds itself is met a thousand times.
            rule = known[named] if named in known else known.setdefault(named, follow(rule, document))
        yield path, rule
        if depth >= _DEEPEST:
            continue
        if isinstance(rule.get("items"), Mapping):
            waiting.append((path, rule["items"], depth + 1))
        waiting.extend((path, one, depth + 1) for key in ("oneOf", "anyOf", "allOf") for one in rule.get(key) or ())
        waiting.extend((f"{path}.{name}", one, depth + 1) for name, one in (rule.get("properties") or {}).items())


def is_map_of_texts(rule: JsonMap, document: JsonMap) -> bool:
    """Whether the rule of a place is about texts by names of the user."""
    if not rule.get("patternProperties"):
        return False
    values = [follow(one, document).get("type") for one in rule["patternProperties"].values()]
    # Some schemas let a text be declared as any value that can be written as one.
    are_texts = [kinds == "string" or (isinstance(kinds, list) and "string" in kinds) for kinds in values]
    return rule.get("type") == "object" and not rule.get("properties") and all(are_texts)


def is_document(rule: JsonMap) -> bool:
    """Whether the rule of a place is about an object of which no member is known: a document of the user's own."""
    return "object" in types_in(rule) and not any(rule.get(key) for key in _MEMBERS)


def types_in(rule: JsonMap) -> Sequence[Json]:
    """The types that a value may have. Some schemas let a document be declared as its text, too."""
    kinds = rule.get("type")
    return kinds if isinstance(kinds, list) else [kinds]


def documents(schema: TypeSchema, known: Iterable[str] = ()) -> dict[str, Rule]:
    """The properties of a type that are documents, but for those of which some members are known, by their paths."""
    rules = (schema.document.get("properties") or {}).items()
    told = {path.partition(".")[0] for path in known if "." in path}
    return {name: POLICY for name, rule in rules if name not in told and is_document(follow(rule, schema.document))}


def whole_maps(schema: TypeSchema) -> dict[str, Rule]:
    """The mappings of texts of a type, by path."""
    document = schema.document
    if not any(is_map_of_texts(rule, document) for rule in _rules_in(document)):
        return {}
    return {path: Documents() for path, rule in places(document) if is_map_of_texts(rule, document)}


def zeros(schema: TypeSchema) -> dict[str, Rule]:
    """The numbers of a type that are 0 where nothing is declared, by path: such a 0 need not be shown."""
    told: dict[str, Rule] = dict.fromkeys(ZEROS_OF.get(str(schema.name), ()), _ZERO)
    if not any(_is_zero(rule) for rule in _rules_in(schema.document)):
        return told
    return {path: _ZERO for path, rule in places(schema.document) if _is_zero(rule)} | told


def _is_zero(rule: JsonMap) -> bool:
    default = rule.get("default")
    return default == 0 and isinstance(default, int | float) and not isinstance(default, bool)


def _rules_in(document: Json) -> Iterator[JsonMap]:
    """Every mapping in a schema, each once, wherever it is referred to."""
    if isinstance(document, dict):
        yield document
        for one in document.values():
            yield from _rules_in(one)
    elif isinstance(document, list):
        for one in document:
            yield from _rules_in(one)
