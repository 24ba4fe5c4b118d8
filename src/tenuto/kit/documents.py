"""Values as JSON documents and back.

Theory of operation. A frozen dataclass is a document by the types of its fields, so there is no second description to
keep in step: tuples are lists, sets are sorted lists, enums are their values, mappings are objects, a field typed `Any`
is JSON already and is copied as it is. A union of dataclasses is tagged with the name of the class under `kind`; one of
an enum of texts and a dataclass needs no tag. Reading is strict: text is not taken for a number, nor a number for text,
and an unknown member is an error, because a document that was misread once is stored wrong for ever. A missing member
takes the default of its field, so that documents outlive the fields that are added later. Functions have no document.
"""

import json
import types
import typing
from collections.abc import Callable, Mapping, Set
from collections.abc import Set as AbstractSet
from dataclasses import is_dataclass
from enum import StrEnum
from functools import lru_cache, reduce
from operator import or_
from typing import Any, TypeVar

import cattrs
from cattrs.gen import make_dict_structure_fn

from tenuto.kit.canonical import DocumentError, plain, to_text

T = TypeVar("T")
TAG = "kind"


def to_document(value: Any, *, as_type: Any = None) -> Any:
    """The document of a value. `as_type` is needed for a union only, whose members are then tagged."""
    return _converter().unstructure(value, unstructure_as=as_type or type(value))


def from_document(type_: type[T], document: Any) -> T:
    """The value of a document. Raises DocumentError, naming every place that does not fit."""
    try:
        return _converter().structure(document, type_)
    except cattrs.BaseValidationError as error:
        raise DocumentError("; ".join(cattrs.transform_error(error, format_exception=_reason))) from error
    except (ValueError, TypeError, AttributeError) as error:
        raise DocumentError(f"{_reason(error, None)} @ $") from error


def dumps(value: Any) -> str:
    """The canonical text of a value."""
    return to_text(to_document(value))


def loads(type_: type[T], text: str) -> T:
    """The value of a text that `dumps` made. Raises DocumentError."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise DocumentError(f"no JSON: {error}") from error
    return from_document(type_, document)


@lru_cache(maxsize=1)
def _converter() -> cattrs.Converter:
    """One converter for all: it is fast because it compiles a function per type at first use."""
    converter = cattrs.Converter(forbid_extra_keys=True)
    for kind in (str, bool, int):
        converter.register_structure_hook(kind, _strict(kind))
    converter.register_structure_hook(float, _number)
    # A hook for text is also taken for enums of texts, unless they have one of their own.
    converter.register_structure_hook(StrEnum, lambda document, type_: type_(document))
    converter.register_structure_hook_factory(is_dataclass, lambda type_: _reader(converter, type_))
    converter.register_structure_hook_factory(_is_tuple, lambda type_: _list_reader(converter, type_, tuple))
    converter.register_structure_hook_factory(_is_set, lambda type_: _list_reader(converter, type_, frozenset))
    converter.register_unstructure_hook_func(_is_json, plain)
    converter.register_structure_hook_func(_is_json, lambda document, _: document)
    converter.register_unstructure_hook_func(_is_json_map, plain)
    converter.register_structure_hook_func(_is_json_map, _json_map)
    converter.register_unstructure_hook_factory(_is_set, lambda type_: _sorted_list(converter, type_))
    converter.register_unstructure_hook_func(_is_function, _refuse_function)
    converter.register_structure_hook_func(_is_function, _refuse_function)
    converter.register_unstructure_hook_factory(_is_class_union, lambda _: _tagger(converter))
    converter.register_structure_hook_factory(_is_class_union, lambda type_: _untagger(converter, type_))
    converter.register_unstructure_hook_factory(_is_word_or_class, lambda type_: _word_writer(converter, type_))
    converter.register_structure_hook_factory(_is_word_or_class, lambda type_: _word_reader(converter, type_))
    return converter


def _reader(converter: cattrs.Converter, type_: Any) -> Callable[[Any, Any], Any]:
    read = make_dict_structure_fn(type_, converter, _cattrs_forbid_extra_keys=True)
    return lambda document, _: read(_json_map(document, None), type_)


def _is_tuple(type_: Any) -> bool:
    return typing.get_origin(type_) is tuple and typing.get_args(type_)[1:] == (...,)


def _list_reader(converter: cattrs.Converter, type_: Any, make: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    as_list: Any = types.GenericAlias(list, typing.get_args(type_)[:1])

    def read(document: Any, _: Any) -> Any:
        if not isinstance(document, list | tuple):
            raise ValueError(f"{document!r} is not a list")
        return make(converter.structure(document, as_list))

    return read


def _strict(kind: type) -> Callable[[Any, Any], Any]:
    def check(document: Any, _: Any) -> Any:
        if type(document) is not kind:
            raise ValueError(f"{document!r} is not {_WORDS[kind]}")
        return document

    return check


_WORDS = {str: "text", bool: "true or false", int: "a whole number"}


def _number(document: Any, _: Any) -> float:
    if type(document) not in (int, float):
        raise ValueError(f"{document!r} is not a number")
    return float(document)


def _is_json(type_: Any) -> bool:
    return type_ is Any


def _is_json_map(type_: Any) -> bool:
    arguments = typing.get_args(type_)
    return typing.get_origin(type_) is Mapping and len(arguments) == 2 and arguments[1] is Any


def _json_map(document: Any, _: Any) -> Any:
    if not isinstance(document, Mapping):
        raise ValueError(f"{document!r} is not an object")
    return document


def _is_set(type_: Any) -> bool:
    return typing.get_origin(type_) in (frozenset, set, Set, AbstractSet)


def _sorted_list(converter: cattrs.Converter, type_: Any) -> Callable[[Any], list[Any]]:
    member = typing.get_args(type_)[0]
    return lambda value: sorted(converter.unstructure(item, unstructure_as=member) for item in value)


def _is_function(type_: Any) -> bool:
    return any(typing.get_origin(part) is Callable for part in (type_, *typing.get_args(type_)))


def _refuse_function(value: Any, _: Any = None) -> Any:
    if value is not None:
        raise DocumentError("a function has no document; store the name that it is found by")
    return None


def _is_class_union(type_: Any) -> bool:
    if not isinstance(type_, types.UnionType) and typing.get_origin(type_) is not typing.Union:
        return False
    members = typing.get_args(type_)
    return len(members) > 1 and all(isinstance(member, type) and is_dataclass(member) for member in members)


def _is_word_or_class(type_: Any) -> bool:
    """A union of the words of one enum and of classes, in this order."""
    members = typing.get_args(type_) if isinstance(type_, types.UnionType) else ()
    if len(members) < 2 or not all(isinstance(member, type) for member in members):
        return False
    return issubclass(members[0], StrEnum) and all(map(is_dataclass, members[1:]))


def _word_reader(converter: cattrs.Converter, type_: Any) -> Callable[[Any, Any], Any]:
    word, classes = _word_and_classes(type_)
    return lambda document, _: converter.structure(document, word if isinstance(document, str) else classes)


def _word_writer(converter: cattrs.Converter, type_: Any) -> Callable[[Any], Any]:
    word, classes = _word_and_classes(type_)
    return lambda value: converter.unstructure(value, unstructure_as=word if isinstance(value, str) else classes)


def _word_and_classes(type_: Any) -> tuple[Any, Any]:
    word, *classes = typing.get_args(type_)
    return word, reduce(or_, classes)


def _tagger(converter: cattrs.Converter) -> Callable[[Any], dict[str, Any]]:
    return lambda value: {TAG: type(value).__name__, **converter.unstructure(value)}


def _untagger(converter: cattrs.Converter, type_: Any) -> Callable[[Any, Any], Any]:
    members = {member.__name__: member for member in typing.get_args(type_)}

    def read(document: Any, _: Any) -> Any:
        member = members.get(_json_map(document, None).get(TAG))
        if member is None:
            raise ValueError(f"its {TAG} is {document.get(TAG)!r}, not one of {', '.join(members)}")
        return converter.structure({key: item for key, item in document.items() if key != TAG}, member)

    return read


def _reason(error: BaseException, _: type | None) -> str:
    """The fault in one place, without the names of our classes."""
    if isinstance(error, KeyError):
        return f"{error} is missing"
    if isinstance(error, cattrs.ForbiddenExtraKeysError):
        return f"unknown member {', '.join(sorted(error.extra_fields))}"
    if isinstance(error, AttributeError):
        return "it has another shape than its type"
    return str(error)
