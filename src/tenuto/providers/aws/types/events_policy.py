"""AWS::Events::EventBusPolicy: one statement of the policy of an event bus. Its Ref is the id of the statement.

A statement can be declared whole, or by the caller, the action and a condition, which EventBridge makes a statement of.
A whole one is put by writing the policy of the bus again, with all that others have in it. Where two are written at
once one may be lost: each is read again afterwards, and put once more.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tenuto.errors import TakenError, TransientError
from tenuto.model.ids import Json, JsonMap, PhysicalId
from tenuto.model.outcome import Done, Outcome
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described
from tenuto.providers.aws.blocks.ids import ID
from tenuto.providers.aws.blocks.wire import parsed
from tenuto.providers.aws.client.answers import codes, faults
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.cloud_control_model import SENT, is_sent_anew
from tenuto.providers.aws.types.cloud_control_model import sent as digests

_BUS, _ID, _WHOLE = "EventBusName", "StatementId", "Statement"
_PARTS = ("Action", "Condition", "Principal")
_DEFAULT = "default"
_VERSION = "2012-10-17"


def _statements(answer: JsonMap) -> Sequence[JsonMap]:
    """The statements in the policy of a bus."""
    policy = parsed(answer.get("Policy") or "{}")
    found = policy.get("Statement") or []
    return [found] if isinstance(found, Mapping) else list(found)


def _statement(shown: JsonMap) -> Json:
    return {name: value for name, value in shown.items() if name != "Sid"}


_POLICY = block(
    "AWS::Events::EventBusPolicy",
    "events",
    key=f"{_BUS} {_ID}",
    implied={_BUS: _DEFAULT},
    described=Described(call=Call("DescribeEventBus", key="Name -"), at=_statements, gone_at="@", chosen_by="Sid"),
    create="PutPermission",
    modify={"PutPermission": "Action Condition Principal Statement"},
    delete="RemovePermission",
    shown={_WHOLE: _statement},
    attributes={"Ref": "Sid"},
    compare_as={_WHOLE: POLICY},
    exclusive=[(_BUS, _ID)],
)


def _create(work: Work) -> Outcome:
    """Create the statement. PutPermission replaces one of the same id, so whether there is one is asked before."""
    bus, sid = str(work.want(_BUS) or _DEFAULT), work.need(_ID)
    shown = faults.unless_gone(lambda: work.read("events", "DescribeEventBus", Name=bus))
    if any(one.get("Sid") == sid for one in _statements(shown or {})):
        raise TakenError(f"The policy of {bus} has a statement {sid} already.")
    return _put(work)


def _put(work: Work) -> Outcome:
    """Put the statement in place of any that stands under its id."""
    bus, sid = str(work.want(_BUS) or _DEFAULT), str(work.need(_ID))
    if work.want(_WHOLE) is None:
        given = {"Action": "events:PutEvents", **work.given(*_PARTS)}
        work.change("events", "PutPermission", EventBusName=bus, StatementId=sid, **given)
    else:
        others = [
            one for one in _statements(work.read("events", "DescribeEventBus", Name=bus)) if one.get("Sid") != sid
        ]
        wanted = {**parsed(work.want(_WHOLE)), "Sid": sid}
        text = json.dumps({"Version": _VERSION, "Statement": [*others, wanted]})
        work.change("events", "PutPermission", EventBusName=bus, Policy=text)
        now = {one.get("Sid") for one in _statements(work.read("events", "DescribeEventBus", Name=bus))}
        if sid not in now or any(one.get("Sid") not in now for one in others):
            raise TransientError(f"The policy of {bus} was written by two at once.", code=codes.CLASH)
    return Done(physical_id=PhysicalId(ID.join((bus, sid))), attributes={SENT: digests(work.request)})


def _change(work: Work) -> Outcome:
    """Put the statement again when it is not as declared, or when a part that is never shown was sent otherwise."""
    if work.differs(_WHOLE) or any(is_sent_anew(work.request, name) for name in _PARTS):
        return _put(work)
    return Done(physical_id=work.id, attributes={SENT: digests(work.request)})


TYPES = (replace(_POLICY, create=_create, modify=_change),)
