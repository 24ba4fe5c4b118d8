"""Scenarios: scripts that a person could have typed, run on a simulated world, and their output.

    run web.yaml -a web
    fault create Subnet throttled x2
    turn until settled
    show status web

`run_script` gives the whole transcript: each line of the script, and below it the answer of Tenuto. Ids, times and
answers are the same in every run, so the transcript is compared with a file kept beside the script. Mistakes of the
typist are answered like on the command line; a line that is no command at all stops the script.
"""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tenuto.compositions.compile import compile_file
from tenuto.compositions.documents.document import to_document
from tenuto.errors import TenutoError, UserError
from tenuto.model.account import DEFAULT_ACCOUNT
from tenuto.model.ids import Fid, Json, LogicalId, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.observation import Owner
from tenuto.providers.simulated.faults import Fault, FaultKind
from tenuto.service.intake.composition import Submission
from tenuto_testing import scenario_text
from tenuto_testing.mortality import Blow
from tenuto_testing.world import World

REGION = "sim-1"
Words = Sequence[str]


def run_script(text: str, *, folder: Path, world: World | None = None) -> str:
    """The transcript of a script. Compositions are read from `folder`. A line that is no command raises UserError."""
    typist = Typist(world or World(), folder)
    lines: list[str] = []
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            lines.append(line)
            continue
        lines.append(f"> {line}")
        lines += [f"  {told}".rstrip() for told in typist.do(line)]
    return "\n".join(lines) + "\n"


class Typist:
    """Takes one line after the other to the world."""

    def __init__(self, world: World, folder: Path) -> None:
        self._world = world
        self._folder = folder
        self._verbs: Mapping[str, Callable[[Words], list[str]]] = {
            "run": self._run,
            "apply": self._run,
            "update": self._update,
            "suspend": self._command,
            "resume": self._command,
            "kill": self._command,
            "release": self._release,
            "retry": self._retry,
            "property": self._property,
            "turn": self._turn,
            "advance": self._advance,
            "crash": self._crash,
            "fault": self._fault,
            "faults": self._faults,
            "tamper": self._tamper,
            "vanish": self._stranger,
            "terminate": self._stranger,
            "break": self._break,
            "fill": self._fill,
            "add": self._add,
            "mark": self._mark,
            "doctor": self._doctor,
            "cloud": self._cloud,
            "show": self._show,
        }

    def do(self, line: str) -> list[str]:
        """The answer to one line. Raises UserError when it is no command."""
        words = shlex.split(line, comments=True)
        if words[0] not in self._verbs:
            raise UserError(f"{words[0]!r} is no command of scenarios; there are {', '.join(sorted(self._verbs))}")
        crashes = len(self._world.crashes)
        try:
            told = self._verbs[words[0]](words)
        except TenutoError as error:
            told = [f"! {line}" for line in str(error).splitlines()]
        died = [f"† {self._time(at)} the Conductor died {why}" for at, why in self._world.crashes[crashes:]]
        return died + told

    def _run(self, words: Words) -> list[str]:
        submission = self._submission(words[1], _parameters(words))
        alias = _option(words, "-a")
        if words[0] == "apply":
            process = self._world.system.commands.apply(submission, alias=alias or "", adopts="--import" in words)
        elif "--dry-run" in words:
            planned = self._world.system.commands.dry_runs.run(
                submission, alias=alias, account=DEFAULT_ACCOUNT, adopts="--import" in words
            )
            return scenario_text.plan(planned)
        else:
            process = self._world.system.commands.run(submission, alias=alias, adopts="--import" in words)
        return [scenario_text.process_line(process)]

    def _update(self, words: Words) -> list[str]:
        submission = self._submission(words[2], _parameters(words))
        if "--dry-run" in words:
            return scenario_text.plan(self._world.system.commands.dry_runs.update(words[1], submission))
        return [scenario_text.process_line(self._world.system.commands.update(words[1], submission))]

    def _command(self, words: Words) -> list[str]:
        commands = self._world.system.commands
        if cause := _option(words, "--cause"):
            is_done = "--dry-run" not in words
            view = commands.causes.resume([cause]) if is_done else commands.causes.suspended_by([cause])
            return scenario_text.causes(view, is_done=is_done)
        if "--dry-run" in words:
            rehearsals = {"resume": commands.dry_runs.resume, "kill": commands.dry_runs.kill}
            return scenario_text.plan(rehearsals[words[0]](words[1]))
        given = {"suspend": commands.suspend, "resume": commands.resume, "kill": commands.kill}
        return [scenario_text.process_line(given[words[0]](words[1]))]

    def _release(self, words: Words) -> list[str]:
        commands = self._world.system.commands
        keep_tags = "--keep-tags" in words
        if "--dry-run" in words:
            return scenario_text.plan(commands.dry_runs.release(words[1], keep_tags=keep_tags))
        return [scenario_text.process_line(commands.release(words[1], keep_tags=keep_tags))]

    def _retry(self, words: Words) -> list[str]:
        names = tuple(LogicalId(word) for word in words[2:])
        process, cleared = self._world.system.commands.retry(words[1], names)
        counts = [f"{name}: {count} failed phases cleared" for name, count in sorted(cleared.items())]
        return [scenario_text.process_line(process), *counts]

    def _property(self, words: Words) -> list[str]:
        process = self._world.system.commands.set_property(
            words[1], words[2], words[3], until=_option(words, "--until")
        )
        return [scenario_text.process_line(process)]

    def _turn(self, words: Words) -> list[str]:
        if list(words[1:]) != ["until", "settled"]:
            self._world.work()
            return [self._time()]
        settled = self._world.settle()
        states = [scenario_text.process_line(process) for process in self._world.store.processes()]
        return [f"{'settled' if settled else 'NOT SETTLED'} at {self._time()}", *(states or ["no processes"])]

    def _advance(self, words: Words) -> list[str]:
        self._world.advance(float(words[1]))
        return [self._time()]

    def _crash(self, words: Words) -> list[str]:
        """`crash` now, or `crash before|after create Net`, or `crash before|after commit 3`."""
        if len(words) == 1:
            self._world.crash()
            return []
        operation, subject = words[2], words[3]
        count = int(subject) if operation == "commit" else 1
        blow = Blow(
            operation=operation,
            subject="*" if operation == "commit" else subject,
            is_after=words[1] == "after",
            count=count,
        )
        self._world.fate.arm(blow)
        return []

    def _fault(self, words: Words) -> list[str]:
        """`fault OPERATION SUBJECT KIND [xN] [SECONDS]`."""
        operation, subject, kind, *more = words[1:]
        times = next((int(word[1:]) for word in more if word.startswith("x")), 1)
        seconds = next((float(word) for word in more if not word.startswith("x")), 60.0)
        self._world.faults.add(
            Fault(kind=FaultKind(kind), operation=operation, subject=subject, times=times, seconds=seconds)
        )
        return []

    def _faults(self, words: Words) -> list[str]:
        if words[1:] == ["clear"]:
            self._world.faults.clear()
        return scenario_text.faults(self._world.faults.waiting())

    def _tamper(self, words: Words) -> list[str]:
        for word in words[2:]:
            path, _, value = word.partition("=")
            self._world.cloud.tamper(self._id_of(words[1]), path, _value(value))
        return []

    def _stranger(self, words: Words) -> list[str]:
        acts = {"vanish": self._world.cloud.vanish, "terminate": self._world.cloud.terminate}
        for name in words[1:]:
            acts[words[0]](self._id_of(name))
        return []

    def _break(self, words: Words) -> list[str]:
        self._world.cloud.break_down(self._id_of(words[1]), words[2])
        return []

    def _fill(self, words: Words) -> list[str]:
        self._world.cloud.fill(self._id_of(words[1]), int(words[2]))
        return []

    def _add(self, words: Words) -> list[str]:
        partition = Partition(account=DEFAULT_ACCOUNT, region=REGION)
        properties = {path: _value(value) for path, _, value in (word.partition("=") for word in words[2:])}
        return [self._world.cloud.add(partition, TypeName(words[1]), properties)]

    def _mark(self, words: Words) -> list[str]:
        """`mark ID PROC.RESOURCE OBJECT`: the thing carries the marks of a resource, with another object's id."""
        reference, _, logical_id = words[2].partition(".")
        process = self._world.store.process(reference)
        owner = Owner(
            fid=process.fid if process else Fid(reference),
            logical_id=LogicalId(logical_id),
            object_id=ObjectId(words[3]),
        )
        self._world.cloud.mark(words[1], owner)
        return []

    def _doctor(self, words: Words) -> list[str]:
        """`doctor [PROC]`, `doctor PROC --adopt ID`, `doctor PROC --delete ID`."""
        system, reference = self._world.system, words[1] if len(words) > 1 else None
        if identifier := _option(words, "--adopt"):
            return [scenario_text.process_line(system.unknown_things.adopt(words[1], PhysicalId(identifier)))]
        if identifier := _option(words, "--delete"):
            _, message = system.unknown_things.delete(words[1], PhysicalId(identifier))
            return [message or f"{identifier} is deleted"]
        found = system.unknown_things.listed(reference)
        for place in found.places:
            found = system.unknown_things.listed(reference, place=place)
        return scenario_text.doctor(system.doctor.examine(reference), found)

    def _cloud(self, words: Words) -> list[str]:
        """`cloud KEY=VALUE …`: how the cloud behaves from now on."""
        changes = {key: _value(value) for key, _, value in (word.partition("=") for word in words[1:])}
        self._world.behave(replace(self._world.cloud.behaviour, **changes))
        return []

    def _show(self, words: Words) -> list[str]:
        queries = self._world.system.queries
        match list(words[1:]):
            case ["cloud"]:
                return scenario_text.cloud(self._world.cloud.things(), self._world.clock.now())
            case ["status"]:
                return [scenario_text.process_line(process) for process in queries.processes()]
            case ["status", name]:
                return scenario_text.status(queries.process(name, sweep=True))
            case ["plan", name]:
                return scenario_text.plan(queries.plan(name))
            case ["explain", name, *resources]:
                return scenario_text.explanation(queries.explain(name, [LogicalId(one) for one in resources])[1])
            case ["history", name]:
                return scenario_text.history(queries.history(name), self._world.began_at)
            case ["ops", name]:
                return scenario_text.ops(queries.history(name), self._world.began_at)
            case ["events", name]:
                return scenario_text.events(queries.events(name), self._world.began_at)
            case _:
                raise UserError("show status [PROCESS] | plan | explain | history | ops | events PROCESS | cloud")

    def _submission(self, name: str, parameters: Mapping[str, str]) -> Submission:
        compiled = compile_file(self._folder / name, parameters=parameters, region=REGION)
        return Submission(document=to_document(compiled.composition), secrets=compiled.secrets)

    def _id_of(self, name: str) -> str:
        """The physical id behind `web.Net`; other names stand for themselves."""
        alias, dot, logical_id = name.partition(".")
        if not dot:
            return name
        view = self._world.system.queries.process(alias)
        for resource in view.resources:
            if resource.logical_id == logical_id and resource.current and resource.current.physical_id:
                return resource.current.physical_id
        raise UserError(f"{name} does not exist at the provider")

    def _time(self, at: float | None = None) -> str:
        return scenario_text.seconds((at or self._world.clock.now()) - self._world.began_at)


def _option(words: Words, name: str) -> str | None:
    return words[words.index(name) + 1] if name in words else None


def _parameters(words: Words) -> dict[str, str]:
    return dict(word.split("=", 1) for word in words if "=" in word)


def _value(text: str) -> Json:
    """JSON where it is, plain text otherwise; nothing takes the property away."""
    if not text:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text
