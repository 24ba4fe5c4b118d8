"""The acts of Cloud Control: requests that AWS carries out while Tenuto sleeps, and the answers to their results.

Theory of operation. Cloud Control answers a creation, a change and a deletion with the token of a request, and carries
it out over seconds or hours. The token is noted with the attempt (`Pending.progress`), so that a Conductor that dies
goes on asking about the very same request.

The creation is in `cloud_control_creation`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tenuto.errors import PermanentError
from tenuto.model.ids import JsonMap
from tenuto.model.outcome import Done, Outcome, Pending, Refused
from tenuto.providers.aws.client.owner import Tag
from tenuto.providers.aws.kind import Marks, Work
from tenuto.providers.aws.tags.marking import are_ours
from tenuto.providers.aws.types.cloud_control_creation import Creation
from tenuto.providers.aws.types.cloud_control_model import (
    SENT,
    changed,
    client_token,
    fixed_members,
    patch_of,
    sent,
    tag_patch,
    tags_in,
)
from tenuto.providers.aws.types.cloud_control_requests import SERVICE, carried, failure_of, note_of
from tenuto.providers.aws.types.cloud_control_things import plain


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudControlType(Creation):
    """One type that goes through Cloud Control."""

    def modify(self, work: Work) -> Outcome:
        """Send the properties that are not as declared. Those that are sent are noted; so are those that stood like
        this already. What a change before this one has sent is in effect only when that has ended.
        """
        now, before = sent(work.request), note_of(work)
        told = Done(physical_id=work.id, attributes={SENT: now})
        is_outdated = bool(before.wish) and before.wish != now
        overtaken = {name for name in now if is_outdated and before.wish.get(name) != now[name]}
        names = sorted({*changed(work.request, self.facts), *overtaken})
        if not names and not before.request:
            return told

        def send(tries: int) -> JsonMap:
            kept = work.of_services(self.tagging.property) if self.tagging is not None else []
            patch = patch_of(work.request, names, self.tagging, kept, fixed_members(self.schema))
            return self._update(work, "update", tries, patch)

        event = carried(work, "update", send, is_outdated=is_outdated)
        if isinstance(event, Done | Pending | Refused):
            return event
        return told if event["OperationStatus"] == "SUCCESS" else failure_of(work, event)

    def delete(self, work: Work) -> Outcome:
        def send(tries: int) -> JsonMap:
            token = client_token(work.request, "delete", tries)
            return work.change(SERVICE, "DeleteResource", TypeName=self.name, Identifier=work.id, ClientToken=token)

        event = carried(work, "delete", send)
        if isinstance(event, Done | Pending | Refused):
            return event
        if event["OperationStatus"] == "SUCCESS":
            return Done(physical_id=work.id)
        if event.get("ErrorCode") == "NotFound":
            return Done(physical_id=work.id, was_absent=True)
        return failure_of(work, event)

    @property
    def marks(self) -> Marks | None:
        """The work on our mark of an existing thing; None where it carries no tags, or where only a new thing gets
        them: then the mark of a creation stays for life."""
        if self.tagging is None or self.tagging.property in self.schema.create_only:
            return None
        update = f"{SERVICE}:UpdateResource"
        return Marks(put=self._put, remove=self._remove, put_by=update, removed_by=update)

    def _update(self, work: Work, verb: str, tries: int, patch: str) -> JsonMap:
        return work.change(
            SERVICE,
            "UpdateResource",
            TypeName=self.name,
            Identifier=work.id,
            PatchDocument=patch,
            ClientToken=client_token(work.request, verb, tries, patch),
        )

    def _put(self, work: Work, tags: Sequence[Tag]) -> Outcome:
        return self._retag(work, "claim", lambda present: [*_others(present, tags), *tags])

    def _remove(self, work: Work, tags: Sequence[Tag]) -> Outcome:
        return self._retag(work, "disclaim", lambda present: _others(present, tags), is_ours_only=True)

    def _retag(
        self, work: Work, verb: str, change: Callable[[Sequence[JsonMap]], Sequence[Any]], *, is_ours_only: bool = False
    ) -> Outcome:
        done = Done(physical_id=work.id)
        if self.tagging is None:
            return done
        tagging = self.tagging
        present: list[JsonMap] = []
        if not note_of(work).request:
            model = work.client.about(work.id, lambda: self.model(work.client, work.id))
            if model is None:
                raise PermanentError(f"There is no {self.name} {work.id}.", code="ResourceNotFoundException")
            present = [plain(one, tagging) for one in tags_in(model.get(tagging.property))]
            if is_ours_only and not are_ours(work, present):
                return done

        def send(tries: int) -> JsonMap:
            kept = [one for one in change(present) if not str(one["Key"]).startswith("aws:")]
            return self._update(work, verb, tries, tag_patch(tagging, kept))

        event = carried(work, verb, send)
        if isinstance(event, Done | Pending | Refused):
            return event
        return done if event["OperationStatus"] == "SUCCESS" else failure_of(work, event)


def _others(present: Sequence[JsonMap], tags: Sequence[Tag]) -> list[JsonMap]:
    keys = {tag["Key"] for tag in tags}
    return [tag for tag in present if tag["Key"] not in keys]
