"""compile: a template's text in, a composition out, or every problem of the text at once.

Theory of operation. Four passes over one tree: the reader gives it places, the sections give it names, evaluation folds
what can be decided, the schema check gives the properties their types. No pass stops the next one unless there is
nothing left to look at; a part with a problem is marked broken, and later passes are silent about it. Validations see
what came out without an error. Runs on the client: the Conductor gets the canonical document and never sees user code.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from tenuto.compositions import codes
from tenuto.compositions.access_policy import MARK, is_policy
from tenuto.compositions.canonical import digest
from tenuto.compositions.cloudformation.bootstrap_rule import needed_parameters
from tenuto.compositions.cloudformation.building import most_nodes
from tenuto.compositions.cloudformation.conditions import Conditions
from tenuto.compositions.cloudformation.default_egress import without_default_egress
from tenuto.compositions.cloudformation.dynamic_references import DynamicReferences
from tenuto.compositions.cloudformation.evaluator import Evaluator
from tenuto.compositions.cloudformation.foreign import is_foreign
from tenuto.compositions.cloudformation.group_names import known_by_name, naming_groups, outputs_naming_groups
from tenuto.compositions.cloudformation.loops import Loops
from tenuto.compositions.cloudformation.mappings import compile_mappings
from tenuto.compositions.cloudformation.outputs import compile_outputs
from tenuto.compositions.cloudformation.parameters import Parameters, compile_parameters
from tenuto.compositions.cloudformation.reader import LARGEST_FILE_BYTES, read
from tenuto.compositions.cloudformation.resources import Resources, Source, check_any_left, left_out, with_conditions
from tenuto.compositions.cloudformation.rule_conditions import RuleConditions
from tenuto.compositions.cloudformation.rules_section import RulesSection
from tenuto.compositions.cloudformation.scope import Scope, region_values
from tenuto.compositions.cloudformation.template import (
    Template,
    check_types,
    known_sections,
    open_template,
    parameter_section,
    resource_sources,
)
from tenuto.compositions.cloudformation.transforms import Transforms, open_transforms
from tenuto.compositions.cloudformation.unsubstituted import check_unsubstituted
from tenuto.compositions.managed import Managed, unfit
from tenuto.compositions.nodes import Fields
from tenuto.compositions.places import Places
from tenuto.compositions.problems import Problems
from tenuto.compositions.provided import default_schemas
from tenuto.compositions.schema import SchemaSource
from tenuto.compositions.validation_run import run_validations
from tenuto.compositions.validations import Validation
from tenuto.core.language.resolve import Environment
from tenuto.errors import CompileError
from tenuto.model.composition import Assertion, Composition
from tenuto.model.diagnostic import Diagnostic, Position, Severity
from tenuto.model.ids import Json

_NO_TEXT = (
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
    (b"\x1f\x8b", "compressed by gzip"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"%PDF-", "a PDF document"),
    (b"\x7fELF", "a program"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"SQLite format 3\x00", "a database"),
)
"""The first bytes of files that are given by mistake, each with the name of the format."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A composition, the clear values of its secrets, which travel apart, and the warnings."""

    composition: Composition
    secrets: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...] = ()


def compile_file(
    path: Path,
    *,
    parameters: Mapping[str, str],
    region: str,
    account_id: str | None = None,
    managed: Managed | None = None,
    validations: Sequence[Validation] = (),
) -> Compiled:
    """Compile a file. Its name without the ending is the composition's.

    `managed` says which resource types can be run, and what of them; everything else is an error then. `account_id`
    lets conditions and mappings ask for the account. `validations` are asked about what compiles without an error.
    Raises CompileError with every diagnostic, warnings included.
    """
    problems = Problems(str(path), "")
    try:
        # One byte more than is allowed tells that a file is too large without reading all of a huge one.
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        problems.add(codes.FILE_UNREADABLE, None, f"{path}: {error.strerror or error}.")
        raise _failure(problems) from error
    if kind := next((kind for mark, kind in _NO_TEXT if content.startswith(mark)), ""):
        is_text = kind.startswith("text")
        hint = "" if is_text else "Give the template itself, which is text in YAML or JSON."
        problems.add(codes.NOT_UTF8, None, f"{path} is {kind}.", hint=hint)
        raise _failure(problems)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        if len(content) <= LARGEST_FILE_BYTES:
            line = content.count(b"\n", 0, error.start) + 1
            detail = f"Byte {error.start} of {path}, on line {line}, cannot be part of UTF-8 text."
            problems.add(codes.NOT_UTF8, None, detail)
            raise _failure(problems) from error
        text = content.decode("utf-8", errors="replace")
    return compile_text(
        text,
        file=str(path),
        parameters=parameters,
        region=region,
        account_id=account_id,
        managed=managed,
        validations=validations,
    )


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
) -> Compiled:
    """Compile a text; `file` is what diagnostics call it. Otherwise as `compile_file`."""
    text = text.removeprefix("\ufeff")
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
    transforms = open_transforms(root, problems)
    problems.excuse(transforms.could_change)
    root = known_sections(root, problems)
    values = compile_parameters(parameter_section(root, problems), parameters, problems)
    expanded = _expanded(root, transforms, values, region, account_id, most_nodes(text), problems)
    template = open_template(expanded, problems) if expanded else None
    if template is None or template.resources is None:
        raise _failure(problems)
    schemas = schemas or default_schemas(region)
    sources = resource_sources(template, schemas, problems)
    scope = _scope(template, transforms, values, sources, region, account_id, problems)
    conditions = _conditions(template, scope, problems)
    if transforms.has_language_extensions:
        sources = with_conditions(sources, Evaluator(scope, scope.deciding, problems).evaluate, problems)
    absent = left_out(sources.values(), conditions, problems)
    check_types(sources, absent, schemas, region, managed, problems)
    check_any_left(sources, absent, problems)
    check_unsubstituted(sources.values(), absent, template.outputs, scope, problems)
    composition, places = _fold(template, scope, sources, values, conditions, absent, problems)
    if managed is not None:
        _check_managed(composition, places, sources, managed, problems)
    if problems.has_errors:
        raise _failure(problems)
    composition = replace(composition, name=PurePath(file).stem)
    run_validations(validations, composition, places, problems)
    if problems.has_errors:
        raise _failure(problems)
    return Compiled(
        composition=replace(composition, digest=digest(composition)),
        secrets=dict(values.secrets),
        diagnostics=problems.diagnostics(),
    )


def _expanded(
    root: Fields,
    transforms: Transforms,
    values: Parameters,
    region: str,
    account_id: str | None,
    most: int,
    problems: Problems,
) -> Fields | None:
    """The template without loops. Their lists are written into the composition, so they hold no secrets."""
    declared, mappings = root.get("Resources"), root.get("Mappings")
    known = _environment(region, account_id, values.folded)
    scope = Scope(
        region=region,
        folding=known,
        deciding=known,
        parameters=values.names,
        resources=dict.fromkeys(declared.names if isinstance(declared, Fields) else ()),
        mappings=compile_mappings(mappings, problems) if isinstance(mappings, Fields) else {},
        has_language_extensions=transforms.has_language_extensions,
    )
    evaluate = Evaluator(scope, known, problems).evaluate
    return Loops(
        evaluate,
        problems,
        secrets=values.secrets.keys(),
        is_allowed=transforms.has_language_extensions,
        most_nodes=most,
    ).expand(root)


def _environment(region: str, account_id: str | None, parameters: Mapping[str, Json]) -> Environment:
    account = {"AWS::AccountId": account_id} if account_id else {}
    return Environment(references={**region_values(region), **account, **parameters}, region=region)


def _scope(
    template: Template,
    transforms: Transforms,
    values: Parameters,
    sources: Mapping[str, Source],
    region: str,
    account_id: str | None,
    problems: Problems,
) -> Scope:
    return Scope(
        region=region,
        folding=_environment(region, None, values.folded),
        deciding=_environment(region, account_id, values.decided),
        parameters=values.names,
        resources={name: source.schema for name, source in sources.items()},
        mappings=compile_mappings(template.mappings, problems),
        inert=frozenset(name for name, source in sources.items() if source.is_inert),
        has_language_extensions=transforms.has_language_extensions,
    )


def _conditions(template: Template, scope: Scope, problems: Problems) -> Conditions:
    section = template.conditions
    decided = Evaluator(scope, scope.deciding, problems)
    conditions = Conditions(
        {entry.name: entry.value for entry in section.entries} if section else {}, decided.evaluate, problems
    )
    conditions.check()
    return conditions


def _assertions(
    template: Template, scope: Scope, values: Parameters, conditions: Conditions, problems: Problems
) -> tuple[Assertion, ...]:
    deciding, folding = (
        RuleConditions(
            Evaluator(scope, environment, problems, conditions=conditions).evaluate,
            conditions,
            frozenset(values.names),
            frozenset(values.open),
            problems,
        )
        for environment in (scope.deciding, scope.folding)
    )
    return RulesSection(deciding, folding, frozenset(values.secrets), problems).compile(template.rules)


def _fold(
    template: Template,
    scope: Scope,
    sources: Mapping[str, Source],
    values: Parameters,
    conditions: Conditions,
    absent: frozenset[str],
    problems: Problems,
) -> tuple[Composition, Places]:
    evaluator = Evaluator(scope, scope.folding, problems, conditions=conditions, left_out=absent)
    deciding = Evaluator(scope, scope.deciding, problems, conditions=conditions, left_out=absent)
    dynamic = DynamicReferences(problems)
    resources = Resources(sources, absent, evaluator, deciding, dynamic, problems)
    declarations = without_default_egress(resources.compile())
    outputs = compile_outputs(template.outputs, conditions, evaluator, problems)
    groups = known_by_name(declarations)
    declarations = naming_groups(declarations, lambda name: sources[name].schema, groups)
    outputs = outputs_naming_groups(outputs, groups)
    composition = Composition(
        name="",
        digest="",
        region=scope.region,
        description=template.description,
        values=dict(sorted(values.values.items())),
        resources=declarations,
        outputs=outputs,
        assertions=_assertions(template, scope, values, conditions, problems),
    )
    parameters = needed_parameters({**values.open, **dynamic.parameters}, composition, template.rules)
    composition = replace(composition, parameters=dict(sorted(parameters.items())))
    names: dict[str, Position] = {one.logical_id: one.position for one in declarations if one.position}
    return composition, Places(names=names, properties=resources.properties)


def _check_managed(
    composition: Composition, places: Places, sources: Mapping[str, Source], managed: Managed, problems: Problems
) -> None:
    """Report what nothing can run. A type that is not known at all was reported before."""
    known = [one for one in composition.resources if sources[one.logical_id].schema is not None]
    for one in unfit(known, managed):
        node = sources[one.logical_id].fields.get("Type")
        at = places.find(one.logical_id, one.path) if one.path else node and node.position
        problems.add(one.code, at, one.detail, subject=one.subject, hint=one.hint)


def _failure(problems: Problems) -> CompileError:
    diagnostics = problems.diagnostics()
    count = sum(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)
    what = "1 error" if count == 1 else f"{count} errors"
    return CompileError(f"{problems.file} has {what}", diagnostics)
