"""The words of a plan: the acts of operations, and the waits of resources.

They are a module of their own, since the command line knows them without the values of a plan, whose classes take it as
long to make as its whole command.
"""

from collections.abc import Mapping
from enum import StrEnum


class Verb(StrEnum):
    CREATE = "create"
    MODIFY = "modify"
    REPLACE = "replace"
    DELETE = "delete"
    ADOPT = "adopt"
    RELEASE = "release"
    REFRESH = "refresh"
    """Read again the answers to `Ref` and `Fn::GetAtt`, or take back a change that failed. No property is changed."""


SIGNS: Mapping[Verb, str] = {
    Verb.CREATE: "+",
    Verb.MODIFY: "~",
    Verb.REPLACE: "±",
    Verb.DELETE: "-",
    Verb.ADOPT: "←",
    Verb.RELEASE: ".",
    Verb.REFRESH: "↻",
}


class WaitKind(StrEnum):
    PHASE = "phase"
    """A phase of the resource has not come to its end."""
    FAILED = "failed"
    """A phase of the resource failed: a person must act, then retry or resume."""
    OBSERVATION = "observation"
    """The resource must be swept (again) before anything can be said."""
    REFERENCE = "reference"
    """The resource needs something that is not there yet: a value (an export of another process, say), a value that
    another resource holds, or a resource that waits for such."""
    ENFORCEMENT = "enforcement"
    """Drift is seen, and enforcement is off."""
    FIGHT = "fight"
    """Another writer sets the resource back again and again."""
    IGNORED = "ignored"
    """The provider accepts the change again and again, and does not make it."""
    MARKED = "marked"
    """A thing with the marks of the address stands already, and the store does not know it."""
    FOLLOWED = "followed"
    """The resource is replaced, and another process still uses the original by an export."""
    UNRELEASABLE = "unreleasable"
    """The resource is to stay although it is given up, and cannot: its type knows no release, or its successor needs a
    value that it has."""
    HELD = "held"
    """The plan would do too much without a user's command."""
