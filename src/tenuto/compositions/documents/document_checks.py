"""The checks that a compiled composition passes before Tenuto accepts it."""

import re
from collections.abc import Callable, Mapping

from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.problems import Problems, is_storable
from tenuto.compositions.documents.canonical import canonical_json
from tenuto.compositions.documents.circles import find_circles
from tenuto.core.language.assertions import is_tree, values_of
from tenuto.core.language.expressions import CALLS, call_of
from tenuto.core.language.resolve import open_expressions, referenced_resources
from tenuto.model.composition import DeletionPolicy
from tenuto.model.ids import Json, JsonMap

_DEEPEST = 96
"""Levels of a document: those of a template, and the ones that lowering adds."""
_LOGICAL_ID = re.compile(r"(?=.{1,1024}$)[A-Za-z0-9]{1,255}(\.[A-Za-z0-9]{1,255})*")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_OPEN_PSEUDO = frozenset({"AWS::StackName", "AWS::StackId", "AWS::AccountId"})

_Test = Callable[[Json], bool]


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_mapping(value: Json) -> bool:
    return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)


def _is_anything(value: Json) -> bool:
    return value is None or isinstance(value, str | int | float | bool | list | Mapping)


def _is_list(value: Json) -> bool:
    return isinstance(value, list)


def _is_texts(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_policy(value: Json) -> bool:
    return isinstance(value, str) and value in frozenset(DeletionPolicy)


def _is_count(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


_DOCUMENT: Mapping[str, _Test] = {
    "version": _is_count,
    "name": _is_text,
    "region": _is_text,
    "description": _is_text,
    "digest": lambda value: isinstance(value, str) and bool(_DIGEST.fullmatch(value)),
    "parameters": _is_mapping,
    "values": _is_mapping,
    "resources": _is_mapping,
    "outputs": _is_mapping,
    "positions": _is_mapping,
}
_DECLARATION: Mapping[str, _Test] = {
    "type": _is_text,
    "properties": _is_mapping,
    "depends_on": _is_texts,
    "deletion_policy": _is_policy,
    "replace_policy": _is_policy,
    "metadata": _is_mapping,
}
_OUTPUT: Mapping[str, _Test] = {"value": _is_anything, "description": _is_text, "export": _is_anything}
_ASSERTION: Mapping[str, _Test] = {"rule": _is_text, "holds": is_tree, "description": _is_text}
_POSITION: Mapping[str, _Test] = {"file": _is_text, "line": _is_count, "column": _is_count, "length": _is_count}


class DocumentCheck:
    """Reports every fault of a document. Later checks are made only when the earlier ones found none."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems

    def size(self, document: Json, largest: int) -> bool:
        """Whether it is small and flat enough to be checked further."""
        if not _is_flat(document):
            self._fault("document", f"More than {_DEEPEST} levels are nested, or something in it is not JSON")
            return False
        text = canonical_json(document) if isinstance(document, Mapping) else ""
        if not is_storable(text):
            self._fault("document", "It holds half of a surrogate pair, which is no text")
            return False
        length = len(text)
        if length > largest:
            detail = f"It has {length:,} characters; {largest:,} are allowed."
            self._problems.add(codes.DOCUMENT_TOO_LARGE, None, detail)
        return length <= largest

    def version(self, document: Json, version: int) -> bool:
        """Whether it is a document of the version that is read here."""
        found = document.get("version") if isinstance(document, Mapping) else None
        if found is None:
            self._fault("document", "It must be a mapping with a version")
        elif found != version:
            detail = f"The document has version {found}, and this Tenuto reads version {version}."
            self._problems.add(codes.UNKNOWN_DOCUMENT_VERSION, None, detail, subject="version")
        return bool(found == version)

    def shape(self, document: JsonMap) -> None:
        """Check the shape of each part, then the references between the parts."""
        optional = {"assertions": _is_list} if "assertions" in document else {}
        if not self._matches("document", document, {**_DOCUMENT, **optional}):
            return
        whole = [self._parameter(name, one) for name, one in document["parameters"].items()]
        whole += [self._value(name, one) for name, one in document["values"].items()]
        whole += [self._declaration(name, one) for name, one in document["resources"].items()]
        whole += [self._matches(f"outputs.{name}", one, _OUTPUT) for name, one in document["outputs"].items()]
        whole += [self._matches(f"positions.{name}", one, _POSITION) for name, one in document["positions"].items()]
        whole += [
            self._matches(f"assertions.{number}", one, _ASSERTION)
            for number, one in enumerate(document.get("assertions", ()))
        ]
        if all(whole):
            self._names(document)

    def _parameter(self, name: str, one: Json) -> bool:
        good = isinstance(one, Mapping) and len(one) == 1 and bool(one.keys() & {"fingerprint", "lookup", "kept"})
        good = good and all(value is True if key == "kept" else _is_text(value) and value for key, value in one.items())
        if not good:
            self._fault(f"parameters.{name}", "It must have a fingerprint or a lookup, or be kept")
        return good

    def _value(self, name: str, one: Json) -> bool:
        good = _is_text(one) or _is_texts(one)
        if not good:
            self._fault(f"values.{name}", "It must be a text or a list of texts")
        return good

    def _declaration(self, name: str, one: Json) -> bool:
        if not _LOGICAL_ID.fullmatch(name):
            self._fault(
                f"resources.{name}",
                "A logical id has letters and digits only, and dots between the names of nested templates",
            )
            return False
        return self._matches(f"resources.{name}", one, _DECLARATION)

    def _matches(self, where: str, one: Json, tests: Mapping[str, _Test]) -> bool:
        if not isinstance(one, Mapping) or one.keys() != tests.keys():
            self._fault(where, f"It must have exactly {', '.join(sorted(tests))}")
            return False
        wrong = [key for key in sorted(tests) if not tests[key](one[key])]
        for key in wrong:
            self._fault(f"{where}.{key}", "The value has the wrong shape")
        return not wrong

    def _names(self, document: JsonMap) -> None:
        resources = document["resources"]
        known = {*resources, *document["parameters"], *_OPEN_PSEUDO}
        for name, one in resources.items():
            where = f"resources.{name}"
            self._expressions(f"{where}.properties", one["properties"], known)
            self._expressions(f"{where}.metadata", one["metadata"], known)
            self._ours(f"{where}.metadata.Tenuto", one["metadata"].get("Tenuto", {}))
            needed = [other for other in referenced_resources(one["properties"]) if other in resources]
            missing = sorted({*needed, *one["depends_on"]} ^ set(one["depends_on"]))
            if missing:
                self._fault(f"{where}.depends_on", f"It must hold {', '.join(missing)}, which the properties refer to")
            unknown = sorted({other for other in one["depends_on"] if other not in resources})
            if unknown:
                self._fault(f"{where}.depends_on", f"There is no resource {', '.join(unknown)}")
        for name, one in document["outputs"].items():
            self._expressions(f"outputs.{name}", [one["value"], one["export"]], known)
        for number, one in enumerate(document.get("assertions", ())):
            self._expressions(f"assertions.{number}", list(values_of(one["holds"])), set(document["parameters"]))
        for circle in find_circles({name: one["depends_on"] for name, one in resources.items()}):
            self._fault("resources", f"Resources depend on each other in a circle: {' -> '.join(circle)}")

    def _ours(self, where: str, metadata: Json) -> None:
        """Check the section that Tenuto reads in the metadata of a resource."""
        if not _is_mapping(metadata):
            self._fault(where, "It must be a mapping")
            return
        for key in ("ignore", "accept"):
            if not (_is_text(metadata.get(key, "")) or _is_texts(metadata[key])):
                self._fault(f"{where}.{key}", "It must be a text or a list of texts")

    def _expressions(self, where: str, value: Json, known: set[str]) -> None:
        for found in open_expressions(value):
            if found.kind in ("Ref", "Fn::GetAtt") and found.name not in known:
                self._fault(where, f"There is nothing that {found.name} could refer to")
        for name in _functions(value):
            self._fault(where, f"{name} is no expression that can be left open")

    def _fault(self, where: str, detail: str) -> None:
        self._problems.add(codes.BAD_DOCUMENT, None, f"{where}: {detail}.", subject=where)


def _functions(value: Json) -> list[str]:
    """Functions that should have been folded, and malformed ones."""
    if isinstance(value, list):
        return [name for item in value for name in _functions(item)]
    if not isinstance(value, Mapping):
        return []
    call = call_of(value)
    if call is not None:
        return _functions(call[1])
    own = [key for key in value if key.startswith("Fn::") or (len(value) == 1 and key in CALLS)]
    return own + [name for member in value.values() for name in _functions(member)]


def _is_flat(document: Json) -> bool:
    """Whether nothing is nested too deeply and everything is JSON; found without recursion, since it may be deep."""
    level: list[Json] = [document]
    for _ in range(_DEEPEST):
        below: list[Json] = []
        for value in level:
            if isinstance(value, Mapping):
                if not _is_mapping(value):
                    return False
                below.extend(value.values())
            elif isinstance(value, list):
                below.extend(value)
            elif not _is_anything(value):
                return False
        if not below:
            return True
        level = below
    return False
