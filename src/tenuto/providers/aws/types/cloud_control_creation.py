"""The creation of a thing through Cloud Control, and the search for the thing that a creation has made.

Theory of operation. A creation ends in three ways: AWS reports success, AWS reports a failure, or nothing tells its
end.

*Lost answers.* When no answer came there is no token to ask by. A creation is then repeated with the same client token,
and AWS answers with the request that it knows. When it is to be deleted instead, it is searched for (`find`): by the
note of its request; by our mark on the thing that has the declared name, or on the things that the requests of the last
days have made; and, where it carries no mark, by the client token, which answers with the thing that the first request
made. That may make the thing only to delete it, and leaves nothing behind. A name alone is no proof: a thing of that
name may be another's.

*Forgotten requests.* AWS forgets a request, and then its token is that of a lost answer; later than the client token is
forgotten, a repetition would make another thing. Then our mark tells the thing among all of its type, and without tags
its place does, which was empty right before the creation. Where neither tells it, no creation is sent and no deletion
believed while a thing stands that looks like it: a person tells whose it is.

*Failures.* A creation that failed may have left a thing, for any reason, also one that passes. So no creation is sent
again before the thing that its event names was searched for, for as long as a new thing may be invisible. A thing that
is certainly ours is recorded with the failure: a person sees it, and a kill deletes it. Our mark tells that, and an
identifier that the service made up for our own request, and, without tags, a place that was empty before.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tenuto.core.planning.equality.retelling import is_as_sent
from tenuto.errors import PermanentError, ProviderError, TransientError
from tenuto.model.attempt import UNREAD
from tenuto.model.ids import JsonMap, PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Pending, Refused
from tenuto.providers.aws.blocks.calls import Listed
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.cloud_control_model import SENT, client_token, desired_state, identifier_of, sent
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

_REQUESTS = Listed(operation="ListResourceRequests", id="RequestToken", size=100).paging(SERVICE)
_TOKEN_KEPT_S = 35 * 3600.0
"""The time for which a creation may be repeated with its client token, an hour less than AWS remembers it."""
_REQUESTS_KEPT_S = 6 * 86_400.0
"""The time for which the list of requests holds ours, a day less than AWS keeps them."""
_UNTOLD = "ResultNotKnown"
_SEARCH_AGAIN_S = 10.0
"""The seconds between two searches for the thing that a failed creation may have left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Creation(Things):
    """The creation of things of one type."""

    def create(self, work: Work) -> Outcome:
        def send(tries: int) -> JsonMap:
            token = client_token(work.request, "create", tries)
            state = json.dumps(desired_state(work.request, self.tagging), sort_keys=True)
            return work.change(SERVICE, "CreateResource", TypeName=self.name, DesiredState=state, ClientToken=token)

        def left(event: JsonMap, ended_s: float) -> Outcome | None:
            return self._left(work, event, ended_s)

        def lost() -> Done | None:
            item = self.find(work)
            return None if item is None else self._made(work, item.physical_id)

        event = carried(work, "create", send, left, lost)
        if isinstance(event, Done | Pending | Refused):
            return event
        if event["OperationStatus"] != "SUCCESS":
            return failure_of(work, event)
        return self._made(work, event["Identifier"])

    def _made(self, work: Work, identifier: str) -> Done:
        attributes = {SENT: note_of(work).wish or sent(work.request), **reference_in(identifier, {}, self.schema)}
        return Done(physical_id=PhysicalId(identifier), attributes=attributes)

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
        if item is not None and self._is_ours(work, item, is_own=self._is_proven(work)):
            told = f"{words}. It left {identifier}, which Tenuto keeps in its record"
            return replace(failure, message=told, physical_id=PhysicalId(identifier))
        if item is not None and item.owner is not None:
            return None
        if ended_s < self.facts.consistency.visible_s:
            told = f"{words}. Tenuto checks whether it left {identifier}, before it goes on"
            return Pending(message=told, code=failure.code, delay_s=_SEARCH_AGAIN_S)
        if item is None:
            return None
        told = f"{words}. There is {identifier} without the tags of an owner, which it may have left"
        hint = (
            f"Delete {identifier}, or adopt it: give its id in the declaration with 'Metadata: {{Tenuto: "
            "{ResourceIdentifier: ID}}', update and resume."
        )
        return replace(failure, message=told, hint=hint)

    def _is_proven(self, work: Work) -> bool:
        """Whether a thing without a mark that a failed request of ours names is ours: the service made up its
        identifier, or, of a type without tags, none stood in its place before."""
        known = identifier_of(work.request, self.schema)
        return not known or (self.tagging is None and work.request.stood not in (UNREAD, known))

    def _item(self, work: Work, identifier: str) -> ObservedItem | None:
        model = work.client.about(identifier, lambda: self.model(work.client, identifier))
        return None if model is None else self.seen(identifier, model)[1]

    def _is_ours(self, work: Work, item: ObservedItem, *, is_own: bool) -> bool:
        """Whether the thing is that of the request: it carries our mark, or no other and our own request made it."""
        return is_own if item.owner is None else item.owner.object_id == work.request.object_id

    def _candidates(self, work: Work) -> Iterator[tuple[str, bool]]:
        """The identifiers of the things that the creation may have made, each with whether our own request did."""
        token = note_of(work).request
        event = status_of(work, token) if token else None
        if event is not None:
            yield from self._made_by(work, event, is_own=True)
        elif self.tagging is None:
            yield from self._unmarked(work, is_forgotten=bool(token))
        else:
            yield from self._marked(work, is_forgotten=bool(token))

    def _marked(self, work: Work, *, is_forgotten: bool) -> Iterator[tuple[str, bool]]:
        """The things that may carry our mark: the one of the declared name, those that the requests of the last days
        made, and all that there are when AWS may have forgotten our request."""
        if known := identifier_of(work.request, self.schema):
            yield known, False
            return
        for event in work.client.pages(_REQUESTS, ResourceRequestStatusFilter={"Operations": ["CREATE"]}):
            if event.get("TypeName") == self.name:
                yield from self._made_by(work, event, is_own=False)
        if is_forgotten or not self._is_within(work, _REQUESTS_KEPT_S):
            for identifier in self.listed(work.client, work.request.properties) or ():
                yield identifier, False

    def _unmarked(self, work: Work, *, is_forgotten: bool) -> Iterator[tuple[str, bool]]:
        """The thing of a type without tags: by the client token while AWS knows it, then by its place, which the caller
        knows to have been empty. Raises PermanentError where neither tells it, and things that look like it stand."""
        known, is_sent = identifier_of(work.request, self.schema), work.request.sent_at is not None
        if is_sent and not is_forgotten and self._is_within(work, _TOKEN_KEPT_S):
            yield from self._made_by_token(work)
        elif known:
            yield known, True
        elif is_sent:
            self._refuse_alike(work)

    def _is_within(self, work: Work, seconds: float) -> bool:
        """Whether the request was sent so lately."""
        sent_at = work.request.sent_at
        return sent_at is None or work.client.clock.now() < sent_at + seconds

    def _refuse_alike(self, work: Work) -> None:
        """Raise PermanentError where a thing stands that the forgotten request may have made."""
        listed = self.listed(work.client, work.request.properties)
        alike = [one for one in listed or () if self._resembles_it(work, one)]
        if listed is not None and not alike:
            return
        told = f"{', '.join(alike)} may be what it made" if alike else f"AWS lists no {self.name}"
        raise PermanentError(
            f"A creation of {self.name} got no answer before AWS forgot it, and its thing carries no tags: {told}. "
            "Delete it by hand, or keep it with 'tenuto release'; then try again.",
            code=_UNTOLD,
        )

    def _resembles_it(self, work: Work, identifier: str) -> bool:
        """Whether a thing shows the declared values, as far as they are shown."""
        item = self._item(work, identifier)
        if item is None:
            return False
        return all(
            is_as_sent(value, item.properties.get(name), self.facts, name)
            for name, value in work.request.properties.items()
            if name not in self.facts.write_only
        )

    def _made_by_token(self, work: Work) -> Iterator[tuple[str, bool]]:
        """The identifier of the thing that the request of the same client token made, or makes now: its name alone does
        not tell the maker of a thing without tags."""
        outcome = self.create(work)
        if isinstance(outcome, Pending) and outcome.progress.get("request"):
            event = status_of(work, outcome.progress["request"])
            yield from self._made_by(work, event, is_own=True) if event is not None else ()
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
            is_proven = event["OperationStatus"] == "SUCCESS" or self._is_proven(work)
            yield str(event["Identifier"]), is_own and is_proven
