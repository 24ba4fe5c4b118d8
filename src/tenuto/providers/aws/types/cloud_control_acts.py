"""The acts of Cloud Control: requests that AWS carries out while Tenuto sleeps, and the answers to their results.

Theory of operation. Cloud Control answers a creation, a change and a deletion with the token of a request, and carries
it out over seconds or hours. The token is noted with the attempt (`Pending.progress`), so that a Conductor that dies
goes on asking about the very same request.

*Lost answers.* When no answer came there is no token to ask by. A creation is then repeated with the same client token,
and AWS answers with the request that it knows. When it is to be deleted instead, it is searched for (`find`): by the
note of its request; by our mark on the thing that has the declared name, or on the things that the requests of the last
days have made; and, where it carries no mark, by the client token, which answers with the thing that the first request
made. That may make the thing only to delete it, and leaves nothing behind. A name alone is no proof: a thing of that
name may be another's.

*Failures.* A creation that failed may have left a thing. If it carries our mark, or no other owner is possible, it is
recorded with the failure, so that a person sees it and a kill deletes it.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tenuto.compositions.checks.schema import TypeSchema
from tenuto.errors import PermanentError, TransientError
from tenuto.model.ids import JsonMap, PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Pending, Refused
from tenuto.model.resource import ResourceType
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.answers.pages import Paging
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.owner import Tag, is_reserved
from tenuto.providers.aws.kind import Marks, Scope, Seen, Work
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.tags.marking import are_ours
from tenuto.providers.aws.types.cloud_control_facts import Tagging
from tenuto.providers.aws.types.cloud_control_model import (
    SENT,
    attributes_of,
    changed,
    desired_state,
    fixed_members,
    identifier_of,
    patch_of,
    properties_of,
    sent,
    tag_patch,
    tags_in,
)
from tenuto.providers.aws.types.cloud_control_references import reference_in
from tenuto.providers.aws.types.cloud_control_requests import (
    SERVICE,
    carried,
    failure_of,
    is_open,
    request_of,
    status_of,
)

_LIST = Paging(
    service=SERVICE,
    operation="ListResources",
    members="ResourceDescriptions",
    token_in="NextToken",
    token_out="NextToken",
    size_name="MaxResults",
    page_size=100,
)
_REQUESTS = Paging(
    service=SERVICE,
    operation="ListResourceRequests",
    members="ResourceRequestStatusSummaries",
    token_in="NextToken",
    token_out="NextToken",
    size_name="MaxResults",
    page_size=100,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudControlType:
    """One type that goes through Cloud Control."""

    schema: TypeSchema
    facts: ResourceType
    tagging: Tagging | None

    @property
    def name(self) -> str:
        return str(self.facts.name)

    def read(self, client: AccountClient, scope: Scope) -> list[Seen]:
        """The things that are asked for, each with a call of its own. All else comes where that is asked for."""
        if scope.names is not None:
            found = client.each_there(lambda one: self._model(client, one), scope.named(self.name))
            return [self._seen(one, model) for one, model in found.items()]
        own = (scope.tracked if scope.own is None else scope.own).get(self.facts.name, {})

        def read(asked: Mapping[str, frozenset[str]]) -> dict[str, JsonMap]:
            return client.each_there(lambda one: self._model(client, one), asked)

        # All tracked things are named, so that one that is not shown this time is not forgotten.
        asked = {**own, **scope.tracked.get(self.facts.name, {})}
        found = client.details.get(self.name, asked, scope.ids(self.name), read)
        others = self._others(client, asked) if scope.is_whole and self.is_listed else {}
        return [self._seen(one, model) for one, model in {**others, **found}.items() if model]

    @property
    def is_listed(self) -> bool:
        """Whether things of the type that carry our mark can be found among all others: there is a list of them that
        needs no parent, and they carry tags."""
        handler = (self.schema.document.get("handlers") or {}).get("list")
        return self.tagging is not None and handler is not None and not handler.get("handlerSchema")

    def _others(self, client: AccountClient, known: Iterable[str]) -> dict[str, JsonMap]:
        """The things that no record knows, each with a call: a list shows identifiers, and no tags."""
        listed = [str(one["Identifier"]) for one in client.pages(_LIST, TypeName=self.name) if one.get("Identifier")]
        return client.each_there(lambda one: self._model(client, one), sorted({*listed} - {*known}))

    def create(self, work: Work) -> Outcome:
        def send(token: str) -> JsonMap:
            state = json.dumps(desired_state(work.request, self.tagging), sort_keys=True)
            return work.change(SERVICE, "CreateResource", TypeName=self.name, DesiredState=state, ClientToken=token)

        event = carried(work, "create", send)
        if isinstance(event, Pending):
            return event
        if event["OperationStatus"] == "SUCCESS":
            identifier = event["Identifier"]
            attributes = {SENT: sent(work.request), **reference_in(identifier, {}, self.schema)}
            return Done(physical_id=PhysicalId(identifier), attributes=attributes)
        return self._with_remains(work, event, failure_of(work, event))

    def modify(self, work: Work) -> Outcome:
        """Send the properties that are not as declared. Those that are sent are noted; so are those that stood like
        this already.
        """
        told = Done(physical_id=work.id, attributes={SENT: sent(work.request)})
        names = changed(work.request, self.facts)
        if not names and not request_of(work):
            return told

        def send(token: str) -> JsonMap:
            kept = work.of_services(self.tagging.property) if self.tagging is not None else []
            patch = patch_of(work.request, names, self.tagging, kept, fixed_members(self.schema))
            return self._update(work, token, patch)

        event = carried(work, "update", send)
        if isinstance(event, Pending):
            return event
        return told if event["OperationStatus"] == "SUCCESS" else failure_of(work, event)

    def delete(self, work: Work) -> Outcome:
        def send(token: str) -> JsonMap:
            return work.change(SERVICE, "DeleteResource", TypeName=self.name, Identifier=work.id, ClientToken=token)

        event = carried(work, "delete", send)
        if isinstance(event, Pending):
            return event
        if event["OperationStatus"] == "SUCCESS":
            return Done(physical_id=work.id)
        if event.get("ErrorCode") == "NotFound":
            return Done(physical_id=work.id, was_absent=True)
        return failure_of(work, event)

    def find(self, work: Work) -> ObservedItem | None:
        """The thing that an earlier creation of the request made. Raises TransientError while that goes on."""
        for identifier in self._candidates(work):
            model = work.client.about(identifier, lambda one=identifier: self._model(work.client, one))  # type: ignore[misc]
            item = self._seen(identifier, model)[1] if model is not None else None
            if item is not None and self._may_be(work, item):
                return item
        return None

    @property
    def marks(self) -> Marks | None:
        """The work on our mark of an existing thing; None where it carries no tags."""
        if self.tagging is None:
            return None
        update = f"{SERVICE}:UpdateResource"
        return Marks(put=self._put, remove=self._remove, put_by=update, removed_by=update)

    def _candidates(self, work: Work) -> Iterator[str]:
        token = request_of(work)
        if token:
            yield from self._made_by(work, status_of(work, token))
        elif self.tagging is None:
            yield from self._made_by_token(work)
        elif known := identifier_of(work.request, self.schema):
            yield known
        else:
            for event in work.client.pages(_REQUESTS, ResourceRequestStatusFilter={"Operations": ["CREATE"]}):
                if event.get("TypeName") == self.name:
                    yield from self._made_by(work, event)

    def _made_by_token(self, work: Work) -> Iterator[str]:
        """The identifier of the thing that the request of the same client token made, or makes now: its name alone does
        not tell the maker of a thing without tags. Nothing was made for a request that was never sent."""
        if work.request.sent_at is None:
            return
        outcome = self.create(work)
        if isinstance(outcome, Pending):
            if not outcome.progress.get("request"):
                raise TransientError(outcome.message, code=outcome.code)
            yield from self._made_by(work, status_of(work, outcome.progress["request"]))
        elif outcome.physical_id is not None:
            yield str(outcome.physical_id)

    def _made_by(self, work: Work, event: JsonMap) -> Iterator[str]:
        """The identifier of the thing that a creation made. Raises TransientError while it goes on."""
        if event.get("ErrorCode") == "AlreadyExists":
            return
        if is_open(event):
            raise TransientError(
                f"AWS still carries out a creation of {self.name}; Tenuto asks again when it has ended", code="UnderWay"
            )
        if event.get("Identifier"):
            yield str(event["Identifier"])

    def _may_be(self, work: Work, item: ObservedItem) -> bool:
        """Whether an item may be the thing that the request made: where a creation writes our mark, only one that
        carries it.
        """
        return self.tagging is None or (item.owner is not None and item.owner.object_id == work.request.object_id)

    def _with_remains(self, work: Work, event: JsonMap, failure: Outcome) -> Outcome:
        """The failure of a creation, with the thing that it left standing, if that is certainly its own."""
        identifier = event.get("Identifier")
        if not isinstance(failure, Refused) or not identifier or event.get("ErrorCode") == "AlreadyExists":
            return failure
        model = work.client.about(identifier, lambda: self._model(work.client, identifier))
        if model is None:
            return failure
        owner = self._seen(identifier, model)[1].owner
        is_ours = owner is not None and owner.object_id == work.request.object_id
        if not is_ours and (self.tagging is not None or identifier_of(work.request, self.schema)):
            return failure
        return Refused(
            message=f"{failure.message.rstrip('.')}. It left {identifier}, which Tenuto keeps in its record",
            code=failure.code,
            request_id=failure.request_id,
            hint=failure.hint,
            physical_id=PhysicalId(identifier),
        )

    def _model(self, client: AccountClient, identifier: str) -> JsonMap:
        answer = client.read(SERVICE, "GetResource", TypeName=self.name, Identifier=identifier)
        try:
            model = json.loads(answer["ResourceDescription"]["Properties"])
        except (KeyError, ValueError, TypeError) as error:
            raise faults.not_of_aws(f"{SERVICE} GetResource") from error
        if not isinstance(model, dict) or not model:
            raise faults.not_of_aws(f"{SERVICE} GetResource")
        return model

    def _seen(self, identifier: str, model: JsonMap) -> Seen:
        shown = dict(properties_of(model, self.schema))
        type_name, item = seen(
            self.name,
            identifier,
            shown,
            attributes={**attributes_of(model, self.facts), **reference_in(identifier, model, self.schema)},
            tags=None if self.tagging is None else tags_in(model.get(self.tagging.property)),
        )
        return type_name, _with_own_tags(item, self.tagging, model)

    def _update(self, work: Work, token: str, patch: str) -> JsonMap:
        return work.change(
            SERVICE,
            "UpdateResource",
            TypeName=self.name,
            Identifier=work.id,
            PatchDocument=patch,
            ClientToken=token,
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
        if not request_of(work):
            model = work.client.about(work.id, lambda: self._model(work.client, work.id))
            if model is None:
                raise PermanentError(f"There is no {self.name} {work.id}.", code="ResourceNotFoundException")
            present = [_plain(one, tagging) for one in tags_in(model.get(tagging.property))]
            if is_ours_only and not are_ours(work, present):
                return done

        def send(token: str) -> JsonMap:
            kept = [one for one in change(present) if not str(one["Key"]).startswith("aws:")]
            return self._update(work, token, tag_patch(tagging, kept))

        event = carried(work, verb, send)
        if isinstance(event, Pending):
            return event
        return done if event["OperationStatus"] == "SUCCESS" else failure_of(work, event)


def _with_own_tags(item: ObservedItem, tagging: Tagging | None, model: JsonMap) -> ObservedItem:
    """The thing with its declared tags in the property and the shape of its type; the reader puts them into `Tags`.

    A tag may have more members than its key and value: whether an instance gets it, too.
    """
    if tagging is None:
        return item
    properties = {name: value for name, value in item.properties.items() if name != "Tags"}
    shown = tags_in(model.get(tagging.property))
    declared = [_plain(tag, tagging) for tag in shown if not is_reserved(str(tag["Key"]))]
    properties[tagging.property] = {tag["Key"]: tag["Value"] for tag in declared} if tagging.is_mapping else declared
    return ObservedItem(
        physical_id=item.physical_id, properties=properties, attributes=item.attributes, owner=item.owner
    )


def _plain(tag: JsonMap, tagging: Tagging) -> JsonMap:
    """A tag without the members that can only be shown."""
    return {name: value for name, value in tag.items() if name in tagging.members}


def _others(present: Sequence[JsonMap], tags: Sequence[Tag]) -> list[JsonMap]:
    keys = {tag["Key"] for tag in tags}
    return [tag for tag in present if tag["Key"] not in keys]
