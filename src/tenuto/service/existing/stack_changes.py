"""The limits of a change set that lets a stack go: the changes that it may hold, checked before its execution."""

from collections.abc import Iterator

from tenuto.errors import NotAllowedError
from tenuto.model.stack import ChangeSet, Stack

_SCOPE = frozenset({"DeletionPolicy", "UpdateReplacePolicy", "Metadata"})


def check_marks(stack: Stack, found: ChangeSet) -> None:
    """Raise NotAllowedError unless the change set changes the marks and nothing else."""
    wrong = list(_more_than_marks(found))
    if wrong:
        raise NotAllowedError(
            f"The change set would do more to {stack.name} than retain its resources: {'; '.join(wrong)}. It is not "
            "executed, and is deleted again. Nothing was changed."
        )


def _more_than_marks(found: ChangeSet) -> Iterator[str]:
    for one in found.changes:
        if one.action != "Modify":
            yield f"{one.logical_id}: {one.action or 'an unknown action'}"
        elif one.replaces is not False:
            yield f"{one.logical_id}: {'a replacement' if one.replaces else 'no word on whether it is replaced'}"
        elif one.scope is None or not one.scope <= _SCOPE:
            more = ", ".join(sorted((one.scope or frozenset()) - _SCOPE))
            yield f"{one.logical_id}: {more or 'no word on what is changed'}"


def check_removals(stack: Stack, found: ChangeSet) -> None:
    """Raise NotAllowedError unless the change set takes resources out of the stack, and adds its handle."""
    wrong = [f"{one.logical_id}: {one.action}" for one in found.changes if one.action not in ("Remove", "Add")]
    if wrong:
        raise NotAllowedError(
            f"The change set would change resources of {stack.name}: {'; '.join(wrong)}. It is not executed, and is "
            "deleted again. Nothing was changed."
        )
