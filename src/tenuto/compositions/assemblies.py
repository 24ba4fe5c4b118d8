"""Assemblies of the CDK: the folder that `cdk synth` writes, with the templates of an app and the order of its stacks.

Theory of operation. `manifest.json` lists artifacts; a stack is one of them, and an assembly in a folder below (a
stage) is another. Only the parts that Tenuto needs are read: the template, the name, the place that the stack is made
for, values of its parameters, its tags, its termination protection, and the files that must be in a bucket before.
Roles and bootstrap resources are of no use here.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from tenuto.errors import UserError
from tenuto.kit.first_names import first_of
from tenuto.kit.nearest import meant

MANIFEST = "manifest.json"
_STACK, _ASSEMBLY, _ASSETS = "aws:cloudformation:stack", "cdk:cloud-assembly", "cdk:asset-manifest"
_LARGEST_BYTES = 67_108_864
_DEEPEST = 8
"""Levels of stages. The CDK allows one in another, and nothing deeper."""
_NAMED = 3
"""The number of missing values that a message names: their keys are long."""
_PLACE = re.compile(r"aws://([^/]+)/([^/]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """One stack of an assembly. `account` and `region` are empty where it is made for any."""

    name: str
    shown: str
    """The path of the construct, as the CDK prints it."""
    template: Path
    account: str = ""
    region: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    """The tags of the stack, which CloudFormation puts on its resources; the template need not have them."""
    is_protected: bool = False
    """True when it has termination protection."""
    assets: Mapping[str, Path] = field(default_factory=dict)
    """The manifest of the file that must be published, by the hash of the file."""
    needs: tuple[str, ...] = ()
    """The artifacts that must stand before it."""
    artifact: str = ""

    @property
    def has_resources(self) -> bool:
        """Whether its template declares any, by itself or by a transform. True where the template cannot be read: the
        compiler tells why."""
        try:
            document = _json(self.template)
        except UserError:
            return True
        return bool(document.get("Resources") or document.get("Transform"))

    @property
    def deploys_stacks(self) -> bool:
        """Whether it has a pipeline that deploys stacks with CloudFormation, as those of CDK Pipelines do."""
        try:
            resources = _json(self.template).get("Resources")
        except UserError:
            return False
        pipelines = [
            one
            for one in (resources.values() if isinstance(resources, Mapping) else ())
            if isinstance(one, Mapping) and one.get("Type") == "AWS::CodePipeline::Pipeline"
        ]
        return any('"Provider": "CloudFormation"' in json.dumps(one) for one in pipelines)

    def is_named(self, pattern: str) -> bool:
        names = (self.name, self.shown, self.artifact)
        return any(fnmatchcase(name, pattern) for name in names)


def is_assembly(path: Path) -> bool:
    """Whether the folder is an assembly."""
    return (path / MANIFEST).is_file()


def read_assembly(folder: Path) -> tuple[Stack, ...]:
    """The stacks, each after those that it needs. Raises UserError when the folder cannot be read."""
    return tuple(_stacks(folder, 0))


def chosen(stacks: Sequence[Stack], pattern: str, folder: Path) -> tuple[Stack, ...]:
    """The stacks of this name or pattern. Raises UserError when there is none."""
    found = tuple(one for one in stacks if one.is_named(pattern))
    if not found:
        names = [one.shown for one in stacks]
        raise UserError(f"{folder} has no stack {pattern}.{meant(pattern, names)} It has {', '.join(names)}.")
    return found


def _stacks(folder: Path, depth: int) -> Iterator[Stack]:
    if depth > _DEEPEST:
        raise UserError(f"{folder}: assemblies nest too deeply.")
    artifacts = _manifest(folder)
    by_name: dict[str, list[Stack]] = {}
    for name, artifact in artifacts.items():
        properties = artifact.get("properties") or {}
        if artifact.get("type") == _STACK:
            by_name[name] = [_stack(folder, name, artifact, artifacts)]
        elif artifact.get("type") == _ASSEMBLY:
            by_name[name] = list(_stacks(folder / _inside(folder, properties.get("directoryName")), depth + 1))
    edges = {name: [one for one in _texts(artifacts[name].get("dependencies")) if one in by_name] for name in by_name}
    try:
        order = [*TopologicalSorter(edges).static_order()]
    except CycleError as circle:
        raise UserError(f"{folder / MANIFEST}: the stacks need each other in a circle: {circle.args[1]}.") from circle
    for name in order:
        yield from by_name[name]


def _manifest(folder: Path) -> Mapping[str, Mapping[str, Any]]:
    document = _json(folder / MANIFEST)
    artifacts = document.get("artifacts")
    if not isinstance(artifacts, dict) or not all(isinstance(one, dict) for one in artifacts.values()):
        raise UserError(f"{folder / MANIFEST} is no manifest of the CDK: it has no artifacts.")
    if document.get("missing"):
        raise UserError(_not_looked_up(folder, document["missing"]))
    return artifacts


def _not_looked_up(folder: Path, missing: object) -> str:
    """The refusal of an assembly in which values are missing: the CDK puts `vpc-12345` or `ami-1234` in their place,
    and its own command looks them up before it deploys anything."""
    keys = [str(one.get("key")) for one in missing if isinstance(one, dict)] if isinstance(missing, list) else []
    return (
        f"{folder} was made before the CDK had looked up what the app asks of the account ({first_of(keys, _NAMED)}), "
        "and its templates have placeholders for that. Run 'cdk synth' with credentials of the account: it looks them "
        "up, and keeps the values in cdk.context.json."
    )


def _json(path: Path) -> Mapping[str, Any]:
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST_BYTES + 1)
        document = json.loads(content) if len(content) <= _LARGEST_BYTES else None
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{path} cannot be read as JSON: {error}.") from error
    if not isinstance(document, dict):
        raise UserError(f"{path} is no document of the CDK.")
    return document


def _stack(folder: Path, name: str, artifact: Mapping[str, Any], artifacts: Mapping[str, Mapping[str, Any]]) -> Stack:
    properties = artifact.get("properties") or {}
    place = _PLACE.fullmatch(str(artifact.get("environment", "")))
    account, region = (place[1], place[2]) if place else ("", "")
    needs = tuple(_texts(artifact.get("dependencies")))
    return Stack(
        name=str(properties.get("stackName") or name),
        shown=str(artifact.get("displayName") or name),
        template=folder / _inside(folder, properties.get("templateFile")),
        account=account if account.isdecimal() else "",
        region="" if region.startswith("unknown-") else region,
        parameters=_by_name(properties.get("parameters")),
        tags=_by_name(properties.get("tags")),
        is_protected=properties.get("terminationProtection") is True,
        assets=dict(_assets(folder, (artifacts.get(one) or {} for one in needs))),
        needs=needs,
        artifact=name,
    )


def _assets(folder: Path, artifacts: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Path]]:
    for artifact in artifacts:
        if artifact.get("type") == _ASSETS:
            path = folder / _inside(folder, (artifact.get("properties") or {}).get("file"))
            document = _json(path)
            for kind in ("files", "dockerImages"):
                yield from ((str(found), path) for found in document.get(kind) or ())


def _inside(folder: Path, name: object) -> str:
    """The name of a file in the folder. Raises UserError for anything that leads out of it."""
    if not isinstance(name, str) or not name or Path(name).is_absolute() or ".." in Path(name).parts:
        raise UserError(f"{folder / MANIFEST} names {name!r}, which is no file of the assembly.")
    return name


def _by_name(value: object) -> dict[str, str]:
    return {key: str(one) for key, one in value.items()} if isinstance(value, dict) else {}


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
