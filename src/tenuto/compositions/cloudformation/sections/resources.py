"""The Resources section: each entry becomes a `Declaration`, its properties folded, checked and typed."""

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, replace

from tenuto.compositions.checks.schema import TypeSchema
from tenuto.compositions.checks.schema_check import SchemaCheck
from tenuto.compositions.cloudformation.dialects.packaging import check_packaged
from tenuto.compositions.cloudformation.functions.conditions import Conditions
from tenuto.compositions.cloudformation.functions.dynamic_references import DynamicReferences
from tenuto.compositions.cloudformation.functions.evaluator import Evaluator
from tenuto.compositions.cloudformation.functions.undecidable import report_undecidable
from tenuto.compositions.cloudformation.property_rules.check import check_rules
from tenuto.compositions.cloudformation.reading import shape
from tenuto.compositions.cloudformation.sections import policies, table_keys
from tenuto.compositions.cloudformation.sections.metadata_for_tenuto import check_metadata, names_existing
from tenuto.compositions.cloudformation.sections.policy_documents import check_policies
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Broken, Entry, Expression, Fields, Node, Scalar, to_json
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.compositions.documents.circles import find_circles
from tenuto.core.language.resolve import referenced_resources
from tenuto.kit.nearest import did_you_mean
from tenuto.model.composition import Declaration, DeletionPolicy
from tenuto.model.diagnostic import Position
from tenuto.model.ids import Json, LogicalId, TypeName

STACK = "AWS::CloudFormation::Stack"
_INERT = frozenset({"AWS::CDK::Metadata"})
"""Types without a thing behind them. The CDK puts one in every template, to count how it is used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A resource as it stands in the file, once its type is known."""

    entry: Entry
    fields: Fields
    type: str
    schema: TypeSchema | None
    spelled: Scalar | None = None
    """The type as it stands in the file; None when there is none."""

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def is_stack(self) -> bool:
        """Whether the resource is a nested template."""
        return self.type == STACK

    @property
    def is_inert(self) -> bool:
        """Whether CloudFormation itself makes nothing of the resource."""
        return self.type in _INERT


def with_conditions(
    sources: Mapping[str, Source], decide: Callable[[Node], Node | None], problems: Problems
) -> dict[str, Source]:
    """The resources with names for conditions that are functions, which the language extensions allow."""
    found = dict(sources)
    for name, source in sources.items():
        entry = source.fields.entry("Condition")
        if entry is not None and not isinstance(entry.value, Scalar):
            value = decide(entry.value)
            if isinstance(value, Expression):
                report_undecidable(value, "The condition of a resource", problems)
                value = Broken(position=value.position)
            others = tuple(one for one in source.fields.entries if one is not entry)
            chosen = (replace(entry, value=value),) if value is not None else ()
            found[name] = replace(source, fields=replace(source.fields, entries=(*others, *chosen)))
    return found


def left_out(sources: Iterable[Source], conditions: Conditions, problems: Problems) -> frozenset[str]:
    """The resources that nothing is made of: their condition is false, or their type makes nothing.

    One whose condition cannot be told stays: its error is reported.
    """
    found: set[str] = set()
    for source in sources:
        if source.is_inert:
            found.add(source.name)
        node = source.fields.get("Condition")
        if node is None or not conditions.knows(node):
            continue
        name = shape.text(node, problems, "The condition of a resource")
        if name is not None and conditions.value(name) is False:
            found.add(source.name)
    return frozenset(found)


def check_any_left(sources: Mapping[str, Source], absent: frozenset[str], problems: Problems) -> None:
    """Report a template of which nothing is left, at the conditions that leave it out.

    A run of it would make nothing, and an update to it would delete all that the process has: a wrong value of a
    parameter should do neither.
    """
    real = [source for source in sources.values() if not source.is_inert]
    if any(source.name not in absent for source in real):
        return
    if not real:
        one = next(iter(sources.values()), None)
        if one is not None:
            detail = f"{one.name} is of type {one.type}, which makes nothing, and there is no other resource."
            problems.add(codes.NOTHING_LEFT, one.entry.key, detail, subject=one.name)
        return
    for source in real:
        node = source.fields.get("Condition")
        if node is not None:
            name = node.text if isinstance(node, Scalar) else ""
            detail = f"The condition {name} is false with these parameters, and no other resource is left."
            problems.add(codes.NOTHING_LEFT, node, detail, subject=name, once=name)


class Resources:
    """Compiles resources one by one."""

    def __init__(
        self,
        sources: Mapping[str, Source],
        absent: frozenset[str],
        evaluator: Evaluator,
        deciding: Evaluator,
        dynamic: DynamicReferences,
        problems: Problems,
        *,
        scoped: Callable[[str], str],
        nested: Container[str] = (),
        more: Mapping[str, Mapping[str, Json]] | None = None,
    ) -> None:
        self._more = more or {}
        self._scoped = scoped
        self._nested = nested
        self._sources = sources
        self._absent = absent
        self._evaluator = evaluator
        self._deciding = deciding
        self._dynamic = dynamic
        self._problems = problems
        self.properties: dict[str, Fields] = {}
        """The folded properties of the compiled resources, with their places."""

    def compile(self) -> tuple[Declaration, ...]:
        """Every resource that is not left out, by logical id. `depends_on` may name nested templates, and the targets
        of all references in the properties."""
        declarations = [found for source in self._sources.values() if (found := self._declaration(source))]
        return tuple(sorted(declarations, key=lambda declaration: declaration.logical_id))

    def within(self, source: Source, members: Iterable[Declaration]) -> tuple[Declaration, ...]:
        """The declarations of a nested template with the attributes that the resource around it gives to them all."""
        depends_on = self._explicit(source)
        policy, _ = self._policies(source, live=True)
        keeps = policy in (DeletionPolicy.RETAIN, DeletionPolicy.RETAIN_EXCEPT_ON_CREATE)
        return tuple(
            replace(
                one,
                depends_on=tuple(sorted({*one.depends_on, *depends_on})),
                deletion_policy=policy if keeps else one.deletion_policy,
            )
            for one in members
        )

    def _declaration(self, source: Source) -> Declaration | None:
        live = source.name not in self._absent
        if source.name in self._nested:
            return None
        explicit = self._explicit(source)
        metadata, accepted = self._metadata(source, live)
        deletion, replacement = self._policies(source, live)
        properties = {**self._properties(source, live, accepted), **self._more.get(source.name, {})}
        if not live:
            return None
        implied = referenced_resources(properties)
        return Declaration(
            logical_id=LogicalId(self._scoped(source.name)),
            type=TypeName(source.type),
            properties=properties,
            depends_on=tuple(LogicalId(name) for name in sorted({*explicit, *implied})),
            deletion_policy=deletion,
            replace_policy=replacement,
            metadata=metadata,
            position=source.entry.key.position,
        )

    def _policies(self, source: Source, live: bool) -> tuple[DeletionPolicy, DeletionPolicy]:
        return policies.compile_policies(
            source.type, source.fields, lambda node: self._deciding.evaluate(node, live), self._problems
        )

    def _properties(self, source: Source, live: bool, accepted: Container[str]) -> dict[str, Json]:
        entry = source.fields.entry("Properties")
        at = entry.key.position if entry else source.entry.key.position
        value: Node | None = Fields(entries=(), position=at)
        if entry is not None:
            value = self._evaluator.evaluate(entry.value, live)
        if value is None:
            value = Fields(entries=(), position=at)
        node = shape.fields(value, self._problems, f"The properties of {source.name}") if live else None
        if node is None:
            return {}
        self.properties[self._scoped(source.name)] = node
        node = check_packaged(source.name, source.type, node, self._problems)
        replaced = self._dynamic.replace(node)
        return self._checked(source, replaced if isinstance(replaced, Fields) else node, at, accepted)

    def _checked(self, source: Source, node: Fields, at: Position, accepted: Container[str]) -> dict[str, Json]:
        if source.schema is None or not source.schema.document:
            plain: dict[str, Json] = to_json(node)
            return plain
        subject = f"Resources.{source.name}.Properties"
        with self._problems.judging(source.type, accepted):
            node = check_policies(source.type, node, subject, self._problems)
            is_adopted = names_existing(source.fields.entry("Metadata"))
            check_rules(source.type, node, subject, self._problems, at, is_adopted=is_adopted)
            if source.type == table_keys.TYPE:
                table_keys.check_table_keys(node, subject, self._problems)
            return SchemaCheck(source.schema, subject, self._problems).check(node, at)

    def _metadata(self, source: Source, live: bool) -> tuple[dict[str, Json], frozenset[str]]:
        """The metadata, and the codes of problems that they accept."""
        node = source.fields.get("Metadata")
        if node is None:
            return {}, frozenset()
        value = self._evaluator.evaluate(node, live)
        fields = shape.fields(value, self._problems, f"The metadata of {source.name}") if value and live else None
        if fields is None:
            return {}, frozenset()
        accepted = check_metadata(fields, source.type, source.schema, source.name, self._problems)
        metadata: dict[str, Json] = to_json(fields)
        return metadata, accepted

    def _explicit(self, source: Source) -> tuple[LogicalId, ...]:
        """The names in `DependsOn`. A resource that is left out is nothing to wait for."""
        node = source.fields.get("DependsOn")
        names = shape.texts(node, self._problems, "DependsOn") if node else None
        for found in names or ():
            if found.text not in self._sources:
                self._unknown_dependency(source, found)
        return tuple(
            LogicalId(self._scoped(found.text))
            for found in names or ()
            if found.text in self._sources and found.text not in self._absent
        )

    def _unknown_dependency(self, source: Source, found: Scalar) -> None:
        self._problems.add(
            codes.UNKNOWN_DEPENDENCY,
            found,
            f"{source.name} depends on {found.text}, which is no resource of this composition.",
            subject=source.name,
            hint=did_you_mean(found.text, self._sources),
        )


def joined(
    declarations: Iterable[Declaration], members: Mapping[str, tuple[str, ...]], problems: Problems
) -> tuple[Declaration, ...]:
    """The declarations of all templates. `depends_on` holds resources only: all `members` of a nested template that is
    named, and nothing that is no resource. Circles between them are reported."""
    given = {one.logical_id: one for one in declarations}
    known: dict[str, tuple[str, ...]] = {**members, **{name: (name,) for name in given}}
    found = {}
    for name, one in given.items():
        needed = {LogicalId(member) for other in one.depends_on for member in known.get(other, ()) if member in given}
        found[name] = replace(one, depends_on=tuple(sorted(needed)))
    _check_circles(found, problems)
    return tuple(found[name] for name in sorted(found))


def _check_circles(declarations: Mapping[LogicalId, Declaration], problems: Problems) -> None:
    edges: dict[str, tuple[str, ...]] = {name: one.depends_on for name, one in declarations.items()}
    for circle in find_circles(edges):
        chain = " -> ".join(
            f"{name} ({_line(declarations[LogicalId(name)], problems.file)})" for name in (*circle, circle[0])
        )
        at = declarations[LogicalId(circle[0])].position
        what = f"{chain}: each waits for the next one."
        problems.add(codes.CIRCULAR_DEPENDENCY, at, what, subject=circle[0])


def _line(declaration: Declaration, file: str) -> str:
    position = declaration.position
    if position is None:
        return "no line"
    return f"line {position.line}" if position.file == file else f"{position.file}:{position.line}"
