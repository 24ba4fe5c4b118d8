"""The operations that need no agent in a machine: power commands, resets and echoes, carried out at once.

Theory of operation. A power command leads to one power from any power before, so an operation that was cut off is
carried out again. Its outcome is kept until the Conductor has stored it and says so.
"""

import json
from collections.abc import Callable, Sequence

from tenuto.kit.state_folder import StateFolder
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.model.observation import Condition
from tenuto.providers.local.driver import Seen, Spec
from tenuto.providers.local.rules.machines.operations import Command, Ping, Reboot, commands_of, was_rebooted
from tenuto.providers.local.rules.machines.power import Power

KIND = "operations"
_OUTCOME = "outcome"
Reset = Callable[[ObjectId], str]
"""The way to reset a machine: it returns why that was refused, or an empty text."""
Echo = Callable[[ObjectId, Ping], JsonMap | str]
"""The way to ask an address on a network for echoes: it returns the result, or why there is none."""
Switch = Callable[[ObjectId, str], JsonMap | str]
"""The way to follow a power command: it returns its result, or why that was refused."""


class PowerOperations:
    """The operations. Used by one thread."""

    def __init__(self, folder: StateFolder, reset: Reset, switch: Switch, echo: Echo) -> None:
        self._folder = folder
        self._reset = reset
        self._switch = switch
        self._echo = echo

    def ensure(self, spec: Spec) -> None:
        """Carry an operation out, unless that was done. Raises UnusableCommandError."""
        commands = commands_of(spec.properties["Commands"])
        if self._folder.read(KIND, spec.object_id, _OUTCOME) is not None:
            return
        instance = ObjectId(str(spec.properties["Instance"]))
        results: list[JsonMap] = []
        error = ""
        for command in commands:
            found = self._done(instance, command)
            if isinstance(found, str):
                error = found
                break
            results.append(found)
        outcome = {"Account": spec.account, "Results": results, "Error": error}
        self._folder.write(KIND, spec.object_id, _OUTCOME, json.dumps(outcome))

    def forget(self, object_id: ObjectId) -> None:
        """Forget an operation."""
        self._folder.remove(KIND, object_id)

    def seen(self) -> Sequence[Seen]:
        """The operations that are kept, as they ended."""
        kept = ((ObjectId(name), self._folder.read(KIND, name, _OUTCOME)) for name in self._folder.names(KIND))
        return [_seen(object_id, outcome_of(text)) for object_id, text in kept if text is not None]

    def _done(self, instance: ObjectId, command: Command) -> JsonMap | str:
        match command:
            case Power(word=word):
                return self._switch(instance, word)
            case Ping():
                return self._echo(instance, command)
            case Reboot(how="reset"):
                return self._reset(instance) or was_rebooted()
            case _:
                return "there is no agent in its machine"


def outcome_of(text: str) -> JsonMap:
    """The outcome of an operation as it was kept. One that is damaged is an error of that operation alone."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if isinstance(found, dict) and found.keys() >= {"Results", "Error"}:
        return found
    return {"Account": "", "Results": [], "Error": "its result on the host is damaged: it was carried out"}


def _seen(object_id: ObjectId, found: JsonMap) -> Seen:
    return Seen(
        object_id=object_id,
        account=str(found.get("Account", "")),
        owner=None,
        properties={},
        attributes={"Results": found["Results"]},
        condition=Condition.BROKEN if found["Error"] else Condition.READY,
        message=found["Error"],
    )
