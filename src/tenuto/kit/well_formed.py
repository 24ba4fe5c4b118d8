"""Texts that every store, log and answer can hold: without lone surrogates.

Theory of operation. Python lets a text hold half of a surrogate pair, as `os.fsdecode` makes of a file name that is no
UTF-8. No encoding has such a character, so the text cannot be stored, hashed or sent. Each one becomes the replacement
character where the text enters. Nearly all texts are ASCII, which costs one look at a flag; the others are encoded
once, and only one that cannot be is made anew.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar

from tenuto.kit.visible import visible

T = TypeVar("T")


def well_formed(text: str) -> str:
    """The text itself, or a copy with the replacement character for each lone surrogate."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def text_of(value: object) -> str:
    """The words of any value: a text itself, the message of an error, nothing for None. Never raises."""
    if isinstance(value, str):
        return well_formed(str(value))
    if value is None:
        return ""
    try:
        words = str(value)
    except Exception:  # noqa: BLE001 - a value of a plugin may do anything when it is shown
        words = ""
    return well_formed(words) or type(value).__name__


def error_text(error: BaseException) -> str:
    """The kind of an error and its words, for a log. Never raises."""
    words = text_of(error)
    kind = type(error).__name__
    return kind if words in ("", kind) else f"{kind}: {words}"


def ill_formed_place(value: Any) -> str | None:
    """The place of the first lone surrogate in a value of JSON, as in `resources[0].name`, where a name that
    cannot be shown has escapes; None when all texts are well formed. The place of a text alone is empty. Raises
    RecursionError for a value that is nested too deeply.
    """
    if isinstance(value, str):
        return None if well_formed(value) is value else ""
    if isinstance(value, Mapping):
        for name, one in value.items():
            inner = "" if well_formed(name) is not name else ill_formed_place(one)
            if inner is not None:
                return _joined(visible(name), inner)
    elif isinstance(value, list | tuple):
        for number, one in enumerate(value):
            inner = ill_formed_place(one)
            if inner is not None:
                return _joined(f"[{number}]", inner)
    return None


def _joined(outer: str, inner: str) -> str:
    return f"{outer}{inner}" if not inner or inner.startswith("[") else f"{outer}.{inner}"


def all_well_formed(value: T) -> T:
    """The value itself, or a copy whose texts are well formed, in mappings, sequences and dataclasses."""
    copy: T = value if _is_well_formed(value) else _mended(value)
    return copy


def _is_well_formed(value: Any) -> bool:
    """Whether all texts of the value are well formed. A sweep asks it of ten thousand things, so it has no generators,
    and asks for the usual classes first.
    """
    kind = type(value)
    if kind is str:
        return value.isascii() or well_formed(value) is value
    if kind is bool or kind is int or value is None or not value:
        return True
    if kind is dict or isinstance(value, Mapping):
        for name, one in value.items():
            if not (_is_well_formed(name) and _is_well_formed(one)):
                return False
    elif isinstance(value, list | tuple):
        for one in value:
            if not _is_well_formed(one):
                return False
    elif is_dataclass(kind):
        for name in _names_of(kind):
            if not _is_well_formed(getattr(value, name)):
                return False
    return True


@lru_cache(maxsize=64)
def _names_of(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, Mapping):
        return {_mended(name): _mended(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(_mended, value)) if type(value) in (list, tuple) else list(map(_mended, value))
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: _mended(getattr(value, field.name)) for field in fields(value)})
    return value
