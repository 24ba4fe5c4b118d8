"""The values that are written in an expression."""

from typing import Any

from celpy.evaluation import celbytes, celstr

from tenuto.compositions.diagnostics.problems import is_storable
from tenuto.compositions.rules.arithmetic import whole
from tenuto.compositions.rules.kinds import NoAnswerError, Uint


def literal(token: Any) -> Any:
    """The value of a token. Raises ValueError, with the reason, when it has none."""
    spelled = str(token)
    match token.type:
        case "BOOL_LIT":
            return spelled == "true"
        case "NULL_LIT":
            return None
        case "FLOAT_LIT":
            return float(spelled)
        case "INT_LIT":
            return _number(int, spelled)
        case "UINT_LIT":
            return _number(Uint, spelled[:-1])
        case "BYTES_LIT":
            return _bytes(token)
        case _:
            return _text(token)


def _number(kind: type, spelled: str) -> Any:
    try:
        return whole(kind, int(spelled, 16 if "x" in spelled else 10))
    except (NoAnswerError, ValueError):
        raise ValueError("a number is too large") from None


def _bytes(token: Any) -> bytes:
    try:
        return bytes(celbytes(token))
    except ValueError:
        raise ValueError("a byte is not between 0 and 255") from None


def _text(token: Any) -> str:
    try:
        text = str(celstr(token))
    except (ValueError, OverflowError):  # no character has that number
        text = "\ud800"
    if not is_storable(text):
        raise ValueError("a text holds a character that no text can have")
    return text
