"""compile: a template's text in, a composition out, or every problem of the text at once.

Theory of operation. Each template goes through the passes of `cloudformation.unit`, those that it nests as parts of it;
here they are read, joined and checked as a whole. A part with a problem is marked broken, and later passes are silent
about it. Validations see a composition that compiled without an error. Runs on the client: the Conductor gets the
canonical document and never sees user code.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from tenuto.compositions.checks.managed import Managed, unfit
from tenuto.compositions.checks.provided import default_schemas
from tenuto.compositions.checks.schema import SchemaSource
from tenuto.compositions.cloudformation.reading.foreign import is_foreign
from tenuto.compositions.cloudformation.reading.reader import read
from tenuto.compositions.cloudformation.relations.collisions import check_collisions
from tenuto.compositions.cloudformation.relations.default_egress import without_default_egress
from tenuto.compositions.cloudformation.relations.group_names import known_by_name, naming_groups, outputs_naming_groups
from tenuto.compositions.cloudformation.relations.left_to_others import left_to_others
from tenuto.compositions.cloudformation.relations.own_secrets import reading_own_secrets
from tenuto.compositions.cloudformation.relations.signalled import after_signallers
from tenuto.compositions.cloudformation.sections.own_exports import (
    check_passed_on,
    exports_of,
    importing,
    output_importing,
)
from tenuto.compositions.cloudformation.sections.parameters import Given, Kept, Passed
from tenuto.compositions.cloudformation.sections.resources import Source, joined
from tenuto.compositions.cloudformation.templates.nested_tags import tagged
from tenuto.compositions.cloudformation.templates.placement import Placement, Setting, Unit
from tenuto.compositions.cloudformation.templates.unit import Compiler
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Fields, Node
from tenuto.compositions.diagnostics.places import Places
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.compositions.documents.canonical import digest
from tenuto.compositions.policies.policy import MARK, is_policy
from tenuto.compositions.programs import ENDING, run_program
from tenuto.compositions.template_files import read_text
from tenuto.compositions.validations.kit import Validation
from tenuto.compositions.validations.run import run_validations
from tenuto.errors import CompileError
from tenuto.model.composition import Composition
from tenuto.model.diagnostic import Diagnostic, Position, Severity
from tenuto.model.ids import Json, LogicalId

_MOST_TEMPLATES = 1_000
"""Nested templates of one composition: two lines in each of a few files could otherwise ask for a million."""
_MOST_RESOURCES = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A composition, the clear values of its secrets, which travel apart, and the warnings."""

    composition: Composition
    secrets: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...] = ()
    tagged: tuple[LogicalId, ...] = ()
    """The resources that have tags of the stack besides those that they declare."""


def compile_file(
    path: Path,
    *,
    parameters: Mapping[str, str],
    region: str,
    account_id: str | None = None,
    managed: Managed | None = None,
    validations: Sequence[Validation] = (),
    kept: Mapping[str, Kept] | None = None,
    looked_up: Mapping[str, Json] | None = None,
    tags: Mapping[str, str] | None = None,
) -> Compiled:
    """Compile a file: a template, or a program in Python that makes one. Its name without the ending is the
    composition's.

    `managed` says which resource types, and which properties of them, can be run; everything else is an error then.
    `account_id` lets conditions and mappings ask for the account. `validations` are asked about a composition that
    compiles without an error. `kept` are the parameters of a process, for those that are not given. `looked_up` are
    values of the parameter store by key: with those that a CompileError `waits` for, the same file compiles further.
    `tags` are those of the stack: each resource that carries tags gets them, besides those that it declares.
    Raises CompileError with every diagnostic, warnings included.
    """
    known = kept or {}
    problems = Problems(str(path), "")
    text = read_text(path, problems)
    if text is None:
        raise _failure(problems)
    setting = Setting(
        region=region,
        account_id=account_id,
        schemas=default_schemas(region),
        managed=managed,
        looked_up=looked_up or {},
        tags=tags or {},
    )
    if path.suffix != ENDING:
        return _compiled(text, str(path), {**known, **parameters}, setting, validations)
    problems = Problems(str(path), text)
    made = run_program(path, text, parameters, problems)
    if made is None:
        raise _failure(problems)
    root, taken = made
    declared = root.get("Parameters")
    names = declared.names if isinstance(declared, Fields) else ()
    left = {name: value for name, value in parameters.items() if name in names or name not in taken}
    return _whole(root, text, str(path), {**known, **left}, setting, validations, problems)


def compile_text(
    text: str,
    *,
    file: str,
    parameters: Mapping[str, str],
    region: str,
    account_id: str | None = None,
    managed: Managed | None = None,
    schemas: SchemaSource | None = None,
    validations: Sequence[Validation] = (),
    looked_up: Mapping[str, Json] | None = None,
) -> Compiled:
    """Compile a text; `file` is its name in diagnostics. Otherwise as `compile_file`."""
    schemas = schemas or default_schemas(region)
    setting = Setting(region=region, account_id=account_id, schemas=schemas, managed=managed, looked_up=looked_up or {})
    return _compiled(text.removeprefix("\ufeff"), file, parameters, setting, validations)


def _compiled(
    text: str, file: str, given: Mapping[str, Given], setting: Setting, validations: Sequence[Validation]
) -> Compiled:
    problems = Problems(file, text)
    root = read(text, problems)
    foreign = Problems(file, text)
    if is_foreign(text, root, foreign):
        # Alone: the mistakes that the file has as a template are none.
        raise _failure(foreign)
    if root is None:
        raise _failure(problems)
    if is_policy(root):
        problems.add(codes.POLICY_FILE, root, f"{MARK} makes it a policy; it declares nothing that could run.")
        raise _failure(problems)
    return _whole(root, text, file, given, setting, validations, problems)


def _whole(
    root: Fields,
    text: str,
    file: str,
    given: Mapping[str, Given],
    setting: Setting,
    validations: Sequence[Validation],
    problems: Problems,
) -> Compiled:
    unit = _Files(setting).compile(Placement(files=(file,)), root, text, given, problems)
    if unit is None:
        raise _failure(problems)
    unit, marked = _with_tags(unit, setting)
    composition = _composition(unit, setting.region, problems)
    check_passed_on(composition.outputs, root.get("Outputs"), problems)
    names: dict[str, Position] = {one.logical_id: one.position for one in composition.resources if one.position}
    places = Places(names=names, properties=unit.properties)
    if setting.managed is not None:
        _check_managed(composition, places, unit.sources, setting.managed, problems)
    if problems.has_errors:
        raise _failure(problems)
    composition = replace(composition, name=PurePath(file).stem)
    run_validations(validations, composition, places, problems)
    if problems.has_errors:
        raise _failure(problems)
    return Compiled(
        composition=replace(composition, digest=digest(composition)),
        secrets=dict(unit.secrets),
        diagnostics=problems.diagnostics(),
        tagged=marked,
    )


def _with_tags(unit: Unit, setting: Setting) -> tuple[Unit, tuple[LogicalId, ...]]:
    """The unit with the tags of the stack, and the resources that got any."""
    tags = [{"Key": key, "Value": value} for key, value in setting.tags.items()]
    made = tuple(tagged(one, unit.sources[one.logical_id].schema, tags) for one in unit.declarations)
    changed = tuple(new.logical_id for new, old in zip(made, unit.declarations, strict=True) if new is not old)
    return replace(unit, declarations=made), changed


class _Files:
    """The templates of one composition. A file that is nested more than once is read once."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._texts: dict[Path, str] = {}
        self._count = 0

    def compile(
        self,
        placement: Placement,
        root: Fields,
        text: str,
        given: Mapping[str, Given],
        problems: Problems,
    ) -> Unit | None:
        compiler = Compiler(
            setting=self._setting, placement=placement, problems=problems, compile_file=self.compile_file
        )
        return compiler.compile(root, text, given)

    def compile_file(
        self, path: Path, placement: Placement, given: Mapping[str, Passed], problems: Problems, at: Node
    ) -> Unit | None:
        self._count += 1
        if self._count > _MOST_TEMPLATES:
            detail = f"The templates of a composition nest {_MOST_TEMPLATES:,} others, and no more are allowed."
            problems.add(codes.NESTED_TOO_DEEP, at, detail, once="templates")
            return None
        if path not in self._texts:
            reading = problems.other(str(path), "")
            text = read_text(path, reading)
            if text is None:
                return None
            self._texts[path] = text
        text = self._texts[path]
        own = problems.other(str(path), text)
        root = read(text, own)
        return self.compile(placement, root, text, given, own) if root is not None else None


def _composition(unit: Unit, region: str, problems: Problems) -> Composition:
    """The whole composition, after the checks that need all templates together."""
    if len(unit.declarations) > _MOST_RESOURCES:
        detail = f"There are {len(unit.declarations):,} resources; {_MOST_RESOURCES:,} are allowed."
        problems.add(codes.TOO_MANY_RESOURCES, None, detail)
    if not unit.declarations and not problems.has_errors:
        detail = "The nested templates declare no resources with these parameters, and there are no others."
        problems.add(codes.NOTHING_LEFT, None, detail)
    outputs = (*unit.outputs, *unit.exports)
    declared = unit.declarations
    if unit.exports:
        exports = exports_of(outputs, problems)
        declared = tuple(importing(one, exports) for one in declared)
        outputs = tuple(output_importing(one, exports) for one in outputs)
    declarations = without_default_egress(joined(declared, unit.members, problems))
    check_collisions(declarations, problems)
    groups = known_by_name(declarations)
    declarations = naming_groups(declarations, lambda name: unit.sources[name].schema, groups)
    declarations = after_signallers(left_to_others(declarations))
    declarations, opened = reading_own_secrets(declarations, unit.open)
    outputs = tuple(sorted(outputs, key=lambda one: one.name))
    return Composition(
        name="",
        digest="",
        region=region,
        description=unit.description,
        values=dict(sorted(unit.values.items())),
        parameters=dict(sorted(opened.items())),
        resources=declarations,
        outputs=outputs_naming_groups(outputs, groups),
        assertions=unit.assertions,
    )


def _check_managed(
    composition: Composition, places: Places, sources: Mapping[str, Source], managed: Managed, problems: Problems
) -> None:
    """Report the resources that no provider can run. A type that is not known at all was reported before."""
    known = [one for one in composition.resources if sources[one.logical_id].schema is not None]
    for one in unfit(known, managed):
        node = sources[one.logical_id].fields.get("Type")
        at = places.find(one.logical_id, one.path) if one.path else node and node.position
        problems.add(one.code, at, one.detail, subject=one.subject, hint=one.hint)


def _failure(problems: Problems) -> CompileError:
    diagnostics = problems.diagnostics()
    count = sum(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)
    what = "1 error" if count == 1 else f"{count} errors"
    return CompileError(f"{problems.file} has {what}", diagnostics, waits=problems.waits)
