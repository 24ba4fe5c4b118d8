"""Nested templates: `AWS::CloudFormation::Stack` of a local file becomes a part of the same composition.

Theory of operation. CloudFormation makes a stack of its own of such a resource; Tenuto makes one process of all. Each
template is compiled in its own scope, with its own parameters, conditions and mappings; only the names of its
declarations begin with the name of the resource that brings it in. A nested template is compiled when one of its
outputs is asked for, or at the end: so the outputs of one may be parameters of the next, in any order of the file. A
passed value stays an expression as long as only the running world knows it, and so do outputs; no reference is ever
rewritten.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Protocol

from tenuto.compositions.cloudformation.functions.evaluator import Evaluator
from tenuto.compositions.cloudformation.functions.undecidable import report_undecidable
from tenuto.compositions.cloudformation.reading import local_files, shape
from tenuto.compositions.cloudformation.sections.parameters import Passed
from tenuto.compositions.cloudformation.sections.resources import Source
from tenuto.compositions.cloudformation.templates.placement import Placement, Unit
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import (
    Broken,
    Entry,
    Expression,
    Fields,
    Items,
    Node,
    Scalar,
    is_broken,
    located,
    to_json,
)
from tenuto.compositions.diagnostics.problems import Problems, listed
from tenuto.core.language.expressions import ResolveError, join
from tenuto.kit.nearest import did_you_mean
from tenuto.model.composition import Output
from tenuto.model.diagnostic import Position
from tenuto.model.ids import Json

_KEYS = ("TemplateURL", "Parameters", "Tags", "NotificationARNs", "TimeoutInMinutes")
_NO_EFFECT = ("NotificationARNs", "TimeoutInMinutes")
_DEEPEST = 16
"""Levels of nested templates. People write three; each level costs a page of the stack of calls."""


class Compile(Protocol):
    """Compiles the template of a file as a part of the composition; None when it cannot be read, which was reported."""

    def __call__(
        self, path: Path, placement: Placement, given: Mapping[str, Passed], problems: Problems, at: Node
    ) -> Unit | None: ...


class NestedTemplates:
    """The nested templates of one template. It can be asked once `bind` has said how values are evaluated."""

    def __init__(
        self, sources: Mapping[str, Source], placement: Placement, compile_file: Compile, problems: Problems
    ) -> None:
        self._sources = {name: source for name, source in sources.items() if source.is_stack}
        self._placement = placement
        self._compile = compile_file
        self._problems = problems
        self._units: dict[str, Unit | None] = {}
        self._open: set[str] = set()
        self._evaluators: tuple[Evaluator, Evaluator] | None = None

    def __contains__(self, name: object) -> bool:
        return name in self._sources

    def bind(self, folding: Evaluator, deciding: Evaluator) -> None:
        """Take the evaluators of the template around: one for written values, one for all known values."""
        self._evaluators = (folding, deciding)

    def reference(self, name: str) -> Json:
        return self._placement.below(name, "").own("AWS::StackId")

    def output(self, name: str, output: str, position: Position) -> Node:
        if name in self._open:
            detail = f"{name} waits for its own outputs: its parameters need what only the finished template gives."
            self._problems.add(codes.CIRCULAR_DEPENDENCY, position, detail, subject=name)
            return Broken(position=position)
        unit = self._unit(name)
        if unit is None:
            return Broken(position=position)
        found = next((one for one in unit.outputs if one.name == output), None)
        if found is None:
            names = [one.name for one in unit.outputs]
            detail = f"The template of {name} has no output {output} with these parameters; it has {listed(names)}."
            hint = did_you_mean(output, names)
            self._problems.add(codes.UNKNOWN_ATTRIBUTE, position, detail, subject=f"{name}.Outputs.{output}", hint=hint)
            return Broken(position=position)
        return located(found.value, position)

    def tags(self, source: Source) -> list[dict[str, Json]]:
        """The tags that everything in a nested template carries."""
        properties = source.fields.get("Properties")
        node = properties.get("Tags") if isinstance(properties, Fields) else None
        found = self._evaluators[0].evaluate(node) if node is not None and self._evaluators else None
        tags = to_json(found) if isinstance(found, Items) and not is_broken(found) else []
        if node is not None and not (
            isinstance(tags, list) and all(isinstance(one, dict) and {"Key", "Value"} <= one.keys() for one in tags)
        ):
            detail = f"The Tags of {source.name} must be a list of keys and values."
            self._problems.add(codes.WRONG_SHAPE, node, detail, subject=source.name)
            return []
        return [one for one in tags if isinstance(one.get("Key"), str)]

    def units(self, absent: frozenset[str]) -> Iterator[tuple[Source, Unit]]:
        """Every nested template that is not left out, in the order of the file."""
        for name, source in self._sources.items():
            unit = self._unit(name) if name not in absent else None
            if unit is not None:
                yield source, unit

    def _unit(self, name: str) -> Unit | None:
        if name not in self._units:
            self._open.add(name)
            self._units[name] = self._compiled(self._sources[name])
            self._open.discard(name)
        return self._units[name]

    def _compiled(self, source: Source) -> Unit | None:
        properties = source.fields.get("Properties")
        entry = source.entry.key
        if properties is None:
            detail = f"{source.name} has no TemplateURL, so there is no template to nest."
            self._problems.add(codes.NESTED_TEMPLATE, entry, detail, subject=source.name)
            return None
        fields = shape.fields(properties, self._problems, f"The properties of {source.name}")
        if fields is None:
            return None
        fields = shape.known_fields(fields, _KEYS, self._problems, codes.UNKNOWN_PROPERTY, "A nested template")
        for key in _NO_EFFECT:
            if (found := fields.entry(key)) is not None:
                detail = f"Tenuto does not act on {key} of a nested template: it is a part of this process."
                self._problems.add(codes.SECTION_IGNORED, found.key, detail, subject=source.name)
        path = self._path(source, fields)
        if path is None:
            return None
        placement = self._placement.below(source.name, str(path))
        if str(path) in self._placement.files:
            chain = " -> ".join((*self._placement.files, str(path)))
            self._problems.add(codes.NESTED_TOO_DEEP, entry, f"{chain}: a template nests itself.", subject=source.name)
            return None
        if len(placement.names) > _DEEPEST:
            detail = f"{source.name} is nested in {_DEEPEST} templates already; more are not allowed."
            self._problems.add(codes.NESTED_TOO_DEEP, entry, detail, subject=source.name)
            return None
        url = fields.get("TemplateURL") or entry
        return self._compile(path, placement, dict(self._passed(fields)), self._problems, url)

    def _path(self, source: Source, fields: Fields) -> Path | None:
        """The file of the template, as it is seen from where the command was typed."""
        node = fields.get("TemplateURL")
        asset = _asset(source)
        found = asset if asset is not None else self._decided(node) if node is not None else None
        if node is None and asset is None:
            detail = f"{source.name} has no TemplateURL, so there is no template to nest."
            self._problems.add(codes.NESTED_TEMPLATE, source.entry.key, detail, subject=source.name)
        folder = PurePath(self._placement.file).parent
        if isinstance(found, Expression | Scalar) and asset is None:
            own = local_files.published(str(found.value), folder)
            if own is not None:
                return own
        if isinstance(found, Expression):
            report_undecidable(found, "The TemplateURL of a nested template", self._problems)
            return None
        if not isinstance(found, Scalar):
            return None
        path = local_files.find(found.text, folder, "TemplateURL")
        if isinstance(path, local_files.Absent):
            detail = f"The template of {source.name} {path.reason}."
            self._problems.add(codes.NESTED_TEMPLATE, node or found, detail, subject=source.name, hint=path.hint)
            return None
        return path

    def _decided(self, node: Node) -> Node | None:
        if self._evaluators is None:
            return None
        return self._evaluators[1].evaluate(node)

    def _passed(self, fields: Fields) -> Iterator[tuple[str, Passed]]:
        """The values of parameters. `AWS::NoValue` passes nothing, so that the Default counts."""
        node = fields.get("Parameters")
        if node is None or self._evaluators is None:
            return
        folding, deciding = self._evaluators
        if isinstance(node, Fields) and not any(name.startswith("Fn::") for name in node.names):
            entries = node.entries
        else:
            whole = folding.evaluate(node)
            chosen = shape.fields(whole, self._problems, "The Parameters of a nested template") if whole else None
            entries = chosen.entries if chosen else ()
        for entry in entries:
            folded = folding.evaluate(entry.value)
            if folded is None:
                continue
            decided = deciding.evaluate(entry.value)
            yield entry.name, self._value(entry, folded, decided)

    def _value(self, entry: Entry, folded: Node, decided: Node | None) -> Passed:
        at = entry.value.position
        if is_broken(folded):
            # The parameter is declared and has a value; which one cannot be told, and that was reported.
            return Passed(folded={"Ref": "AWS::NoValue"}, decided=None, position=at, is_broken=True)
        value, known = _text(folded), _text(decided) if decided is not None else None
        if value is None:
            detail = f"{entry.name} must be passed a text."
            hint = "Join the items of a list with Fn::Join."
            self._problems.add(codes.WRONG_SHAPE, folded, detail, subject=entry.name, hint=hint)
            return Passed(folded={"Ref": "AWS::NoValue"}, decided=None, position=at, is_broken=True)
        return Passed(folded=value, decided=known if isinstance(known, str) else None, position=at)


def _text(node: Node) -> Json:
    """The value as a parameter takes it: a text or an expression, the items of a list with commas; None for others."""
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Expression):
        return node.value
    if isinstance(node, Items):
        try:
            return join([",", [item.text if isinstance(item, Scalar) else to_json(item) for item in node.items]])
        except ResolveError:
            return None
    return None


def _asset(source: Source) -> Scalar | None:
    """The file of a template that the CDK published as an asset; it lies beside the template around it."""
    metadata = source.fields.get("Metadata")
    path = metadata.get("aws:asset:path") if isinstance(metadata, Fields) else None
    return path if isinstance(path, Scalar) and path.text else None


def exported(source: Source, unit: Unit) -> tuple[Output, ...]:
    """The outputs of a nested template that have an export: other processes may import them."""
    own = tuple(replace(one, name=f"{source.name}.{one.name}") for one in unit.outputs if one.export is not None)
    return own + tuple(replace(one, name=f"{source.name}.{one.name}") for one in unit.exports)
