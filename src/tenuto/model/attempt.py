"""`Attempt`: the knowledge that Tenuto has of one outside act, such as the creation of one thing at a provider.

Theory of operation. An act and its answer are two messages, and either can be lost. So one value holds the knowledge
about the act: whether it was sent, whether an answer came, and when no answer came, the result of the search since. It
is stored beside the data of the phase that acts: the data belong to the plugin, the attempt belongs to Tenuto. Its
state moves along the table of `tenuto.lifecycles.attempt` only, by the events of `tenuto.core.phases.attempts`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tenuto.model.ids import Instant, JsonMap, PhysicalId

UNREAD = "?"
"""In place of the id of the thing that stood before an act: it could not be read, so that nothing counts as made by the
act."""


class AttemptState(StrEnum):
    UNSENT = "unsent"
    """No act of which anything is unknown: none was sent, or the sent act certainly did nothing."""
    SENT = "sent"
    """An act was sent, or is just about to be, and its end is not known."""
    ANSWERED = "answered"
    """The provider has told that the act is done."""
    IN_DOUBT = "in-doubt"
    """No answer came, and Tenuto looks for the effect that the act may have had."""
    FOUND = "found"
    """The search has shown the effect of the act."""
    ABSENT = "absent"
    """The search has shown nothing for as long as a new thing may be invisible: nothing was done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One outside act, as far as it is known. The moments are those of the runs that learned of something."""

    state: AttemptState = AttemptState.UNSENT
    sent_at: Instant | None = None
    """The beginning of the act that was sent first without a known end; set in every state but UNSENT where an act was
    sent. It outlives a retry, and a second visit of the state."""
    wish: str = ""
    """The digest of the properties that the act was to bring about. A token stands for that alone."""
    sent_as: JsonMap = field(default_factory=dict)
    """The declared properties that the act was sent with, where its repetition has to be the very same
    (`ResourceType.repeats_as_sent`). Secrets in them are references."""
    doubted_at: Instant | None = None
    """The beginning of the search. It is later than the act: the provider may have acted at the end of a long call."""
    held_since: Instant | None = None
    """The beginning of the wait for another thing that holds the act up."""
    tries: int = 0
    """The runs of this visit that were not the last: calls without an end, and waits for a sweep."""
    is_under_way: bool = False
    """True when the provider has reported that it carries out the act: then its thing cannot be invisible any more."""
    is_throttled: bool = False
    """True when the last call was put off because the provider takes no more calls for now."""
    was_shown: bool = False
    """True when a sweep has shown the thing to delete since it was made."""
    duplicates: tuple[PhysicalId, ...] = ()
    """The ids of the things that the act was seen to have made beside the recorded thing, and that are to be deleted.
    They outlive a retry: later, a mark on something else may be a copy."""
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    """The digests of the properties that hold a secret, as they were last brought there
    (`core.planning.comparing.changes`).
    """
    stood: str = ""
    """The id of the thing that stood already when the act was about to be sent, which the act did not make, or `UNREAD`
    where that could not be read. It outlives a retry like `sent_at`."""
    progress: JsonMap = field(default_factory=dict)
    """The provider's own note of the act, such as the token of a request that it carries out (`Pending.progress`)."""

    @property
    def is_unanswered(self) -> bool:
        """Whether an act was sent of which the end is unknown."""
        return self.state in (AttemptState.SENT, AttemptState.IN_DOUBT) and self.sent_at is not None

    def may_have_made(self, physical_id: PhysicalId) -> bool:
        """Whether the act may have made a thing without a mark: it did not stand before."""
        return self.stood not in (UNREAD, physical_id)


UNTRIED = Attempt()
"""The attempt of every entry whose phase has not acted yet. One value, so that most entries store nothing."""
