"""AWS::Serverless::Application: an application of the Serverless Application Repository. Its Ref is its stack's ARN.

Theory of operation. The repository makes a stack of CloudFormation of an application, with a change set in it that
waits to be carried out; a change is another change set of the same stack. So the thing is a stack. A sweep sees whether
it works, and its outputs. The things in it are CloudFormation's, and so are its parameters, of which secret ones show
as stars: they are compared with those that were sent last.

The name of the stack follows from the request. A call that is repeated makes no second stack, and the stack that a lost
call made is found by its name. It carries no mark of ours: CloudFormation writes the tags of a stack on everything in
it, which would look as if Tenuto had made that.
"""

from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap, PhysicalId
from tenuto.model.observation import Condition, ObservedItem
from tenuto.model.outcome import Done, Outcome, Pending, Refused, Request
from tenuto.model.resource import Comparison, ResourceType, Watch
from tenuto.model.serverless_application import APPLICATION
from tenuto.model.stack import UNMADE
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.names import generated_name
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.cloud_control_model import SENT, client_token, is_sent_anew, sent
from tenuto.providers.aws.types.facts import calls
from tenuto.providers.aws.types.formation import (
    CLOUDFORMATION,
    is_missing,
    is_standing,
    pages_of,
    stack_of,
    standing_stack,
)

_REPOSITORY, _ORDER = "serverlessrepo", "CreateCloudFormationChangeSet"
_BEGINNING = "serverlessrepo-"
"""The beginning of the names of the repository's stacks, and of the tags that it writes on them."""
_LONGEST = 128 - len(_BEGINNING)
_LOCATION, _PARAMETERS, _TAGS = "Location", "Parameters", "Tags"
_TOLD, _MINUTES = "NotificationARNs", "TimeoutInMinutes"
_CAPABILITIES = ["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND", "CAPABILITY_RESOURCE_POLICY"]
"""All that a template may ask to be agreed to: a user who declares an application has agreed."""
_WORKS = frozenset(
    {"CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "IMPORT_COMPLETE", "IMPORT_ROLLBACK_COMPLETE"}
)
_DONE = _WORKS - {"UPDATE_ROLLBACK_COMPLETE"}
_NOT_MADE = frozenset({"CREATE_FAILED", "DELETE_IN_PROGRESS", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED"})
"""The words for a stack whose creation has failed, and for one that is being deleted."""
_BEGUN = ("EXECUTE_IN_PROGRESS", "EXECUTE_COMPLETE", "EXECUTE_FAILED")
"""The words for a change set that was carried out, or is."""
_NO_CHANGE = ("contain changes", "No updates are to be performed")
"""Parts of the reasons by which CloudFormation says that a change set changes nothing."""
_MOVES = "_IN_PROGRESS"
_AGAIN_S = 5.0


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    asked = scope.ids(APPLICATION) if scope.names is None else scope.named(APPLICATION)
    found = client.each_there(lambda one: standing_stack(client, one), [str(one) for one in asked])
    return [_seen(stack) for stack in found.values() if stack is not None]


def _seen(stack: JsonMap) -> Seen:
    tags = {one["Key"]: one.get("Value", "") for one in stack.get("Tags") or ()}
    return seen(
        APPLICATION,
        stack["StackId"],
        {
            _TAGS: {key: value for key, value in tags.items() if not key.startswith((_BEGINNING[:-1], "aws:"))},
            _TOLD: list(stack.get("NotificationARNs") or ()),
        },
        attributes=_outputs(stack),
        condition=_condition(stack["StackStatus"]),
        message=str(stack.get("StackStatusReason") or ""),
    )


def _outputs(stack: JsonMap) -> dict[str, Json]:
    return {f"Outputs.{one['OutputKey']}": one.get("OutputValue", "") for one in stack.get("Outputs") or ()}


def _condition(status: str) -> Condition:
    if status.startswith("DELETE") and status.endswith(_MOVES):
        return Condition.GOING
    if status.endswith(_MOVES):
        return Condition.PENDING
    return Condition.READY if status in _WORKS else Condition.BROKEN


def _name(request: Request) -> str:
    return f"{_BEGINNING}{generated_name(request, _LONGEST)}"


def _order(work: Work, stack_name: str) -> JsonMap:
    """Order a change set: with the stack, where there is none of the name."""
    location = work.need(_LOCATION)
    wanted: JsonMap = work.want(_PARAMETERS) or {}
    version, topics, tags = location.get("SemanticVersion"), work.want(_TOLD), work.want(_TAGS) or {}
    return work.change(
        _REPOSITORY,
        _ORDER,
        ApplicationId=str(location["ApplicationId"]),
        StackName=stack_name.removeprefix(_BEGINNING),
        Capabilities=_CAPABILITIES,
        ParameterOverrides=[{"Name": name, "Value": _text(value)} for name, value in wanted.items()],
        Tags=[{"Key": key, "Value": _text(value)} for key, value in tags.items()],
        ClientToken=client_token(work.request, f"after {work.request.progress.get('change')}", 0),
        **({"SemanticVersion": str(version)} if version else {}),
        **({"NotificationArns": topics} if topics else {}),
    )


def _text(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _create(work: Work) -> Outcome:
    """Make the stack, and the things that are to be in it."""
    noted = str(work.request.progress.get("stack") or "")
    stack = standing_stack(work.client, noted) if noted else None
    if stack is not None:
        return _carried_out(work, stack)
    if work.request.progress.get("carried_out"):
        raise PermanentError(f"There is no stack {noted} any more.", code="ResourceNotFoundException")
    left = standing_stack(work.client, _name(work.request))
    if left is not None and left["StackStatus"] in _NOT_MADE:
        return _delete_left(work, left)
    answer = _order(work, _name(work.request))
    about = {"stack": answer["StackId"], "change": answer["ChangeSetId"]}
    return _waiting(work, f"the change set of {work.request.logical_id} is being made", about)


def _delete_left(work: Work, left: JsonMap) -> Outcome:
    """Delete the stack that a failed creation has left: it takes no change, and its name is that of the next one."""
    if not _moves(left):
        work.change(CLOUDFORMATION, "DeleteStack", StackName=left["StackId"])
    return _waiting(work, f"{left['StackName']}, which could not be made, is deleted first")


def _modify(work: Work) -> Outcome:
    """Have a change set carried out, if something differs."""
    stack = standing_stack(work.client, work.id)
    if stack is None:
        raise PermanentError(f"There is no stack {work.id} any more.", code="ResourceNotFoundException")
    if work.request.progress.get("change"):
        return _carried_out(work, stack)
    if _moves(stack):
        return _waiting(work, _called(stack))
    if stack["StackStatus"] not in _WORKS:
        return _failed(work, stack)
    return _ordered(work, stack) if _is_due(work) else _done(work, stack)


def _moves(stack: JsonMap) -> bool:
    return str(stack["StackStatus"]).endswith(_MOVES)


def _called(stack: JsonMap) -> str:
    return f"{stack['StackName']} is {stack['StackStatus']}"


def _is_due(work: Work) -> bool:
    return any(is_sent_anew(work.request, one) for one in (_LOCATION, _PARAMETERS)) or any(
        work.differs(one) for one in (_TAGS, _TOLD)
    )


def _ordered(work: Work, stack: JsonMap) -> Outcome:
    """Order a change of the stack. For one that the repository has not made, such as one that was adopted, it would
    make another stack."""
    if not str(stack["StackName"]).startswith(_BEGINNING):
        told = f"The stack {stack['StackName']} was not made by the repository, which can change its own stacks alone"
        return _refused(told, PhysicalId(stack["StackId"]))
    noted = {"stack": stack["StackId"], "change": _order(work, stack["StackName"])["ChangeSetId"]}
    return _waiting(work, f"a change set of {stack['StackName']} is being made", noted)


def _carried_out(work: Work, stack: JsonMap) -> Outcome:
    """Have the noted change set carried out as soon as it is made, and wait for its result. One that is there no more,
    or that others have overtaken, is ordered again."""
    noted = dict(work.request.progress)
    about = _change_set(work.client, str(noted["change"]))
    execution = about.get("ExecutionStatus")
    if noted.get("carried_out") or execution in _BEGUN:
        return _outcome(work, stack, execution)
    if about.get("Status") is None or execution == "OBSOLETE":
        return _ordered(work, stack)
    reason = str(about.get("StatusReason") or "it gives no reason")
    if about["Status"] == "FAILED" and any(one in reason for one in _NO_CHANGE):
        return _done(work, stack)
    if about["Status"] == "FAILED":
        told = f"CloudFormation refuses the change set of {work.request.logical_id}: {reason[:1000]}"
        return _refused(told, PhysicalId(stack["StackId"]))
    if execution != "AVAILABLE":
        return _waiting(work, f"a change set of {stack['StackName']} is being made", noted)
    work.change(CLOUDFORMATION, "ExecuteChangeSet", ChangeSetName=str(noted["change"]))
    return _waiting(work, f"{stack['StackName']} is being changed", {**noted, "carried_out": True})


def _change_set(client: AccountClient, change: str) -> JsonMap:
    """The description of a change set; an empty one where it is there no more."""
    try:
        return client.read(CLOUDFORMATION, "DescribeChangeSet", ChangeSetName=change)
    except PermanentError as error:
        if is_missing(error):
            return {}
        raise


def _outcome(work: Work, stack: JsonMap, execution: str | None) -> Outcome:
    """The outcome of a change set that is carried out. A stack shows its change a moment later."""
    if _moves(stack) or execution in ("AVAILABLE", "EXECUTE_IN_PROGRESS"):
        return _waiting(work, _called(stack))
    return _done(work, stack) if stack["StackStatus"] in _DONE else _failed(work, stack)


def _done(work: Work, stack: JsonMap) -> Done:
    return Done(physical_id=PhysicalId(stack["StackId"]), attributes={**_outputs(stack), SENT: sent(work.request)})


def _waiting(work: Work, message: str, progress: JsonMap | None = None) -> Pending:
    minutes = work.want(_MINUTES)
    return Pending(
        message=f"{message}.",
        delay_s=_AGAIN_S,
        patience_s=60.0 * float(minutes) if minutes else None,
        progress=progress or {},
    )


def _failed(work: Work, stack: JsonMap) -> Refused:
    told = f"The application {work.request.logical_id} is not as it should be: {_called(stack)}"
    return _refused(f"{told}: {_reason(work.client, stack)}", PhysicalId(stack["StackId"]))


def _refused(message: str, stack_id: PhysicalId) -> Refused:
    return Refused(
        message=message.rstrip("."),
        code="ApplicationFailed",
        hint="Correct the parameters or the version of the application; 'tenuto retry' tries again.",
        physical_id=stack_id,
    )


def _reason(client: AccountClient, stack: JsonMap) -> str:
    """The reason of the first failure since the last command to the stack."""
    found = str(stack.get("StackStatusReason") or "it gives no reason")
    for event in pages_of(client, "DescribeStackEvents", "StackEvents", StackName=stack["StackId"]):
        reason = str(event.get("ResourceStatusReason") or "")
        if str(event.get("ResourceStatus")).endswith("_FAILED") and reason:
            found = f"{event.get('LogicalResourceId')}: {reason}"
        if reason == "User Initiated":
            break
    return found[:1000]


def _delete(work: Work) -> Outcome:
    """Delete the stack, and wait until CloudFormation has deleted everything in it."""
    stack = stack_of(work.client, work.id)
    if stack is None or not is_standing(stack):
        return Done(physical_id=work.id, was_absent=stack is None)
    status = stack["StackStatus"]
    if status.startswith("UPDATE") and _moves(stack):
        return _waiting(work, f"{_called(stack)}, and takes no deletion yet")
    if status == "DELETE_FAILED" and work.request.progress.get("ends"):
        return _failed(work, stack)
    if not status.startswith("DELETE") or status == "DELETE_FAILED":
        work.change(CLOUDFORMATION, "DeleteStack", StackName=work.id)
    return _waiting(work, f"{stack['StackName']} is being deleted", {"ends": True})


def _find(work: Work) -> ObservedItem | None:
    """Return the stack with the name that the request has given it. One in which nothing was made yet is of no use,
    since the change set that is to be carried out is not known any more: it is deleted."""
    stack = standing_stack(work.client, _name(work.request))
    if stack is None:
        return None
    if stack["StackStatus"] == UNMADE:
        work.change(CLOUDFORMATION, "DeleteStack", StackName=stack["StackId"])
        return None
    return _seen(stack)[1]


_CHANGED = f"{_REPOSITORY}:{_ORDER} {CLOUDFORMATION}:ExecuteChangeSet"
SOURCE = Source(name=str(APPLICATION), read=_read, shows_all=False)
TYPES = (
    AwsType(
        facts=ResourceType(
            name=APPLICATION,
            provider="aws",
            source=SOURCE.name,
            watch=Watch.SINGLE,
            required=frozenset({_LOCATION}),
            write_only=frozenset({_LOCATION, _PARAMETERS, _MINUTES}),
            defaults={_TAGS: {}, _TOLD: []},
            compare_as={_TAGS: Comparison.KEYED, _TOLD: Comparison.SET},
            calls=calls(f"{_REPOSITORY}:{_ORDER}", f"{CLOUDFORMATION}:DeleteStack", modify=_CHANGED),
            makes_once=True,
            tells_all=True,
            is_marked=False,
            shows_duplicates=False,
            bears_data=True,
            goes_in_steps=True,
        ),
        source=SOURCE,
        create=_create,
        modify=_modify,
        delete=_delete,
        is_found=lambda request, item: f"/{_name(request)}/" in item.physical_id,
        find=_find,
    ),
)
