"""AWS::CloudFormation::WaitConditionHandle and …WaitCondition: a process waits for a signal of a thing that it made.

Theory of operation. `Ref` of a handle is an address that takes a PUT without credentials, for the user data of a
machine to signal to (`answers`). The condition is made when enough signals of success have come, and refused by one of
failure or when its time is over. A signal that has refused it once is read no more: the next try waits for others. Both
are records: no call shows them, and their deletion deletes nothing.
"""

import json
from collections.abc import Callable
from urllib.parse import urlsplit

from tenuto.errors import PermanentError
from tenuto.kit.times import iso_text
from tenuto.model.ids import JsonMap, PhysicalId, TypeName
from tenuto.model.outcome import Done, Outcome, Pending, Refused
from tenuto.model.resource import ResourceType, Watch
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work, by_owner
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.answers import mailbox

HANDLE = TypeName("AWS::CloudFormation::WaitConditionHandle")
CONDITION = TypeName("AWS::CloudFormation::WaitCondition")
_ADDRESS_S = 43_200
"""The longest time that a condition may wait."""
_URL = "Ref"
"""The attribute that `Ref` gives in place of the physical id."""
_READ = "tenuto:read"
"""The attribute with the signals of failure that the condition was refused by."""
_POLL_S = 5.0


def _make_handle(work: Work) -> Outcome:
    box = mailbox(work.client)
    box.check()
    key = f"signals-{work.request.object_id}"
    return Done(physical_id=PhysicalId(key), attributes={_URL: box.address(key, _ADDRESS_S)})


def _wait(work: Work) -> Outcome:
    """Count the signals to the handle. A signal comes before the condition is asked for, too."""
    handle = work.want("Handle")
    if handle is None:
        told = (
            f"{work.request.logical_id} has no Handle, so no signal can reach it: those of a CreationPolicy go to "
            "CloudFormation. Declare an AWS::CloudFormation::WaitConditionHandle, refer to it as Handle, and send the "
            "signal to its address."
        )
        raise PermanentError(told, code="MissingProperty")
    key = urlsplit(str(handle)).path.rpartition("/")[2]
    if not key.startswith("signals-"):
        raise PermanentError("Handle is no address of a WaitConditionHandle of Tenuto.", code="InvalidProperty")
    now, since = work.client.clock.now(), float(work.request.progress.get("at") or work.client.clock.now())
    wanted, limit = int(work.want("Count") or 1), float(work.want("Timeout") or _ADDRESS_S)
    read = work.request.attributes.get(_READ) or []
    sent = {mark: one for mark, one in mailbox(work.client).answers(key).items() if mark not in read}
    signals = {str(one.get("UniqueId")): one for one in sent.values()}
    failed = next((one for one in signals.values() if _is_failure(one)), None)
    if failed is not None:
        reason = str(failed.get("Reason") or "it gives no reason")[:1000]
        failures = [mark for mark, one in sent.items() if _is_failure(one)]
        return Refused(
            message=f"A signal to {work.request.logical_id} says {failed.get('Status')}: {reason}",
            code="WaitConditionFailed",
            hint="Correct what sends the signal; 'tenuto retry' waits for another one.",
            attributes={_READ: [*read, *failures]},
        )
    if len(signals) >= wanted:
        data = json.dumps({name: str(one.get("Data", "")) for name, one in signals.items()}, sort_keys=True)
        return Done(physical_id=PhysicalId(f"condition-{work.request.object_id}"), attributes={"Data": data})
    if now - since > limit:
        return Refused(
            message=f"{work.request.logical_id} has got {len(signals)} of {wanted} signals within {limit:.0f} s",
            code="WaitConditionTimeout",
            hint="Read the log of the machine that should signal; 'tenuto retry' waits again.",
        )
    return Pending(
        message=f"{len(signals)} of {wanted} signals have come; Tenuto waits for more until {iso_text(since + limit)}.",
        delay_s=_POLL_S,
        patience_s=limit + 60.0,
        progress={"at": since},
    )


def _is_failure(signal: JsonMap) -> bool:
    return str(signal.get("Status")).upper() not in ("SUCCESS", "")


def _end(work: Work) -> Outcome:
    return Done(physical_id=work.id)


def _kind(
    name: TypeName, properties: frozenset[str], attribute: str, ref: str, create: Callable[[Work], Outcome]
) -> AwsType:
    def read(client: AccountClient, scope: Scope) -> list[Seen]:
        """Return everything that is asked for: it is a record, and counts as it was made."""
        ids = scope.ids(name) if scope.names is None else scope.named(name)
        return [seen(name, one, {}) for one in ids]

    return AwsType(
        facts=ResourceType(
            name=name,
            provider="aws",
            source=name,
            create_only=properties,
            write_only=properties,
            attributes=frozenset({attribute, "Id"}),
            ref_attribute=ref,
            watch=Watch.SINGLE,
            makes_once=True,
            mutable=False,
        ),
        source=Source(name=name, read=read, shows_all=False),
        create=create,
        delete=_end,
        is_found=by_owner,
        find=lambda work: None,
    )


TYPES = (
    _kind(HANDLE, frozenset(), _URL, _URL, _make_handle),
    _kind(CONDITION, frozenset({"Handle", "Timeout", "Count"}), "Data", "", _wait),
)
