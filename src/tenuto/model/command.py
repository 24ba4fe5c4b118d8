"""The commands that a user can give to a process, and the states that say which of them are allowed.

A module of its own, as `model.verb`: the command line knows the words without the values.
"""

from enum import StrEnum


class ProcessState(StrEnum):
    """The states of process-model, and `Gone`, which ends every process and never shows in `status`."""

    RUNNING = "Running"
    SUSPENDED = "Suspended"
    KILLING = "Killing"
    GONE = "Gone"


class Command(StrEnum):
    """A command that a user can give to a process."""

    RUN = "run"
    UPDATE = "update"
    SUSPEND = "suspend"
    RESUME = "resume"
    KILL = "kill"
    RELEASE = "release"
    RETRY = "retry"
    PROPERTY = "property"
