"""Custom resources: a function of the user makes, changes and deletes things that Tenuto knows nothing of.

Theory of operation. CloudFormation's published protocol: a request of three kinds goes to the service token, a function
of Lambda or a topic of SNS; the answer comes through an address (`answers`), minutes or an hour later. Meanwhile the
phase sleeps, and the id of the request is noted with the attempt, so that a Conductor that dies goes on waiting for the
same answer. A request that got lost is sent again under the same id, as CloudFormation does; functions must bear that.

A sweep cannot see such a thing: it counts as it was answered. Its properties are compared with those that were sent
last. An answer to an update with another physical id is a replacement. As at CloudFormation, the old one is deleted by
a request of its own when everything else was changed: it is noted with the resource until then.

A creation that failed, or was not answered in its time, may have made something all the same. So it leaves a physical
id, as at CloudFormation: the one of the answer, or a placeholder. By that it is deleted, with the process or before
another creation is tried.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from tenuto.errors import PermanentError, ProviderError
from tenuto.kit.regions import aws_partition
from tenuto.kit.times import iso_text
from tenuto.model.ids import Fid, Json, JsonMap, PhysicalId, TypeName
from tenuto.model.observation import ObservedItem, Owner
from tenuto.model.outcome import Done, Outcome, Pending, Refused, Request
from tenuto.model.resource import ANSWER, REPLACED, TOLD, UNMADE, ResourceType, Watch
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.comparisons import WORDS
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work, by_owner
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.answers import MALFORMED, Mailbox, mailbox
from tenuto.providers.aws.types.cloud_control_model import SENT, client_token, sent
from tenuto.providers.aws.types.facts import calls

NAME = "AWS::CloudFormation::CustomResource"
PREFIX = "Custom::"
EVERY = TypeName(f"{PREFIX}*")
"""The name that stands for all types of the prefix in lists."""
_TOKEN, _TIMEOUT = "ServiceToken", "ServiceTimeout"
_DEFAULT_TIMEOUT_S = 3600
_ADDRESS_S = 7200
_SHORTEST_S, _LONGEST_S = 1.0, 15.0
_LONGEST_ID = 1024
_NO_ATTRIBUTE = "Correct the function, or what refers to the attribute; 'tenuto retry' asks it again."
_CORRECT_ANSWER = "Correct the code that answers; 'tenuto retry' asks it again."


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
        # Nothing shows the values that were sent: the request itself must be asked for the difference.
        retelling=WORDS,
        watch=Watch.SINGLE,
        calls=calls("lambda:Invoke", "lambda:Invoke", "lambda:Invoke"),
        makes_once=True,
        tells_its_end=True,
        tells_all=True,
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
    return answer if isinstance(answer, Pending | Refused) else _created(work, answer, work.request.progress["request"])


def _modify(work: Work) -> Outcome:
    """Ask for an update where a property differs from the value that was sent last, else for the end of a thing that an
    update has replaced."""
    progress, known = work.request.progress, work.request.attributes
    if known.get(UNMADE):
        return _make_anew(work)
    if progress.get("ends"):
        return _end_old(work, str(progress["ends"]))
    answered = mailbox(work.client).answer(str(known[ANSWER])) if known.get(ANSWER) and SENT not in known else None
    if answered is not None:
        return _created(work, answered, known[ANSWER])
    if not progress.get("request") and known.get(SENT) in (None, sent(work.request)):
        if known.get(REPLACED):
            return _end_old(work, min(known[REPLACED]))
        return Done(physical_id=work.id, attributes={SENT: sent(work.request), TOLD: _tellable(work.request)})
    old = {"PhysicalResourceId": work.id, "OldResourceProperties": _texts(_sent_before(work.request, known))}
    answer = _answered(work, "Update", old)
    if isinstance(answer, Pending | Refused):
        return answer
    made, physical_id = _made(work, answer, str(work.id)), _id_in(answer, str(work.id))
    if physical_id == work.id:
        return made
    # A function may tell the id of a thing again that was replaced before, and stands as long as it is noted.
    others = {name: one for name, one in (known.get(REPLACED) or {}).items() if name != physical_id}
    note = {name: known[name] for name in (SENT, TOLD) if name in known}
    return replace(made, attributes={**made.attributes, REPLACED: {**others, str(work.id): note}})


def _end_old(work: Work, old: str) -> Outcome:
    """Delete a thing that an update has replaced."""
    answer = _ended_old(work, old, {"ends": old})
    if isinstance(answer, Pending | Refused):
        return answer
    left = {name: one for name, one in work.request.attributes[REPLACED].items() if name != old}
    return Done(physical_id=work.id, attributes={REPLACED: left or None})


def _ended_old(work: Work, old: str, more: JsonMap) -> JsonMap | Pending | Refused:
    """The answer to the request to delete a replaced thing, with the properties that it had."""
    note = work.request.attributes[REPLACED][old]
    of_old = {"PhysicalResourceId": old, "ResourceProperties": _texts(_sent_before(work.request, note))}
    name = f"{old}, which {work.request.logical_id} has replaced"
    return _answered(work, "Delete", of_old, verb=f"end of {old}", more=more, name=name)


def _make_anew(work: Work) -> Outcome:
    """Ask for the end of the thing that a failed creation may have left, then for another creation."""
    if not work.request.progress.get("is_ended"):
        answer = _answered(work, "Delete", {"PhysicalResourceId": _standing(work)}, verb="end of the failed")
        if isinstance(answer, Pending | Refused):
            return answer
        note: JsonMap = {"request": "", "is_ended": True}
        return Pending(message=f"{work.id} is deleted; another one is asked for.", delay_s=0.1, progress=note)
    answer = _answered(work, "Create", {}, verb="another creation", more={"is_ended": True})
    return answer if isinstance(answer, Pending | Refused) else _created(work, answer, work.request.progress["request"])


def _delete(work: Work) -> Outcome:
    """Ask for the end of the thing, after those that it has replaced."""
    known = work.request.attributes
    ended = list(work.request.progress.get("ended") or ())
    for old in sorted((known.get(REPLACED) or {}).keys() - set(ended))[:1]:
        gone = _ended_old(work, old, {"ended": ended})
        if isinstance(gone, Pending | Refused):
            return gone
        note: JsonMap = {"request": "", "ended": [*ended, old]}
        return Pending(message=f"{old} is deleted; {work.id} is next.", delay_s=0.1, progress=note)
    of_it = {"PhysicalResourceId": _standing(work), "ResourceProperties": _texts(_sent_before(work.request, known))}
    answer = _answered(work, "Delete", of_it, more={"ended": ended})
    return answer if isinstance(answer, Pending | Refused) else Done(physical_id=work.id)


def _standing(work: Work) -> str:
    """The id to delete by: of a creation that was given up, the one that a late answer tells."""
    request = str(work.request.attributes.get(UNMADE) or "")
    late = _readable(mailbox(work.client), request) if request else None
    return str(_id_in(late or {}, str(work.id)))


def _find(work: Work) -> ObservedItem | None:
    """Return the thing that a creation made whose end is not known, as its answer describes it.

    It is ours, independent of its id: no other function answers our request. A creation that failed, or whose time is
    over, may have made something all the same, as at CloudFormation. A placeholder then stands for that, so that it is
    deleted.
    """
    one, progress = work.request, work.request.progress
    request = str(progress.get("request") or (_request_id(work, "Create", 0) if one.sent_at is not None else ""))
    if not request:
        return None
    answer = _readable(mailbox(work.client), request)
    since = float(progress.get("at") or one.sent_at or 0.0)
    if answer is None and work.client.clock.now() - since <= _timeout_s(work):
        return None
    is_made = answer is not None and answer.get("Status") == "SUCCESS"
    otherwise = str(one.logical_id) if is_made else _placeholder(work, request)
    return seen(
        str(one.type),
        _id_in(answer or {}, otherwise),
        {},
        attributes={ANSWER if is_made else UNMADE: request},
        owner=Owner(fid=one.fid or Fid(""), logical_id=one.logical_id, object_id=one.object_id),
    )[1]


def _readable(box: Mailbox, request: str) -> JsonMap | None:
    """The answer to a request, an empty one for one that cannot be read; None as long as there is none."""
    try:
        return box.answer(request)
    except PermanentError as error:
        if error.code != MALFORMED:
            raise
        return {}


def _placeholder(work: Work, request: str) -> str:
    """The physical id of the thing that a creation may have made without telling its id."""
    return f"{work.request.process_name}-{work.request.logical_id}-{request[:12]}"


def _request_id(work: Work, verb: str, tries: int) -> str:
    return client_token(work.request, verb, tries)[:40]


def _answered(
    work: Work, kind: str, more_of_event: JsonMap, *, verb: str = "", more: JsonMap | None = None, name: str = ""
) -> JsonMap | Pending | Refused:
    """The answer of the function to a request that is under way, or is sent now; the wait for it; or its refusal.

    `name` is the thing that the request is about, the resource without one.
    """
    box, progress = mailbox(work.client), work.request.progress
    request, tries = str(progress.get("request") or ""), int(progress.get("tries") or 0)
    now = work.client.clock.now()
    if not request:
        box.check()
        request = _request_id(work, verb or kind, tries)
        _send(work, _event(work, kind, request, box.address(request, _ADDRESS_S), box.account_id, more_of_event))
        return _waiting(work, request, tries, now, now, more)
    name, since = name or work.request.logical_id, float(progress.get("at") or now)
    try:
        answer = box.answer(request)
    except PermanentError as error:
        if error.code != MALFORMED:
            raise
        return _refused(
            work,
            kind,
            request,
            {},
            f"The service {_service(work)} was asked for the {kind} of {name}: {error}",
            MALFORMED,
        )
    if answer is None and now - since > _timeout_s(work):
        told = f"The service {_service(work)} has not answered the {kind} of {name} within {_timeout_s(work):.0f} s"
        hint = "Read the log of the function; 'tenuto retry' asks it again."
        return _refused(work, kind, request, {}, told, "ServiceTimeout", hint)
    if answer is None:
        return _waiting(work, request, tries, since, now, more)
    if answer.get("RequestId") not in (None, request):
        told = f"The service {_service(work)} answered the {kind} of {name} with the RequestId of another request"
        return _refused(work, kind, request, {}, told, MALFORMED, _CORRECT_ANSWER)
    if answer.get("Status") == "SUCCESS":
        return answer
    if answer.get("Status") != "FAILED":
        told = f"The service {_service(work)} answered the {kind} of {name} with a Status that is not SUCCESS or FAILED"
        return _refused(work, kind, request, answer, told, MALFORMED, _CORRECT_ANSWER)
    reason = str(answer.get("Reason") or "it gives no reason")[:1000]
    told = f"The service {_service(work)} refuses the {kind} of {name}: {reason}"
    hint = "Correct the properties or the function; 'tenuto retry' asks it again."
    return _refused(work, kind, request, answer, told, "CustomResourceFailed", hint)


def _refused(work: Work, kind: str, request: str, answer: JsonMap, message: str, code: str, hint: str = "") -> Refused:
    """The refusal of a request. A creation may have made something, which is recorded so that it is deleted."""
    if kind != "Create":
        return Refused(message=message, code=code, hint=hint)
    left = _id_in(answer, _placeholder(work, request))
    return Refused(message=message, code=code, hint=hint, physical_id=left, attributes={UNMADE: request})


def _waiting(work: Work, request: str, tries: int, since: float, now: float, more: JsonMap | None) -> Pending:
    passed = now - since
    return Pending(
        message=f"Tenuto waits until {iso_text(since + _timeout_s(work))} for the answer of {_service(work)}.",
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


def _created(work: Work, answer: JsonMap, request: Json) -> Done | Refused:
    """Return the outcome of a creation. One without an attribute that is asked for has to be ended before another."""
    outcome = _made(work, answer, str(work.request.logical_id))
    return outcome if isinstance(outcome, Done) else replace(outcome, attributes={UNMADE: request})


def _made(work: Work, answer: JsonMap, otherwise: str) -> Done | Refused:
    """Return the outcome of an answer of success: the id, and the data for `Fn::GetAtt`, nested ones by dots.

    Data with `NoEcho` are secrets: they are sealed as they are told, as texts. An answer without an attribute that the
    composition asks for is a failure: things that are built on it would wait for ever.
    """
    data, known = answer.get("Data"), work.request.attributes
    found = dict(_flat(data, "")) if isinstance(data, dict) else {}
    if missing := sorted(one for one in work.request.asked if not _has(one, found) and not _has(one, known)):
        told = f"The answer of {work.request.logical_id} has no attribute {' and no attribute '.join(missing)}"
        left = _id_in(answer, otherwise)
        # The record tells that nothing was sent, so that a retry asks again.
        unsent: JsonMap = {SENT: {}}
        return Refused(message=told, code="NoSuchAttribute", hint=_NO_ATTRIBUTE, physical_id=left, attributes=unsent)
    noted = {SENT: sent(work.request), TOLD: _tellable(work.request)}
    cleared = {name: None for name in (ANSWER, UNMADE) if name in known}
    is_secret = str(answer.get("NoEcho")).lower() == "true"
    return Done(
        physical_id=_id_in(answer, otherwise),
        attributes={**({} if is_secret else found), **noted, **cleared},
        told_once={name: _text(value) for name, value in found.items()} if is_secret else {},
    )


def _has(name: str, attributes: JsonMap) -> bool:
    """Whether an attribute is there, under its whole name or as the member of another one."""
    return name in attributes or name.partition(".")[0] in attributes


def _text(value: Json) -> str:
    return json.dumps(value) if isinstance(value, list | dict) else str(_texts(value))


def _flat(data: JsonMap, before: str) -> Iterator[tuple[str, Json]]:
    for name, value in data.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _sent_before(request: Request, noted: JsonMap) -> JsonMap:
    """The properties of the last request that succeeded, as they were noted with it.

    Of those that hold a secret no value is kept: one that is still declared as it was sent is told, and no other.
    """
    told = noted.get(TOLD)
    if not isinstance(told, Mapping):
        return request.properties
    known, now = noted.get(SENT) or {}, sent(request)
    same = {name: value for name, value in request.properties.items() if known.get(name) == now[name]}
    return {**told, **same}


def _tellable(request: Request) -> JsonMap:
    """The properties for the next request, without those that hold a secret: attributes are stored in clear."""
    return {
        name: value
        for name, value in request.properties.items()
        if not any(secret and secret in json.dumps(value) for secret in request.secrets)
    }
