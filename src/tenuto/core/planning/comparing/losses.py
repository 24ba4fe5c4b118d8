"""Members that an update takes out of a property which stays declared.

Theory of operation. Only declared members are compared, and so a member that an update declares no more agrees with
every shown value: the circuit breaker of a service, the logs of a distribution, the secrets of a container would stay,
and nothing would tell. So the wish before is compared with the new one. A member that only the old one has, and that
the provider still shows with a value, is a change of that update: the property is sent again without it, or its
resource is made anew where no call changes it. The provider's own default may be there afterwards: it is not held.

A plan and the work on it are far apart: by then the object has the new wish, and nothing of the old one. So the paths
that are to be sent in any case are noted with the object (`changes.noted`) when a step gives it the new wish, until the
next step does.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tenuto.core.language import resolve
from tenuto.core.language.expressions import is_list
from tenuto.core.planning.equality.values import Rules, in_newer_words, is_empty, means_same, rules_of_members
from tenuto.model.ids import Json, JsonMap
from tenuto.model.naming import Naming
from tenuto.model.resource import Comparison
from tenuto.model.spelling import Documents, Program, Spelling, Words

_KEYS = ("Key", "Name")
"""The members by which one setting of a list of settings is told from another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """One path at which an update takes something out: the value that is shown there, or was declared of a list, and
    the value that is declared there now."""

    path: str
    before: Json
    after: Json = None
    stays: bool = False
    """True for a setting that no call takes out of its list."""


def losses(before: Json, after: Json, shown: Json, rules: Rules, path: str) -> Iterator[Loss]:
    """The losses at a path and below it, from the wish before to the new one, among the values that are still shown."""
    rule = rules.get(path)
    if isinstance(rule, Documents | Program | Naming | Words) or rule in (Comparison.KEYED, Comparison.SHARED):
        return  # Compared as a whole, so that a loss is seen anyway.
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        if isinstance(rule, Spelling):
            before, after = in_newer_words(before, rule), in_newer_words(after, rule)
        yield from _of_mapping(before, after, shown, rules, path)
    elif is_list(before) and is_list(after) and is_list(shown):
        if rule is Comparison.MEMBERS:
            yield from _of_settings(before, after, shown, path)
        elif (
            resolve.is_resolved(before) and resolve.is_resolved(after) and _has_lost(before, after, shown, rules, path)
        ):
            yield Loss(path=path, before=before, after=after)


def _of_mapping(before: JsonMap, after: JsonMap, shown: Json, rules: Rules, path: str) -> Iterator[Loss]:
    there: JsonMap = shown if isinstance(shown, Mapping) else {}
    for name in sorted(before):
        at = f"{path}.{name}"
        if after.get(name) is not None:
            yield from losses(before[name], after[name], there.get(name), rules, at)
        elif not is_empty(before[name]) and not is_empty(there.get(name)):
            yield Loss(path=at, before=there[name])


def _of_settings(before: Json, after: Json, shown: Json, path: str) -> Iterator[Loss]:
    kept, there = {_key(one) for one in after}, {_key(one): one for one in shown}
    for key in sorted({_key(one) for one in before} - kept):
        if key and key in there:
            yield Loss(path=f"{path}.{key}", before=there[key].get("Value"), stays=True)


def _key(setting: Json) -> str:
    found = (setting.get(name) for name in _KEYS) if isinstance(setting, Mapping) else ()
    return next((one for one in found if isinstance(one, str)), "")


def _has_lost(before: Json, after: Json, shown: Json, rules: Rules, path: str) -> bool:
    """Whether a member of a list that stays has lost something: it says less than one did before, and the lost part is
    still shown."""
    within = rules_of_members(rules, path)

    def agree(one: Json, other: Json) -> bool:
        return means_same(one, other, within, path)

    for one in after:
        if not isinstance(one, Mapping) or one in before:
            continue
        fuller = [other for other in before if isinstance(other, Mapping) and agree(one, other)]
        there = [other for other in shown if agree(one, other)]
        if any(True for old in fuller for now in there if agree(old, now) for _ in losses(old, one, now, within, path)):
            return True
    return False
