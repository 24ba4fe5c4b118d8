"""Retelling: whether a provider shows, in words of its own, what it was sent.

Theory of operation. A type that is known by its schema alone says nothing of how its service writes down what it gets:
it sorts a list, folds a name, answers a qualified name with a plain one, a version with its release, a number with a
text, and adds its own members to a list of settings. Compared word by word, each of these would be drift for ever. So
what was *sent* is compared with what is *shown* in this lenient way, and only that: a value that is declared anew was
not sent yet, and is compared as it is. A member that is added to a list, taken away or given another value is still a
change.

The price: a hand that only sorts a list, or only changes the case of a word, is not seen.
"""

import json
import re
from collections.abc import Mapping, Sequence

from tenuto.core.language.expressions import is_list
from tenuto.core.planning.equality import means_same, scalar
from tenuto.model.ids import Json
from tenuto.model.resource import ResourceType
from tenuto.model.spelling import Retelling

_VERSION = re.compile(r"\d+(\.\d+)*")


def is_as_sent(sent: Json, shown: Json, resource_type: ResourceType, path: str) -> bool:
    """Whether `shown` may be what the provider makes of `sent`; `path` is the place of both."""
    if means_same(sent, shown, resource_type.compare_as, path):
        return True
    if resource_type.retelling is None:
        return False
    if isinstance(sent, str) and (inside := _inside(sent)) is not None:
        return is_as_sent(inside, _inside(shown) if isinstance(shown, str) else shown, resource_type, path)
    if isinstance(sent, Mapping):
        shown = _inside(shown) if isinstance(shown, str) else shown
        return isinstance(shown, Mapping) and all(
            is_as_sent(value, shown.get(name), resource_type, f"{path}.{name}") for name, value in sent.items()
        )
    if is_list(sent):
        return is_list(shown) and _same_list(sent, shown, resource_type, path)
    is_word = shown is not None and not isinstance(shown, Mapping) and not is_list(shown)
    return is_word and _same_word(sent, shown, resource_type.retelling)


def _same_list(sent: Sequence[Json], shown: Sequence[Json], resource_type: ResourceType, path: str) -> bool:
    """Whether each member has a partner of its own, in whatever order. A list of settings may have more."""
    has_more = len(sent) < len(shown)
    if len(sent) > len(shown) or (has_more and not _is_of_settings(sent, resource_type.retelling)):
        return False
    left = list(shown)
    for member in sent:
        partner = next((at for at, other in enumerate(left) if is_as_sent(member, other, resource_type, path)), None)
        if partner is None:
            return False
        del left[partner]
    return True


def _is_of_settings(members: Sequence[Json], words: Retelling | None) -> bool:
    """Whether the list is a mapping that is written as one: each member has a name and a value, and no name twice."""
    if not members or words is None:
        return False
    names = [
        tuple(str(one[key]) for key in words.keys if key in one) if isinstance(one, Mapping) and "Value" in one else ()
        for one in members
    ]
    return all(names) and len(set(names)) == len(names)


def _inside(text: str) -> Json:
    """The document that a text is the JSON of; None for any other text."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def _same_word(sent: Json, shown: Json, words: Retelling) -> bool:
    one, other = scalar(sent).strip().casefold(), scalar(shown).strip().casefold()
    is_version = _is_release(one, other, words) or _is_release(other, one, words)
    return one == other or is_version or _names(one, other, words) or _names(other, one, words)


def _names(qualified: str, name: str, words: Retelling) -> bool:
    """Whether the name is that in the qualified one, with or without the word for what it is a name of."""
    match = re.fullmatch(words.qualified, qualified)
    return bool(name) and match is not None and re.split("[:/]", match["rest"])[-1] == name.rsplit("/", 1)[-1]


def _is_release(version: str, shown: str, words: Retelling) -> bool:
    """Whether a version is told with more places (8.0 and 8.0.45), or is the latest one."""
    if version == words.latest:
        return _VERSION.fullmatch(shown) is not None
    return _VERSION.fullmatch(version) is not None and shown.startswith(f"{version}.")
