"""The words of a line of a scenario file: numbers, names, JSON, and the steps that are nothing but words."""

import json
import math
import re
from typing import NoReturn

from tenuto.model.ids import Json
from tenuto_testing.simulation.steps import Order, Rival, SetProperty, SetTempo, Step, StoreDown, Together

COMMANDS = frozenset({"suspend", "resume", "kill", "retry", "release"})
_KEYS = frozenset({"enforcement", "lock"})
_LONGEST_S = 30 * 24 * 3600.0
_MOST = 1_000_000
_ALIAS = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,62}")


class WrongLineError(Exception):
    """The line at hand is wrong. The message says why."""


def refuse(why: str) -> NoReturn:
    raise WrongLineError(why)


def order(verb: str, text: str) -> Step:
    alias, _, detail = text.partition(" ")
    if detail and (verb, detail) != ("release", "keep-tags"):
        refuse(f"{verb} ALIAS{' or release ALIAS keep-tags' if verb == 'release' else ''}")
    return Order(verb=verb, alias=alias_of(alias), keeps_tags=bool(detail))


def together(text: str) -> Step:
    words = text.split()
    if len(words) != 3 or not COMMANDS.issuperset(words[:2]):
        refuse(f"together COMMAND COMMAND ALIAS, of {', '.join(sorted(COMMANDS))}")
    return Together(first=words[0], second=words[1], alias=alias_of(words[2]))


def set_property(text: str) -> Step:
    words = text.split()
    if len(words) not in (3, 4) or words[1] not in _KEYS or words[2] not in ("on", "off"):
        refuse("property ALIAS enforcement or lock on or off, or property ALIAS enforcement off SECONDS")
    until_s = number_of(words[3]) if len(words) == 4 else None
    return SetProperty(alias=alias_of(words[0]), key=words[1], value=words[2], until_s=until_s)


def tempo(text: str) -> Step:
    words = text.split()
    if len(words) != 2:
        refuse("tempo PERIOD PATIENCE, in seconds")
    return SetTempo(period_s=max(1.0, number_of(words[0])), patience_s=number_of(words[1]))


def store(text: str) -> Step:
    how, _, times = text.partition(" ")
    if how not in ("down", "unsure", "unreadable"):
        refuse("store down xCOMMITS, store unsure xCOMMITS, or store unreadable xREADS")
    return StoreDown(how=how, times=times_of(times))


def rival(text: str) -> Step:
    return Rival() if not text else refuse("'rival' stands alone")


def alias_of(text: str) -> str:
    return text if _ALIAS.fullmatch(text) else refuse(f"{text!r} is no alias: letters, digits and hyphens")


def number_of(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    return found if 0.0 <= found <= _LONGEST_S else refuse(f"{text!r} is no number from 0 to {_LONGEST_S:.0f}")


def times_of(text: str) -> int:
    found = re.fullmatch(r"x(\d{1,7})", text)
    return int(found[1]) if found and 0 < int(found[1]) <= _MOST else refuse(f"{text!r} is no count: x1, x2 …")


def json_of(text: str, what: str | None = "a mapping") -> Json:
    try:
        found = json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        refuse(f"this is no JSON: {error}")
    if what is not None and not isinstance(found, dict):
        refuse(f"this is not {what} in JSON")
    return found


def listed(names: object) -> str:
    return ", ".join(sorted(map(str, names)))  # type: ignore[call-overload]
