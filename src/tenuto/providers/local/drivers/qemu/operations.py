"""The agent operations of one host: each in a thread of its own, at most once, kept until it is forgotten.

Theory of operation. Each act in a guest is written before it is done, and the process number that the guest gives a
program is written as soon as it is known. So an agent that is started again goes on asking about that program, and
starts none a second time; where it cannot know whether a program was started, it says so instead.

A guest that does not answer is asked again, since it may boot. One whose machine is off never answers: its host is
asked for that, and the operation ends at once, so that the command that turns the machine on is not behind it.
"""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tenuto.errors import TransientError
from tenuto.kit.state_folder import StateFolder
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.model.observation import Condition
from tenuto.providers.local.driver import NotSentError, Seen, Spec
from tenuto.providers.local.drivers.ns.powering import outcome_of
from tenuto.providers.local.drivers.qemu.disk_copy import DiskCopy, Means, thaw
from tenuto.providers.local.drivers.qemu.guest_agent import Ended, GuestAgent, GuestRefusedError, GuestSilentError
from tenuto.providers.local.drivers.qemu.guests import Guest, Guests
from tenuto.providers.local.rules.machines.operations import (
    LARGEST_FILE,
    Command,
    Console,
    Exec,
    Get,
    Ping,
    Put,
    PutBlob,
    Reboot,
    Snapshot,
    commands_of,
    deadline_of,
    ended,
    was_kept,
    was_read,
    was_rebooted,
    was_said,
    was_written,
)
from tenuto.providers.local.rules.machines.power import Power, is_running

KIND = "operations"
WAIT_S = 1.0
"""Seconds for which an order waits for the end of its operation: most end within."""
COPIES = "copies"
"""The file with the machine whose disks an operation copies."""
_BEGAN, _OUTCOME = "began", "outcome"
_POLL_S = (0.02, 0.05, 0.1, 0.2, 0.5)
_AGAIN_S = 0.3
Echo = Callable[[ObjectId, Ping], JsonMap | str]
"""The way to ask an address on a network for echoes: it returns the result, or why there is none."""
Switch = Callable[[ObjectId, str], JsonMap | str]
"""The way to follow a power command: it returns its result, or why that was refused."""
PowerOf = Callable[[ObjectId], str]
"""The way to ask for the real power of a machine. It raises TransientError where its host cannot tell."""
_LARGEST_OUTCOME = 4 << 20


class Operations:
    """The operations. Used by one thread, besides those that it starts."""

    def __init__(
        self, folder: StateFolder, guests: Guests, means: Means, switch: Switch, echo: Echo, power: PowerOf
    ) -> None:
        self._folder = folder
        self._means = means
        self._switch = switch
        self._echo = echo
        self._power = power
        self._guests = guests
        self._running: dict[ObjectId, threading.Thread] = {}

    def ensure(self, spec: Spec) -> None:
        """Begin an operation, or go on with one that was begun. Raises UnusableCommandError.

        Most operations end within a second, for which this waits.
        """
        commands, deadline_s = commands_of(spec.properties["Commands"]), deadline_of(spec.properties)
        if self._outcome(spec.object_id) is not None:
            return
        running = self._running.get(spec.object_id)
        if running is None:
            if self._folder.read(KIND, spec.object_id, _BEGAN) is None:
                self._folder.write(KIND, spec.object_id, _BEGAN, f"{time.time()} {spec.account}")
                if any(isinstance(one, Snapshot) for one in commands):
                    self._folder.write(KIND, spec.object_id, COPIES, str(spec.properties["Instance"]))
            running = threading.Thread(target=self._carry_out, args=(spec, commands, deadline_s), daemon=True)
            self._running[spec.object_id] = running
            running.start()
        running.join(WAIT_S)

    def forget(self, object_id: ObjectId) -> None:
        """Forget an operation, and the copies of disks that were made for it. One that is under way ends in the guest
        as it will."""
        self._running.pop(object_id, None)
        if machine := self._folder.read(KIND, object_id, COPIES):
            self._let_go(ObjectId(machine), object_id)
        self._folder.remove(KIND, object_id)

    def _let_go(self, machine: ObjectId, operation: ObjectId) -> None:
        """Drop the copies of a snapshot. A guest that an earlier run of the agent held still goes on."""
        guest = self._guests.known(machine)
        if self._outcome(operation) is None and guest is not None:
            with guest.turn:
                thaw(guest)
        self._means.forget(machine, operation)

    def seen(self) -> list[Seen]:
        """The operations that are kept, as they are."""
        return [self._seen(ObjectId(name)) for name in self._folder.names(KIND)]

    def _seen(self, object_id: ObjectId) -> Seen:
        found = self._outcome(object_id)
        account = (self._folder.read(KIND, object_id, _BEGAN) or "").partition(" ")[2]
        results = [] if found is None else found["Results"]
        seen = Seen(object_id=object_id, account=account, owner=None, properties={}, attributes={"Results": results})
        if found is None:
            return replace(seen, condition=Condition.PENDING, message="the guest is at work on it")
        return replace(seen, condition=Condition.BROKEN, message=str(found["Error"])) if found["Error"] else seen

    def _outcome(self, object_id: ObjectId) -> JsonMap | None:
        text = self._folder.read(KIND, object_id, _OUTCOME, largest=_LARGEST_OUTCOME)
        return outcome_of(text) if text is not None else None

    def _carry_out(self, spec: Spec, commands: tuple[Command, ...], deadline_s: int) -> None:
        began = float((self._folder.read(KIND, spec.object_id, _BEGAN) or "0").partition(" ")[0])
        hands = (self._guests, self._means, self._switch, self._echo, self._power)
        work = _Work(self._folder, spec, *hands, until=began + deadline_s)
        results: list[JsonMap] = []
        error = ""
        try:
            for number, command in enumerate(commands):
                results.append(work.done(number, command))
                if len(json.dumps(results)) > _LARGEST_OUTCOME // 2:
                    results.pop()
                    raise _NotDoneError(f"its results are too large; that of the command {number + 1} is left out")
        except _NotDoneError as failed:
            error = str(failed)
        if spec.object_id in self._running:
            self._folder.write(KIND, spec.object_id, _OUTCOME, json.dumps({"Results": results, "Error": error}))


class _NotDoneError(Exception):
    """A command was not carried out. The message says why."""


class _Work:
    """The work of one operation."""

    def __init__(
        self,
        folder: StateFolder,
        spec: Spec,
        guests: Guests,
        means: Means,
        switch: Switch,
        echo: Echo,
        power: PowerOf,
        *,
        until: float,
    ) -> None:
        self._folder = folder
        self._id = spec.object_id
        self._instance = ObjectId(str(spec.properties["Instance"]))
        self._guests = guests
        self._means = means
        self._switch = switch
        self._echo = echo
        self._power = power
        self._until = until

    def done(self, number: int, command: Command) -> JsonMap:
        """The result of a command. Raises _NotDoneError."""
        match command:
            case Exec():
                return self._ran(number, command)
            case Get(path=path):
                return was_read(self._asked(lambda agent: agent.read_file(path, LARGEST_FILE)))
            case Put(path=path, content=content, mode=mode):
                return self._put(number, path, content, mode)
            case PutBlob(path=path, blob=blob, mode=mode):
                return self._put(number, path, self._content(blob), mode)
            case Snapshot():
                return self._kept(number, command)
            case Console(is_clear=is_clear):
                return was_said(command, *self._guest_here().console(is_clear=is_clear))
            case Power(word=word):
                # It leads to one power, so it may be repeated.
                found = self._switch(self._instance, word)
                if isinstance(found, str):
                    raise _NotDoneError(found)
                return found
            case Ping():
                answer = self._echo(self._instance, command)
                if isinstance(answer, str):
                    raise _NotDoneError(answer)
                return answer
            case Reboot(how=how):
                return self._rebooted(number, how)

    def _put(self, number: int, path: str, content: bytes, mode: str) -> JsonMap:
        self._asked(lambda agent: agent.write_file(path, content))
        if mode:
            self._ran(number, Exec(words=("chmod", mode, path)))
        return was_written(len(content))

    def _content(self, digest: str) -> bytes:
        try:
            return self._means.blob(digest)
        except OSError as error:
            raise _NotDoneError(f"its file {digest[:16]}… is not on the host: {error.strerror}") from error

    def _kept(self, number: int, command: Snapshot) -> JsonMap:
        copy = DiskCopy(self._means, self._guests, machine=self._instance, operation=self._id, until=self._until)
        try:
            return was_kept(copy.sent(number, command))
        except NotSentError as error:
            raise _NotDoneError(str(error)) from error

    def _rebooted(self, number: int, how: str) -> JsonMap:
        self._begin(number)
        if how == "soft":
            self._asked(lambda agent: agent.tell("guest-shutdown", {"mode": "reboot"}))
        elif why := self._means.reset(self._instance):
            raise _NotDoneError(why)
        self._folder.write(KIND, self._id, f"step-{number}", "done")
        return was_rebooted()

    def _begin(self, number: int) -> str:
        """Write that a command is about to be carried out; return the process number or outcome that is kept of it, if
        it was before."""
        kept = self._folder.read(KIND, self._id, f"step-{number}")
        if kept == "":
            raise _NotDoneError(
                f"the agent of the host ended while it began the command {number + 1}: it may have run, or may not"
            )
        if kept is None:
            self._folder.write(KIND, self._id, f"step-{number}", "")
        return kept or ""

    def _guest_here(self) -> Guest:
        guest = self._guests.known(self._instance)
        if guest is None:
            raise _NotDoneError("its machine does not run")
        return guest

    def _ran(self, number: int, command: Exec) -> JsonMap:
        step = f"step-{number}"
        kept = self._folder.read(KIND, self._id, step)
        if not kept:
            self._asked(GuestAgent.ping)
            self._begin(number)
            try:
                pid = self._once(lambda agent: agent.start(command.words[0], list(command.words[1:]), command.stdin))
            except (GuestSilentError, TransientError) as error:
                raise _NotDoneError(f"{error}: the command {number + 1} may have run, or may not") from error
            except GuestRefusedError as error:
                raise _NotDoneError(f"the guest refused {command.words[0]}: {error}") from error
            self._folder.write(KIND, self._id, step, str(pid))
        else:
            pid = int(kept)
        return self._end_of(pid)

    def _end_of(self, pid: int) -> JsonMap:
        tries = 0
        while True:
            found = self._asked(lambda agent: _known_end(agent, pid))
            if found is not None:
                return ended(found.code, found.out, found.err, is_cut=found.is_cut)
            if time.time() > self._until:
                raise _NotDoneError("it has expired; it may still run in the guest")
            time.sleep(_POLL_S[min(tries, len(_POLL_S) - 1)])
            tries += 1

    def _asked(self, act: Any) -> Any:
        """The answer of the guest to a question that may be asked again. Raises _NotDoneError."""
        while True:
            try:
                return self._once(act)
            except GuestRefusedError as error:
                raise _NotDoneError(f"the guest refused: {error}") from error
            except (GuestSilentError, TransientError) as error:
                if time.time() > self._until:
                    raise _NotDoneError(f"it has expired: {error}") from error
                time.sleep(_AGAIN_S)

    def _once(self, act: Any) -> Any:
        guest = self._guest()
        with guest.turn:
            try:
                return act(guest.agent())
            except GuestSilentError:
                guest.drop()
                raise

    def _guest(self) -> Guest:
        guest = self._guests.known(self._instance)
        if guest is not None:
            return guest
        if not is_running(power := self._power(self._instance)):
            raise _NotDoneError(f"its machine is {power}")
        raise GuestSilentError("its machine starts")


def _known_end(agent: GuestAgent, pid: int) -> Ended | None:
    try:
        return agent.ended(pid)
    except GuestRefusedError as error:
        raise _NotDoneError(
            f"the guest does not know the program any more, as when it was started again meanwhile ({error})"
        ) from error
