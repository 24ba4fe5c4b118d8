"""The spellings of a Lambda function in the properties of other things, and the calls about Lambda's tags."""

import re

from tenuto.model.ids import Json
from tenuto.model.naming import Naming
from tenuto.providers.aws.types.tag_calls import TagCalls

_BEFORE_NAME = re.compile(r"^(arn:[\w-]+:lambda:[\w-]*:\d*|\d{12}):function:")
"""The part before the name in an ARN, and in one that leaves out the parts that all functions of an account share."""
_HEAD = r"(?P<where>arn:[\w-]+:lambda:[\w-]*:\d*):function:"

FUNCTION = Naming(thing="Lambda function", qualified=rf"{_HEAD}(?P<name>[\w-]+)")
"""The naming by name or ARN. Lambda shows the ARN, or takes it apart, for both."""
QUALIFIED_FUNCTION = Naming(thing="Lambda function", qualified=rf"{_HEAD}(?P<name>[\w-]+(?::[\w$-]+)?)")
"""The same, where a version or an alias may follow after a colon."""

LAYER = Naming(thing="Lambda layer", qualified=r"(?P<where>arn:[\w-]+:lambda:[\w-]*:\d*):layer:(?P<name>[\w-]+)")


def name_of(arn: Json) -> str:
    """The name of the function in its ARN, or in that of a version or an alias."""
    text = str(arn)
    return text.split(":")[6] if text.startswith("arn:") and text.count(":") >= 6 else text


def function_of(function: str) -> dict[str, Json]:
    """A function, or one of its versions or aliases, in a call that takes the two apart."""
    name, _, qualifier = _BEFORE_NAME.sub("", function).partition(":")
    return {"FunctionName": name, **({"Qualifier": qualifier} if qualifier else {})}


def lambda_tags(arn: str) -> TagCalls:
    """The tags of Lambda, which knows things by their ARNs; `arn` is where an answer shows it."""
    return TagCalls(
        service="lambda",
        list_call="ListTags",
        id_name="Resource",
        is_mapping=True,
        named=lambda _, shown: shown[arn],
    )
