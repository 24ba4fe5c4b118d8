"""Scenario files: a history as text that people can read and change, and the history of such a text.

    cloud aws new_s=2 buckets=0.1
    seed 17

      0 run p
            Net1: {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.1.0.0/16"}}
      1 advance 31
      2 fault CreateVpc * lost x1 3

`from_text` reads the text that `to_text` prints: one is the inverse of the other. A text is read by the scenery of its
cloud, and everything that is wrong with it is told at once, with the lines.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from tenuto.core.language.resolve import referenced_resources
from tenuto.errors import UserError
from tenuto.model.composition import Composition, Declaration, DeletionPolicy
from tenuto.model.ids import Json, LogicalId, TypeName
from tenuto_testing.mortality import Blow
from tenuto_testing.simulation.compositions import composed, depending, exports_of
from tenuto_testing.simulation.histories import History
from tenuto_testing.simulation.sceneries import SCENERIES
from tenuto_testing.simulation.scenery import Scenery
from tenuto_testing.simulation.script_words import (
    COMMANDS,
    WrongLineError,
    alias_of,
    json_of,
    listed,
    number_of,
    order,
    refuse,
    rival,
    set_property,
    store,
    tempo,
    times_of,
    together,
)
from tenuto_testing.simulation.steps import (
    Add,
    Death,
    Enter,
    Execute,
    Pass,
    Rehearse,
    Stall,
    Step,
    Strike,
    Submit,
    Swap,
    Trouble,
    number_text,
)

LARGEST = 2_000_000
"""Characters: a hundred times the longest history that is drawn."""
_REHEARSED = frozenset({"update", "resume", "kill", "release"})
_MOMENTS = frozenset(
    {"commit", "context", "lookup", "sweep", "find", "create", "modify", "delete", "claim", "disclaim"}
)
_MOST_RESOURCES = 500
"""The most resources in one composition: the limit of CloudFormation."""
_RESOURCE = re.compile(r"\s+([A-Za-z0-9]{1,255}): *(\{.*)")
_EXPORT = re.compile(r"\s+export ([A-Za-z0-9-]{1,255}): *(\S.*)")
_STEP = re.compile(r"\s*(?:(\d{1,9})\s+)?(\S.*)")
_DECLARED = frozenset({"Type", "Properties", "DependsOn", "DeletionPolicy", "UpdateReplacePolicy"})


def to_text(history: History) -> str:
    """The scenario file of a history."""
    traits = "".join(f" {name}={number_text(value)}" for name, value in history.traits.items())
    steps = "".join(f"{number:>3} {step}\n" for number, step in history.steps)
    return f"cloud {history.cloud}{traits}\nseed {history.seed}\n\n{steps}"


def from_text(text: str) -> History:
    """The history of a scenario file. Raises UserError that tells every line that cannot be understood, and why."""
    if len(text) > LARGEST:
        raise UserError(f"A scenario has at most {LARGEST} characters; this one has {len(text)}.")
    return _Reader().read(text)


class _Reader:
    """Reads one text, line by line."""

    def __init__(self) -> None:
        self._scenery: Scenery = SCENERIES["simulated"]
        self._traits: dict[str, float] = {}
        self._seed = 0
        self._steps: list[tuple[int, Step]] = []
        self._problems: list[str] = []

    def read(self, text: str) -> History:
        for place, line in enumerate(text.split("\n"), start=1):
            if line.strip() and not line.lstrip().startswith("#"):
                try:
                    self._line(line.rstrip())
                except (WrongLineError, RecursionError) as wrong:
                    self._problems.append(f"line {place}: {wrong}\n    {line.strip()[:120]}")
        if self._problems:
            count = len(self._problems)
            told = "\n".join(self._problems[:20])
            raise UserError(f"{count} {'line' if count == 1 else 'lines'} of the scenario cannot be read.\n{told}")
        return History(
            seed=self._seed,
            cloud=self._scenery.name,
            traits={**self._scenery.traits, **self._traits},
            steps=tuple(self._steps),
        )

    def _line(self, line: str) -> None:
        if resource := _RESOURCE.fullmatch(line):
            self._resource(resource[1], resource[2])
            return
        if export := _EXPORT.fullmatch(line):
            self._export(export[1], export[2])
            return
        found = _STEP.fullmatch(line)
        assert found is not None, "the line is not empty"
        word, _, rest = found[2].partition(" ")
        if found[1] is None and word in ("cloud", "seed"):
            if self._steps:
                refuse(f"'{word}' comes before the first step")
            (self._read_cloud if word == "cloud" else self._read_seed)(rest.split())
            return
        number = int(found[1]) if found[1] is not None else (self._steps[-1][0] + 1 if self._steps else 0)
        self._steps.append((number, self._step(word, rest.strip())))

    def _read_cloud(self, words: list[str]) -> None:
        if not words or words[0] not in SCENERIES:
            refuse(f"the cloud is one of {listed(SCENERIES)}")
        self._scenery, self._traits = SCENERIES[words[0]], {}
        for word in words[1:]:
            name, _, value = word.partition("=")
            if name not in self._scenery.traits:
                refuse(f"{name!r} is no trait of the {self._scenery.name} cloud: {listed(self._scenery.traits)}")
            self._traits[name] = number_of(value)

    def _read_seed(self, words: list[str]) -> None:
        if len(words) != 1 or not re.fullmatch(r"\d{1,18}", words[0]):
            refuse("a seed is a whole number")
        self._seed = int(words[0])

    def _resource(self, name: str, text: str) -> None:
        before = self._composition()
        if any(one.logical_id == name for one in before.resources):
            refuse(f"{name} is declared twice")
        if len(before.resources) == _MOST_RESOURCES:
            refuse(f"a composition has at most {_MOST_RESOURCES} resources")
        self._compose((*before.resources, self._declaration(name, json_of(text))), exports_of(before))

    def _export(self, name: str, text: str) -> None:
        before = self._composition()
        if name in exports_of(before):
            refuse(f"{name} is exported twice")
        value = json_of(text, what=None)
        if strange := sorted(set(referenced_resources(value)) - {one.logical_id for one in before.resources}):
            refuse(f"{', '.join(strange)} is not declared before it is exported")
        self._compose(before.resources, {**exports_of(before), name: value})

    def _composition(self) -> Composition:
        """That of the last step, as far as it was read."""
        last = self._steps[-1][1] if self._steps else None
        if not isinstance(last, Submit | Rehearse) or last.composition is None:
            refuse("a resource comes after 'run ALIAS', 'update ALIAS' or 'rehearse update ALIAS'")
        return last.composition

    def _compose(self, resources: tuple[Declaration, ...], exports: Mapping[str, Json]) -> None:
        number, last = self._steps[-1]
        assert isinstance(last, Submit | Rehearse), "it has a composition"
        composition = composed(last.alias, self._scenery.repertoire.region, resources, exports)
        self._steps[-1] = number, replace(last, composition=composition)

    def _declaration(self, name: str, one: Json) -> Declaration:
        if unknown := sorted(one.keys() - _DECLARED):
            refuse(f"{', '.join(unknown)} cannot be said of a resource here: {listed(_DECLARED)}")
        properties, after = one.get("Properties", {}), one.get("DependsOn", [])
        after = [after] if isinstance(after, str) else after
        if not isinstance(properties, dict):
            refuse("'Properties' is a mapping")
        if not isinstance(after, list) or not all(isinstance(other, str) for other in after):
            refuse("'DependsOn' is a name or a list of names")
        policies = [one.get(key, "Delete") for key in ("DeletionPolicy", "UpdateReplacePolicy")]
        if any(policy not in list(DeletionPolicy) for policy in policies):
            refuse(f"a policy is one of {listed(DeletionPolicy)}")
        bare = Declaration(
            logical_id=LogicalId(name),
            type=self._type(one.get("Type")),
            properties=properties,
            deletion_policy=DeletionPolicy(policies[0]),
            replace_policy=DeletionPolicy(policies[1]),
        )
        return depending(bare, after)

    def _type(self, name: Json) -> TypeName:
        if not isinstance(name, str) or name not in self._scenery.types:
            refuse(f"{name} is no type of the {self._scenery.name} cloud: {listed(self._scenery.types)}")
        return TypeName(name)

    def _step(self, verb: str, rest: str) -> Step:
        known: dict[str, Callable[[str], Step]] = {
            "run": lambda text: self._submit("run", text),
            "update": lambda text: self._submit("update", text),
            **{name: lambda text, name=name: order(name, text) for name in COMMANDS},  # type: ignore[misc]
            "rehearse": self._rehearse,
            "together": together,
            "execute": lambda text: Execute(alias=alias_of(text)),
            "tempo": tempo,
            **{name: lambda text, name=name: self._strike(name, text) for name in self._scenery.acts},  # type: ignore[misc]
            "property": set_property,
            "advance": lambda text: Pass(seconds=number_of(text)),
            "add": self._add,
            "fault": self._fault,
            "store": store,
            "stall": lambda text: Stall(seconds=number_of(text)),
            "rival": rival,
            "account": self._account,
            "credentials": self._credentials,
            "crash": self._crash,
        }
        if verb not in known:
            refuse(f"{verb!r} is no step on the {self._scenery.name} cloud: {listed(known)}")
        return known[verb](rest)

    def _submit(self, verb: str, text: str) -> Submit:
        alias = alias_of(text)
        return Submit(verb=verb, alias=alias, composition=composed(alias, self._scenery.repertoire.region, ()))

    def _rehearse(self, text: str) -> Step:
        verb, _, alias = text.partition(" ")
        if verb not in _REHEARSED:
            refuse(f"rehearse {listed(_REHEARSED)}, and ALIAS")
        composition = self._submit(verb, alias).composition if verb == "update" else None
        return Rehearse(verb=verb, alias=alias_of(alias), composition=composition)

    def _strike(self, act: str, text: str) -> Step:
        target, _, change = text.partition(" ")
        alias, _, name = target.partition(".")
        path, equals, value = change.partition("=")
        if not name or bool(equals) is not (act == "tamper") or (change and not path):
            refuse(f"{act} ALIAS.RESOURCE{' PROPERTY=JSON' if act == 'tamper' else ''}")
        return Strike(
            act=act,
            alias=alias_of(alias),
            logical_id=LogicalId(name),
            path=path,
            value=json_of(value, what=None) if equals else None,
        )

    def _add(self, text: str) -> Step:
        name, _, properties = text.partition(" ")
        return Add(type=self._type(name), properties=json_of(properties))

    def _fault(self, text: str) -> Step:
        words = text.split()
        if len(words) != 5:
            refuse("fault OPERATION SUBJECT KIND xTIMES SECONDS")
        operation, subject, kind, times, seconds = words
        if kind not in self._scenery.faults:
            refuse(f"{kind!r} is no fault of the {self._scenery.name} cloud: {listed(self._scenery.faults)}")
        if not self._scenery.has_operation(operation):
            refuse(f"nothing that {self._scenery.name} does is called {operation!r}")
        return Trouble(
            operation=operation, subject=subject, kind=kind, times=times_of(times), seconds=number_of(seconds)
        )

    def _account(self, text: str) -> Step:
        if text not in self._scenery.accounts:
            refuse(f"the {self._scenery.name} cloud has these accounts: {listed(self._scenery.accounts) or 'none'}")
        return Enter(account=text)

    def _credentials(self, text: str) -> Step:
        if text not in self._scenery.credentials:
            refuse(f"credentials of one of these accounts: {listed(self._scenery.credentials)}")
        return Swap(account=text)

    def _crash(self, text: str) -> Step:
        words = text.split()
        if not words:
            return Death()
        if len(words) != 4 or words[0] not in ("before", "after"):
            refuse("crash, or crash before or after OPERATION SUBJECT xCOUNT")
        moments = (_MOMENTS | frozenset(self._scenery.deaths)) - {"now"}
        if words[1] not in moments:
            refuse(f"{words[1]!r} is no moment of death on the {self._scenery.name} cloud: {listed(moments)}")
        is_after = words[0] == "after"
        return Death(blow=Blow(operation=words[1], subject=words[2], is_after=is_after, count=times_of(words[3])))
