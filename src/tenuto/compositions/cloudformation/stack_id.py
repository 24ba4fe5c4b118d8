"""`AWS::StackId` where a template takes it apart: it has the parts of CloudFormation's ARN there.

Theory of operation. `AWS::StackId` is the FID of the process. Public templates know an ARN,
`arn:PARTITION:cloudformation:REGION:ACCOUNT:stack/NAME/UUID`, and cut a unique part out of it: by `Fn::Split` with a
slash or a colon. An FID has neither, so no one who means the FID splits it so; and what is split so is the ARN, whose
last part is the FID. Everywhere else the value stays what it was, since names may be made of it.
"""

from collections.abc import Mapping

from tenuto.core.language.expressions import is_list
from tenuto.model.ids import Json

_STACK_ID = {"Ref": "AWS::StackId"}
_CUTS = ("/", ":")


def with_parts(argument: Json, known: Mapping[str, Json]) -> Json:
    """The argument of `Fn::Split`, the id in it as the ARN where it is cut by a sign of the ARN.

    `known` has the pseudo parameters that the region decides.
    """
    if not is_list(argument) or len(argument) != 2 or argument[0] not in _CUTS:
        return argument
    return [argument[0], _replaced(argument[1], known)]


def _replaced(value: Json, known: Mapping[str, Json]) -> Json:
    if value == _STACK_ID:
        head = f"arn:{known['AWS::Partition']}:cloudformation:{known['AWS::Region']}:"
        parts = [head, {"Ref": "AWS::AccountId"}, ":stack/", {"Ref": "AWS::StackName"}, "/", _STACK_ID]
        return {"Fn::Join": ["", parts]}
    if isinstance(value, Mapping):
        return {name: _replaced(one, known) for name, one in value.items()}
    return [_replaced(one, known) for one in value] if is_list(value) else value
