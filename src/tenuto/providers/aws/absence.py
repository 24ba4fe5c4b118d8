"""Absence is proved by id: a thing that a list lacks is asked for by its own id before Tenuto believes that it is gone.

Theory of operation. A list that lacks a thing may be the truth, a list that something in between has emptied or cut, or
one that belongs to another question; nothing in it tells which. Were it believed, the thing would be made anew, and the
old one would stay for ever. Asked for by id, AWS answers with the thing, refuses with a code that says "not found", or
answers with nothing in the place of the thing (`question`). Only the last two make it missing. An answer that is cut,
damaged or about something else leaves it open, and the next sweep asks again.

Things without a call of their own (a route, a rule, an association) are missing when the list says so: there is one
place for each, so nothing is left behind when they are made anew.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from tenuto.errors import PermanentError, ProviderError
from tenuto.model.ids import PhysicalId, TypeName
from tenuto.model.observation import ObservedItem, Tracked
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType
from tenuto.providers.aws.question import Question

MOST = 20
"""The number of questions about a type in one sweep. When so much is missing at once, people are asked anyway."""

UNSHOWN = "not shown"
"""The state of a thing that a list lacks although AWS does not say that it is gone."""

STANDS = "the provider's list does not show it, but an answer by its id does; the next sweep decides"

Found = Mapping[TypeName, Mapping[PhysicalId, ObservedItem]]


def unsure(
    client: AccountClient, kinds: Mapping[TypeName, AwsType], tracked: Tracked, found: Found
) -> dict[TypeName, dict[PhysicalId, str]]:
    """Return, by type, the tracked things that were not found, and of which AWS does not say that they do not exist,
    each with the reason. The things that the sweep could not read (`AccountClient.unread`) are among them.
    """
    doubts: dict[TypeName, dict[PhysicalId, str]] = {}
    for name, items in found.items():
        question = kinds[name].question
        missing = sorted(one for one in tracked.get(name, {}) if one not in items)
        unread = {one: client.unread[one] for one in missing if client.unread and one in client.unread}
        rest = [one for one in missing if one not in unread][:MOST]
        doubts[name] = unread | (_not_gone(client, question, rest) if question is not None else {})
    return doubts


def completed(
    client: AccountClient, question: Question, ids: Sequence[str], states: Mapping[str, str]
) -> dict[str, str]:
    """The states that a list shows, and UNSHOWN for each of the ids that it lacks and that is not gone."""
    missing = [PhysicalId(one) for one in ids if one not in states]
    return {**states, **dict.fromkeys(_not_gone(client, question, missing), UNSHOWN)}


def _not_gone(client: AccountClient, question: Question, missing: Sequence[PhysicalId]) -> dict[PhysicalId, str]:
    """Return the things of which AWS does not say that they do not exist, each with the answer instead."""
    doubts = client.each(partial(_doubt, client, question), missing)
    return {one: doubt for one, doubt in zip(missing, doubts, strict=True) if doubt is not None}


def _doubt(client: AccountClient, question: Question, physical_id: PhysicalId) -> str | None:
    """Return why it is not certain that a thing is gone; None when it is."""
    try:
        return STANDS if question.is_answered(client, physical_id) else None
    except PermanentError as error:
        # For a bucket that another account has by now, and for a thing that we may not ask for, only the list counts.
        return None if faults.is_gone(error) or faults.is_denied(error) else str(error)
    except ProviderError as error:
        return str(error)
