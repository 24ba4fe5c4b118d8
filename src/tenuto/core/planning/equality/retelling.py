"""Retelling: whether a provider shows, in words of its own, the value that it was sent.

Theory of operation. A type that is known by its schema alone says nothing of how its service writes down the values
that it gets: it sorts a list, folds a name, adds its own members to a list of settings, and writes a value in its
normal form (`core.planning.equality.retold_words`). Compared word by word, each of these would be drift for ever. So
the *sent* value is compared with the *shown* one in this lenient way, and only that: a value that is declared anew was
not sent yet, and is compared as it is.

Leniency ends where a change would be missed that matters: a member that is added to a list or taken away, another
value, and another account in a name are changes. In a document everything counts (`core.planning.equality.documents`).
A person's own texts (variables, commands) count letter by letter, and the lists of which the order has a meaning keep
it (docs/decisions, 0162). A property that no call changes in place cannot have been changed behind our back: there, a
part that is not shown is as it was sent.

The price: a hand that only sorts another list, or only changes the case of a word, is not seen.
"""

import json
import re
from collections.abc import Mapping, Sequence

from tenuto.core.language.expressions import is_list
from tenuto.core.planning.equality.documents import inside_of, is_same_text
from tenuto.core.planning.equality.pairing import each_has_a_partner
from tenuto.core.planning.equality.retold_words import is_same_word, says_nothing
from tenuto.core.planning.equality.scalars import scalar
from tenuto.core.planning.equality.values import is_empty, means_same, merged
from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison, ResourceType
from tenuto.model.spelling import Documents, Merged, Program, Retelling


def is_as_sent(sent: Json, shown: Json, resource_type: ResourceType, path: str) -> bool:
    """Whether the provider may show the value `sent` as `shown`; `path` is the place of both."""
    if means_same(sent, shown, resource_type.compare_as, path):
        return True
    words = resource_type.retelling
    return words is not None and _is_retold(sent, shown, resource_type, words, path)


def _is_retold(sent: Json, shown: Json, resource_type: ResourceType, words: Retelling, path: str) -> bool:
    if shown is None:
        return resource_type.is_settled_at_creation(path) or _means_nothing(sent, resource_type, words, path)
    if _is_document(resource_type, words, path):
        return False
    if _is_verbatim(resource_type, words, path) and not isinstance(sent, Mapping) and not is_list(sent):
        return scalar(sent) == scalar(shown)
    if inside_of(sent) is not None or inside_of(shown) is not None:
        return is_same_text(sent, shown, words)
    if isinstance(sent, Mapping):
        return isinstance(shown, Mapping) and _is_same_mapping(sent, shown, resource_type, path)
    if is_list(sent):
        return is_list(shown) and _is_same_list(sent, shown, resource_type, path)
    if isinstance(shown, Mapping) or is_list(shown):
        return False
    return is_same_word(sent, shown, words, path.rpartition(".")[2])


def _means_nothing(sent: Json, resource_type: ResourceType, words: Retelling, path: str) -> bool:
    """Whether nothing need be shown for a value: it says nothing, and is neither a document nor a text of the user's
    own."""
    if _is_document(resource_type, words, path):
        return is_empty(sent)
    if isinstance(sent, Mapping):
        return all(_means_nothing(value, resource_type, words, f"{path}.{name}") for name, value in sent.items())
    return is_empty(sent) if _is_verbatim(resource_type, words, path) else says_nothing(sent, words)


def _is_verbatim(resource_type: ResourceType, words: Retelling, path: str) -> bool:
    """Whether texts at a place are the user's own: the values of a free mapping, and the members of lists of such
    names, with the values of their named members."""
    around, _, name = path.rpartition(".")
    if name == words.value and re.fullmatch(words.verbatim, around.rpartition(".")[2]):
        return True
    is_free = any(_is_free_mapping(resource_type, words, one) for one in (path, around))
    return is_free or re.fullmatch(words.verbatim, name) is not None


def _is_document(resource_type: ResourceType, words: Retelling, path: str) -> bool:
    """Whether everything in a value counts, by a rule that the strict comparison has applied already."""
    rule = resource_type.compare_as.get(path)
    return isinstance(rule, Program) or (isinstance(rule, Documents) and not _is_of_settings(words, path))


def _is_free_mapping(resource_type: ResourceType, words: Retelling, path: str) -> bool:
    """Whether a mapping has names of the user's own. One of settings has those of the service, which adds some."""
    return resource_type.compare_as.get(path) == Documents() and not _is_of_settings(words, path)


def _is_of_settings(words: Retelling, path: str) -> bool:
    return re.fullmatch(words.settings, path.rpartition(".")[2]) is not None


def _is_same_mapping(sent: JsonMap, shown: JsonMap, resource_type: ResourceType, path: str) -> bool:
    """Whether every member that was sent is there. The provider may show more, but in a property whose absence means
    that there is nothing, as with tags."""
    words = resource_type.retelling
    if words is None:
        return False
    known: set[str] = set()
    for name, value in sent.items():
        other = name if name in shown else _retold_name(name, shown, words)
        known.add(other)
        if resource_type.compare_as.get(path) is Comparison.CHOICE and other not in shown:
            return False
        if not is_as_sent(value, shown.get(other), resource_type, f"{path}.{name}"):
            return False
    is_whole = path in resource_type.when_absent
    return not is_whole or all(says_nothing(shown[name], words) for name in sorted(shown.keys() - known))


def _retold_name(name: str, shown: JsonMap, words: Retelling) -> str:
    """The name under which a mapping shows a member: in another case, or another name of the same operator."""
    meant = words.operators.get(name.casefold(), name.casefold())
    return next((one for one in sorted(shown) if words.operators.get(one.casefold(), one.casefold()) == meant), name)


def _is_same_list(sent: Sequence[Json], shown: Sequence[Json], resource_type: ResourceType, path: str) -> bool:
    """Whether each member has a partner of its own, in any order unless the order has a meaning. A list that the
    provider adds to may have more, and one that repeats a member may be shown without the repetition.
    """
    words = resource_type.retelling
    if words is not None and _is_ordered(resource_type, words, path):
        pairs = zip(sent, shown, strict=False)
        return len(sent) == len(shown) and all(is_as_sent(*pair, resource_type, path) for pair in pairs)
    rule = resource_type.compare_as.get(path)
    sent = merged(sent, rule) if isinstance(rule, Merged) else _without_repeats(sent, len(shown))
    may_have_more = _is_added_to(sent, resource_type, path)
    if len(sent) > len(shown) or (len(sent) < len(shown) and not may_have_more):
        return False
    return each_has_a_partner(
        len(sent), len(shown), lambda member, other: is_as_sent(sent[member], shown[other], resource_type, path)
    )


def _is_ordered(resource_type: ResourceType, words: Retelling, path: str) -> bool:
    is_set = resource_type.compare_as.get(path) is Comparison.SET
    return not is_set and re.fullmatch(words.ordered, path.rpartition(".")[2]) is not None


def _without_repeats(members: Sequence[Json], length: int) -> Sequence[Json]:
    """The members without repetitions, if that makes the list as short as the shown one."""
    once = list({json.dumps(one, sort_keys=True, default=str): one for one in members}.values())
    return once if len(once) == length else members


def _is_added_to(members: Sequence[Json], resource_type: ResourceType, path: str) -> bool:
    """Whether it is a list of settings, to which a provider adds those that were not sent: by the rule of the property,
    or by its name, and since each member has a name and no name comes twice."""
    words = resource_type.retelling
    if resource_type.compare_as.get(path) is Comparison.MEMBERS:
        return True
    if words is None or not members:
        return False
    if not _is_of_settings(words, path) and re.fullmatch(words.lists, path.rpartition(".")[2]) is None:
        return False
    names = [
        tuple(str(one[key]) for key in words.keys if key in one) if isinstance(one, Mapping) else () for one in members
    ]
    return all(names) and len(set(names)) == len(names)
