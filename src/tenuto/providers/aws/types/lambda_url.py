"""AWS::Lambda::Url: the address of a function, or of one of its aliases. Its Ref is the ARN of that one.

An alias is declared in the ARN of the target (as SAM does) or beside it. A physical id holds both as they are declared,
and each call is given a plain name and a qualifier. The id also tells how the target was spelled, which no answer does.
"""

from dataclasses import dataclass, replace

from tenuto.model.ids import Json, JsonMap, PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Request
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described
from tenuto.providers.aws.blocks.ids import ID
from tenuto.providers.aws.blocks.wire import sent
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Scope, Seen, Work
from tenuto.providers.aws.types.lambda_names import QUALIFIED_FUNCTION, function_of

_TARGET, _QUALIFIER = "TargetFunctionArn", "Qualifier"
_CREATE = "CreateFunctionUrlConfig"
_SETTINGS = ("AuthType", "Cors", "InvokeMode")


@dataclass(frozen=True, slots=True)
class _OfTarget(Call):
    """A call about the URL of a function, or of an alias."""

    def about(self, words: str, physical_id: str) -> dict[str, Json]:
        target, _, alias = physical_id.partition(ID)
        return {**function_of(target), **({_QUALIFIER: alias} if alias else {})}


_URL = block(
    "AWS::Lambda::Url",
    "lambda",
    key="FunctionName",
    described=Described(call=_OfTarget("GetFunctionUrlConfig")),
    create=_CREATE,
    attributes={"Ref": "FunctionArn"},
    modify={_OfTarget("UpdateFunctionUrlConfig"): " ".join(_SETTINGS)},
    delete=_OfTarget("DeleteFunctionUrlConfig"),
    defaults={"Cors": {}, "InvokeMode": "BUFFERED"},
    exclusive=[(_TARGET, f"{_QUALIFIER}?")],
    compare_as={_TARGET: QUALIFIED_FUNCTION},
)


def _id_of(request: Request) -> str:
    target, alias = request.properties[_TARGET], request.properties.get(_QUALIFIER)
    return f"{target}{ID}{alias}" if alias else str(target)


def _create(work: Work) -> Outcome:
    one = _id_of(work.request)
    about = _OfTarget(_CREATE).about("", one)
    given = sent(work.client.input_of("lambda", _CREATE), work.given(*_SETTINGS), {})
    work.change("lambda", _CREATE, **about, **given)
    return Done(physical_id=PhysicalId(one))


def _is_it(request: Request, item: ObservedItem) -> bool:
    return item.physical_id == _id_of(request)


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    """The URLs, each with the target that its id names: an answer does not tell how an alias was declared."""
    return [(name, replace(item, properties=_targeted(item))) for name, item in _URL.source.read(client, scope)]


def _targeted(item: ObservedItem) -> JsonMap:
    target, _, alias = str(item.physical_id).partition(ID)
    return {**item.properties, _TARGET: target, **({_QUALIFIER: alias} if alias else {})}


SOURCE = replace(_URL.source, read=_read)
URL = replace(_URL, source=SOURCE, create=_create, is_found=_is_it, find_name=_id_of)
TYPES = (URL,)
