"""The creation of a thing through Cloud Control, and the search for the thing that a creation has made.

Theory of operation. A creation ends in three ways: AWS reports success, AWS reports a failure, or nothing tells its
end.

*Lost answers.* When no answer came there is no token to ask by. A creation is then repeated with the same client token,
and AWS answers with the request that it knows. When it is to be deleted instead, it is searched for (`find`): by the
note of its request; by our mark on the thing that has the declared name, or on the things that the requests of the last
days have made; and, where it carries no mark, by the client token, which answers with the thing that the first request
made. That may make the thing only to delete it, and leaves nothing behind. A name alone is no proof: a thing of that
name may be another's.

*Failures.* A creation that failed may have left a thing, for any reason, also one that passes. So no creation is sent
again before the thing that its event names was looked for, for as long as a new thing may be invisible. A thing that is
certainly ours is recorded with the failure: a person sees it, and a kill deletes it. Our mark tells that, and an
identifier that the service made up for our own request.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tenuto.errors import ProviderError, TransientError
from tenuto.model.ids import JsonMap, PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Pending, Refused
from tenuto.providers.aws.client.answers.pages import Paging
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.cloud_control_model import SENT, desired_state, identifier_of, sent
from tenuto.providers.aws.types.cloud_control_references import reference_in
from tenuto.providers.aws.types.cloud_control_requests import (
    SERVICE,
    carried,
    failure_of,
    is_open,
    note_of,
    status_of,
)
from tenuto.providers.aws.types.cloud_control_things import Things

_REQUESTS = Paging(
    service=SERVICE,
    operation="ListResourceRequests",
    members="ResourceRequestStatusSummaries",
    token_in="NextToken",
    token_out="NextToken",
    size_name="MaxResults",
    page_size=100,
)
_LOOK_AGAIN_S = 10.0
"""The seconds between two looks for the thing that a failed creation may have left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Creation(Things):
    """The creation of things of one type."""

    def create(self, work: Work) -> Outcome:
        def send(token: str) -> JsonMap:
            state = json.dumps(desired_state(work.request, self.tagging), sort_keys=True)
            return work.change(SERVICE, "CreateResource", TypeName=self.name, DesiredState=state, ClientToken=token)

        event = carried(work, "create", send, lambda event, ended_s: self._left(work, event, ended_s))
        if isinstance(event, Pending | Refused):
            return event
        if event["OperationStatus"] == "SUCCESS":
            identifier = event["Identifier"]
            attributes = {SENT: sent(work.request), **reference_in(identifier, {}, self.schema)}
            return Done(physical_id=PhysicalId(identifier), attributes=attributes)
        return failure_of(work, event)

    def find(self, work: Work) -> ObservedItem | None:
        """The thing that an earlier creation of the request made. Raises TransientError while that goes on."""
        for identifier, is_own in self._candidates(work):
            item = self._item(work, identifier)
            if item is not None and self._is_ours(work, item, is_own=is_own):
                return item
        return None

    def _left(self, work: Work, event: JsonMap, ended_s: float) -> Outcome | None:
        """The end of a creation that failed, with the thing that it left; None where nothing stands that it made."""
        identifier = str(event.get("Identifier") or "")
        if not identifier or event.get("ErrorCode") == "AlreadyExists":
            return None
        failure = failure_of(work, event)
        words = failure.message.rstrip(".")
        try:
            item = self._item(work, identifier)
        except ProviderError as error:
            raise type(error)(
                f"{words}. It may have left {identifier}, which AWS does not show: {error}",
                code=error.code,
                request_id=error.request_id,
            ) from error
        if item is not None and self._is_ours(work, item, is_own=self._is_made_up(work)):
            told = f"{words}. It left {identifier}, which Tenuto keeps in its record"
            return replace(failure, message=told, physical_id=PhysicalId(identifier))
        if item is not None and item.owner is not None:
            return None
        if ended_s < self.facts.consistency.visible_s:
            told = f"{words}. Tenuto checks whether it left {identifier}, before it goes on"
            return Pending(message=told, code=failure.code, delay_s=_LOOK_AGAIN_S)
        if item is None:
            return None
        told = f"{words}. There is {identifier} without the tags of an owner, which it may have left"
        hint = (
            f"Delete {identifier}, or adopt it: give its id in the declaration with 'Metadata: {{Tenuto: "
            "{ResourceIdentifier: ID}}', update and resume."
        )
        return replace(failure, message=told, hint=hint)

    def _is_made_up(self, work: Work) -> bool:
        """Whether the service makes up the identifier of the thing, or a part of it: no thing of another has it."""
        return not identifier_of(work.request, self.schema)

    def _item(self, work: Work, identifier: str) -> ObservedItem | None:
        model = work.client.about(identifier, lambda: self.model(work.client, identifier))
        return None if model is None else self.seen(identifier, model)[1]

    def _is_ours(self, work: Work, item: ObservedItem, *, is_own: bool) -> bool:
        """Whether the thing is that of the request: it carries our mark, or no other and our own request made it."""
        return is_own if item.owner is None else item.owner.object_id == work.request.object_id

    def _candidates(self, work: Work) -> Iterator[tuple[str, bool]]:
        """The identifiers of the things that the creation may have made, each with whether our own request did."""
        token = note_of(work).request
        if token:
            yield from self._made_by(work, status_of(work, token), is_own=True)
        elif self.tagging is None:
            yield from self._made_by_token(work)
        elif known := identifier_of(work.request, self.schema):
            yield known, False
        else:
            for event in work.client.pages(_REQUESTS, ResourceRequestStatusFilter={"Operations": ["CREATE"]}):
                if event.get("TypeName") == self.name:
                    yield from self._made_by(work, event, is_own=False)

    def _made_by_token(self, work: Work) -> Iterator[tuple[str, bool]]:
        """The identifier of the thing that the request of the same client token made, or makes now: its name alone does
        not tell the maker of a thing without tags. Nothing was made for a request that was never sent."""
        if work.request.sent_at is None:
            return
        outcome = self.create(work)
        if isinstance(outcome, Pending) and outcome.progress.get("request"):
            yield from self._made_by(work, status_of(work, outcome.progress["request"]), is_own=True)
        elif not isinstance(outcome, Pending) and outcome.physical_id is not None:
            yield str(outcome.physical_id), True

    def _made_by(self, work: Work, event: JsonMap, *, is_own: bool) -> Iterator[tuple[str, bool]]:
        """The identifier of the thing that a creation made. Raises TransientError while it goes on."""
        if event.get("ErrorCode") == "AlreadyExists":
            return
        if is_open(event):
            raise TransientError(
                f"AWS still carries out a creation of {self.name}; Tenuto asks again when it has ended", code="UnderWay"
            )
        if event.get("Identifier"):
            is_proven = event["OperationStatus"] == "SUCCESS" or self.tagging is None or self._is_made_up(work)
            yield str(event["Identifier"]), is_own and is_proven
