"""AWS::Lambda::Version: the code and the settings of a function as they are at one moment. Its Ref is its ARN.

The publication and the search are code: Lambda publishes unchanged code once, and answers a second request with the
version that is there. Only a version with the mark of the request is its own (`lambda_marks`). The deletion is code
since the call that deletes a version deletes the whole function where it is not told a version.
"""

from dataclasses import replace

from tenuto.errors import BugError, PermanentError
from tenuto.model.ids import Json, JsonMap, PhysicalId, TypeName
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.kind import Scope, Work
from tenuto.providers.aws.types.lambda_marks import Marked, is_marked, maker_of
from tenuto.providers.aws.types.lambda_names import FUNCTION, name_of
from tenuto.providers.aws.types.lambda_provisioned import PROVISIONED, Provisioned

_NAME = TypeName("AWS::Lambda::Version")
_LATEST = "$LATEST"
_VERSIONS = Listed(operation="ListVersionsByFunction", id="FunctionArn", size=50).paging("lambda")


def _published(member: Json) -> Json:
    """The ARN of a version that was published; None for the function as it is now."""
    return None if member.get("Version") == _LATEST else member["FunctionArn"]


def _function_and_version(physical_id: str) -> tuple[str, str]:
    function, _, version = physical_id.rpartition(":")
    return function, version


def _named(physical_id: str) -> tuple[str, str]:
    function, version = _function_and_version(physical_id)
    return name_of(function), version


_PROVISIONED = Provisioned(about=_named)


def _publish(work: Work) -> Outcome:
    given = {"FunctionName": work.need("FunctionName"), **work.given("CodeSha256"), **Marked().at_birth(work)}
    answer = work.change("lambda", "PublishVersion", **given)
    if not is_marked(work.request, answer.get("Description")):
        raise PermanentError(_published_before(work, answer), code="AlreadyPublished")
    made = str(answer["FunctionArn"])
    return Done(physical_id=PhysicalId(made), attributes={"FunctionArn": made, "Version": answer["Version"]})


def _published_before(work: Work, answer: JsonMap) -> str:
    """The message about a version that was there before, with advice: CloudFormation refuses it as well."""
    one = work.request.logical_id
    maker = maker_of(answer.get("Description"))
    whose = f"Tenuto made it for another resource ({maker})" if maker else "Tenuto did not make it"
    renamed = f"If {one} is a new name of that resource, keep the former name; or" if maker else "To have a version,"
    return (
        f"Lambda publishes unchanged code once, and version {answer.get('Version')} of "
        f"{name_of(work.need('FunctionName'))} has this code already. {whose}, so it cannot become {one}. {renamed} "
        "change the code or the settings of the function in the same update. To use that very version, declare its "
        f"ARN in place of {one}."
    )


def _find(work: Work) -> ObservedItem | None:
    """The version with the mark of the request, among those of its function."""
    name = name_of(work.need("FunctionName"))
    marked = [
        str(one["FunctionArn"])
        for one in work.client.pages(_VERSIONS, FunctionName=name)
        if _published(one) and is_marked(work.request, one.get("Description"))
    ]
    scope = Scope(names={_NAME: frozenset(marked)})
    found = _BLOCK.source.read(work.client, scope) if marked else []
    return next((item for _, item in found if not item.is_ending), None)


def _delete(work: Work) -> Outcome:
    function, version = _function_and_version(work.id)
    if not version.isdecimal():
        raise BugError(f"{work.id} names no version: the whole function would be deleted")
    if work.want(PROVISIONED):
        _PROVISIONED.drop(work, "lambda")
    work.change("lambda", "DeleteFunction", FunctionName=function, Qualifier=version)
    return Done(physical_id=work.id)


_BLOCK = block(
    _NAME,
    "lambda",
    key="FunctionName",
    listed=Listed(operation="ListFunctions", id=_published, size=50, fixed={"FunctionVersion": "ALL"}),
    # The list does not tell the state.
    described=Described(call=Call("GetFunctionConfiguration"), anew=True),
    create="PublishVersion",
    made="FunctionArn",
    parts=(Marked(), _PROVISIONED),
    delete="DeleteFunction",
    recovers=True,
    state=State(at="State", pending="Pending", going="Deleting", broken="Failed", reason="StateReason"),
    refused={
        "RuntimePolicy": "No emulator serves the runtimes of versions, so nothing shows that it would be held. "
        "Take it out, and set it with `aws lambda put-runtime-management-config --qualifier …` after the run.",
        "FunctionScalingConfig": "Only functions on managed instances have it, and how CloudFormation sends it is not "
        "documented. Take it out, and set it with `aws lambda put-function-scaling-config` after the run; Tenuto "
        "leaves it as it is.",
    },
    # The calls change it, though the schema replaces a version for it, which Lambda refuses for unchanged code.
    in_place=PROVISIONED,
    defaults={PROVISIONED: {}},
    compare_as={"FunctionName": FUNCTION},
)
# Functions come from the same call, with another parameter: to a sweep these are two lists.
_SOURCE = replace(_BLOCK.source, name=f"{_BLOCK.source.name} with versions")
VERSION = replace(
    _BLOCK,
    facts=replace(_BLOCK.facts, source=_SOURCE.name),
    source=_SOURCE,
    create=_publish,
    delete=_delete,
    find=_find,
)
TYPES = (VERSION,)
