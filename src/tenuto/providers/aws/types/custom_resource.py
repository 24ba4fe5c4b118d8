"""Custom resources: a function of the user makes, changes and deletes what Tenuto knows nothing of.

Theory of operation. CloudFormation's published protocol: a request of three kinds goes to the service token, a function
of Lambda or a topic of SNS; the answer comes through an address (`answers`), minutes or an hour later. Meanwhile the
phase sleeps, and the id of the request is noted with the attempt, so that a Conductor that dies goes on waiting for the
same answer. A request that got lost is sent again under the same id, as CloudFormation does; functions must bear that.

A sweep cannot see such a thing: it counts as it was answered. Its properties are compared with what was sent last. An
answer to an update with another physical id is a replacement: the old one is deleted then, by a request of its own.
"""

import json
from collections.abc import Iterator
from typing import Any

from tenuto.errors import PermanentError, ProviderError
from tenuto.kit.regions import aws_partition
from tenuto.model.ids import Json, JsonMap, PhysicalId, TypeName
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Pending, Refused, Request
from tenuto.model.resource import ResourceType, Watch
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.comparisons import WORDS
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work, by_owner
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.answers import mailbox
from tenuto.providers.aws.types.cloud_control_model import SENT, client_token, sent
from tenuto.providers.aws.types.facts import calls

NAME = "AWS::CloudFormation::CustomResource"
PREFIX = "Custom::"
EVERY = TypeName(f"{PREFIX}*")
"""The name that stands for all types of the prefix in lists."""
TOLD = "tenuto:told"
"""The attribute with the properties of the last request, for the next one; secrets are not in it."""
_TOKEN, _TIMEOUT = "ServiceToken", "ServiceTimeout"
_DEFAULT_TIMEOUT_S = 3600
_ADDRESS_S = 7200
_SHORTEST_S, _LONGEST_S = 1.0, 15.0
_LONGEST_ID = 1024


def kind_of(name: TypeName) -> AwsType | None:
    """The type of a custom resource; None for any other name."""
    if name != NAME and not (name.startswith(PREFIX) and len(name) > len(PREFIX)):
        return None
    facts = ResourceType(
        goes_in_steps=True,
        name=name,
        provider="aws",
        source=name,
        create_only=frozenset({_TOKEN}),
        required=frozenset({_TOKEN}),
        shown=frozenset(),
        # Nothing shows what was sent: the request itself must be asked for the difference.
        retelling=WORDS,
        watch=Watch.SINGLE,
        calls=calls("lambda:Invoke", "lambda:Invoke", "lambda:Invoke"),
        makes_once=True,
        bears_data=True,
    )
    return AwsType(
        facts=facts,
        source=Source(name=name, read=_reader(name), shows_all=False),
        create=_create,
        modify=_modify,
        delete=_delete,
        is_found=by_owner,
        find=_find,
    )


def _reader(name: TypeName) -> Any:
    def read(client: AccountClient, scope: Scope) -> list[Seen]:
        """Return everything that is asked for: no call shows it, so it counts as it was answered."""
        ids = scope.ids(name) if scope.names is None else scope.named(name)
        return [seen(name, one, {}) for one in ids]

    return read


def _create(work: Work) -> Outcome:
    answer = _answered(work, "Create", {})
    if isinstance(answer, Pending | Refused):
        return answer
    return Done(physical_id=_id_in(answer, str(work.request.logical_id)), attributes=_attributes(work, answer))


def _modify(work: Work) -> Outcome:
    """Ask for an update where something differs from what was sent last, then for the end of what it replaced."""
    progress = work.request.progress
    told = work.request.attributes.get(SENT)
    if progress.get("replaced_by"):
        return _end_old(work, PhysicalId(str(progress["replaced_by"])), dict(progress.get("data") or {}))
    if not progress.get("request") and told in (None, sent(work.request)):
        return Done(physical_id=work.id, attributes={SENT: sent(work.request), TOLD: _tellable(work.request)})
    old = work.request.attributes.get(TOLD) or {}
    answer = _answered(work, "Update", {"PhysicalResourceId": work.id, "OldResourceProperties": old})
    if isinstance(answer, Pending | Refused):
        return answer
    physical_id, attributes = _id_in(answer, str(work.id)), _attributes(work, answer)
    if physical_id == work.id:
        return Done(physical_id=work.id, attributes=attributes)
    note = {"request": "", "replaced_by": str(physical_id), "data": attributes, "at": work.client.clock.now()}
    return Pending(
        message=f"{physical_id} takes the place of {work.id}, which is deleted now.", delay_s=0.1, progress=note
    )


def _end_old(work: Work, physical_id: PhysicalId, attributes: JsonMap) -> Outcome:
    """Delete what an update has replaced."""
    more = {"replaced_by": str(physical_id), "data": attributes}
    answer = _answered(work, "Delete", {"PhysicalResourceId": work.id}, verb="end of the replaced", more=more)
    if isinstance(answer, Pending | Refused):
        return answer
    return Done(physical_id=physical_id, attributes=attributes)


def _delete(work: Work) -> Outcome:
    answer = _answered(work, "Delete", {"PhysicalResourceId": work.id})
    return answer if isinstance(answer, Pending | Refused) else Done(physical_id=work.id)


def _find(work: Work) -> ObservedItem | None:
    """Return what a creation made whose end is not known, as its answer says, if one has come."""
    request = str(work.request.progress.get("request") or "")
    answer = mailbox(work.client).answer(request) if request else None
    if answer is None or answer.get("Status") != "SUCCESS":
        return None
    return seen(str(work.request.type), _id_in(answer, str(work.request.logical_id)), {})[1]


def _answered(
    work: Work, kind: str, more_of_event: JsonMap, *, verb: str = "", more: JsonMap | None = None
) -> JsonMap | Pending | Refused:
    """The answer of the function to a request that is under way, or is sent now; the wait for it; or its refusal."""
    box, progress = mailbox(work.client), work.request.progress
    request, tries = str(progress.get("request") or ""), int(progress.get("tries") or 0)
    now = work.client.clock.now()
    if not request:
        box.check()
        request = client_token(work.request, verb or kind, tries)[:40]
        _send(work, _event(work, kind, request, box.address(request, _ADDRESS_S), box.account_id, more_of_event))
        return _waiting(work, request, tries, now, now, more)
    answer = box.answer(request)
    since = float(progress.get("at") or now)
    if answer is None and now - since > _timeout_s(work):
        return Refused(
            message=f"The service {_service(work)} has not answered the {kind} of {work.request.logical_id} within "
            f"{_timeout_s(work):.0f} s",
            code="ServiceTimeout",
            hint="Read the log of the function; 'tenuto retry' asks it again.",
        )
    if answer is None:
        return _waiting(work, request, tries, since, now, more)
    if answer.get("RequestId") not in (None, request):
        raise PermanentError("The answer is one to another request.", code="BadAnswer")
    if answer.get("Status") == "SUCCESS":
        return answer
    reason = str(answer.get("Reason") or "it gives no reason")[:1000]
    return Refused(
        message=f"The service {_service(work)} refuses the {kind} of {work.request.logical_id}: {reason}",
        code="CustomResourceFailed",
        hint="Correct the properties or the function; 'tenuto retry' asks it again.",
        physical_id=PhysicalId(str(answer["PhysicalResourceId"]))
        if kind == "Create" and answer.get("PhysicalResourceId")
        else None,
    )


def _waiting(work: Work, request: str, tries: int, since: float, now: float, more: JsonMap | None) -> Pending:
    passed = now - since
    return Pending(
        message=f"{_service(work)} was asked {passed:.0f} s ago, and has not answered yet.",
        delay_s=min(_LONGEST_S, max(_SHORTEST_S, passed / 10)),
        patience_s=_timeout_s(work) + 60.0,
        progress={**(more or {}), "request": request, "tries": tries, "at": since},
    )


def _send(work: Work, event: JsonMap) -> None:
    """Send the request. A service that is not there says nothing of the thing that it is to work on."""
    token, text = _service(work), json.dumps(event)
    try:
        if token.split(":")[2:3] == ["sns"]:
            work.change(
                "sns", "Publish", TopicArn=token, Message=text, Subject="AWS CloudFormation custom resource request"
            )
        else:
            work.change("lambda", "Invoke", FunctionName=token, InvocationType="Event", Payload=text.encode())
    except ProviderError as error:
        if faults.is_gone(error):
            told = f"The service {token} of {work.request.logical_id} does not exist, so it cannot be asked."
            advice = (
                "Create it, or correct the ServiceToken with 'tenuto update'."
                if event["RequestType"] == "Create"
                else "Bring it back and 'tenuto retry', or let the resource go with 'tenuto release'."
            )
            raise PermanentError(f"{told} {advice}", code="NoSuchService") from error
        raise


def _event(work: Work, kind: str, request: str, address: str, account_id: str, more: JsonMap) -> JsonMap:
    one, region = work.request, work.client.partition.region
    arn = f"arn:{aws_partition(region).name}:cloudformation:{region}:{account_id}"
    return {
        "RequestType": kind,
        "RequestId": request,
        "ResponseURL": address,
        "StackId": f"{arn}:stack/{one.process_name}/{one.fid}",
        "ResourceType": str(one.type),
        "LogicalResourceId": str(one.logical_id),
        "ResourceProperties": _texts(one.properties),
        "ServiceToken": _service(work),
        **more,
    }


def _texts(value: Json) -> Json:
    """The value with every scalar as text, as CloudFormation sends it."""
    if isinstance(value, dict):
        return {name: _texts(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_texts(one) for one in value]
    return str(value).lower() if isinstance(value, bool) else str(value)


def _service(work: Work) -> str:
    token = work.request.properties.get(_TOKEN)
    if not isinstance(token, str) or not token:
        raise PermanentError(f"{work.request.logical_id} has no ServiceToken to be sent to.", code="MissingProperty")
    return token


def _timeout_s(work: Work) -> float:
    try:
        return float(work.request.properties.get(_TIMEOUT) or _DEFAULT_TIMEOUT_S)
    except (TypeError, ValueError):
        return float(_DEFAULT_TIMEOUT_S)


def _id_in(answer: JsonMap, otherwise: str) -> PhysicalId:
    found = answer.get("PhysicalResourceId")
    return PhysicalId(str(found)[:_LONGEST_ID] if found else otherwise)


def _attributes(work: Work, answer: JsonMap) -> dict[str, Json]:
    """The data of the answer for `Fn::GetAtt`, nested ones by dots, and what is remembered."""
    data = answer.get("Data")
    found = dict(_flat(data, "")) if isinstance(data, dict) else {}
    return {**found, SENT: sent(work.request), TOLD: _tellable(work.request)}


def _flat(data: JsonMap, before: str) -> Iterator[tuple[str, Json]]:
    for name, value in data.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _tellable(request: Request) -> JsonMap:
    """The properties without those that hold a secret: attributes are stored in clear."""
    return {
        name: value
        for name, value in request.properties.items()
        if not any(secret and secret in json.dumps(value) for secret in request.secrets)
    }
