"""Questions to CloudFormation about its stacks."""

from collections.abc import Iterator
from typing import Any

from tenuto.errors import PermanentError
from tenuto.model.ids import JsonMap
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.answers.answers import only
from tenuto.providers.aws.client.client import AccountClient

CLOUDFORMATION = "cloudformation"
_DELETED = "DELETE_COMPLETE"


def stack_of(client: AccountClient, name: str) -> JsonMap | None:
    """The description of the stack with this name or ARN; None where there is none. One that is deleted shows by its
    ARN alone."""
    try:
        found: JsonMap = only(client.read(CLOUDFORMATION, "DescribeStacks", StackName=name), "Stacks")
    except PermanentError as error:
        if is_missing(error):
            return None
        raise
    return found


def is_standing(stack: JsonMap) -> bool:
    """Whether the stack of a description was not deleted."""
    return bool(stack["StackStatus"] != _DELETED)


def standing_stack(client: AccountClient, name: str) -> JsonMap | None:
    """The description of the stack with this name or ARN; None where there is none any more."""
    found = stack_of(client, name)
    return found if found is not None and is_standing(found) else None


def pages_of(client: AccountClient, operation: str, members: str, **asked: str) -> Iterator[Any]:
    """The members of all pages of an answer."""
    token: str | None = None
    while True:
        page = client.read(CLOUDFORMATION, operation, **asked, **({"NextToken": token} if token else {}))
        yield from page.get(members) or ()
        token = page.get("NextToken")
        if not token:
            return


def is_missing(error: PermanentError) -> bool:
    """Whether CloudFormation says that there is no such stack, for which it has no code, or no such change set."""
    return faults.is_gone(error) or "does not exist" in str(error)
