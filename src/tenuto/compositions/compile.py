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
from tenuto.compositions.cloudformation.conditions import Conditions
from tenuto.compositions.cloudformation.dynamic_references import DynamicReferences
from tenuto.compositions.cloudformation.evaluator import Evaluator
from tenuto.compositions.cloudformation.foreign import is_foreign
from tenuto.compositions.cloudformation.mappings import compile_mappings
from tenuto.compositions.cloudformation.outputs import compile_outputs
from tenuto.compositions.cloudformation.parameters import Parameters, compile_parameters
from tenuto.compositions.cloudformation.reader import LARGEST_FILE_BYTES, read
from tenuto.compositions.cloudformation.resources import Resources, Source, left_out
from tenuto.compositions.cloudformation.scope import Scope, region_values
from tenuto.compositions.cloudformation.template import Template, has_transform, open_template, resource_sources
from tenuto.compositions.places import Places
from tenuto.compositions.problems import Problems
from tenuto.compositions.schema import SchemaSource, default_schemas
from tenuto.compositions.validation_run import run_validations
from tenuto.compositions.validations import Validation
from tenuto.core.resolve import Environment
from tenuto.errors import CompileError
from tenuto.model.composition import Composition
from tenuto.model.diagnostic import Diagnostic, Position, Severity


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
    managed: frozenset[str] | None = None,
    validations: Sequence[Validation] = (),
) -> Compiled:
    """Compile a file. Its name without the ending is the composition's.

    `managed` names the resource types that the Conductor can run; others are errors then. `account_id` lets conditions
    and mappings ask for the account. `validations` are asked about what compiles without an error. Raises CompileError
    with every diagnostic, warnings included.
    """
    problems = Problems(str(path), "")
    try:
        # One byte more than is allowed tells that a file is too large without reading all of a huge one.
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        problems.add(codes.FILE_UNREADABLE, None, f"{path}: {error.strerror or error}.")
        raise _failure(problems) from error
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        if len(content) <= LARGEST_FILE_BYTES:
            detail = f"Byte {error.start} of {path} cannot be part of UTF-8 text."
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
    managed: frozenset[str] | None = None,
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
    if has_transform(root, problems):
        raise _failure(problems)
    template = open_template(root, problems)
    values = compile_parameters(template.parameters, parameters, problems)
    if template.resources is None:
        raise _failure(problems)
    sources = resource_sources(template, schemas or default_schemas(region), region, managed, problems)
    scope = _scope(template, values, sources, region, account_id, problems)
    composition, places = _fold(template, scope, sources, values, problems)
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


def _scope(
    template: Template,
    values: Parameters,
    sources: Mapping[str, Source],
    region: str,
    account_id: str | None,
    problems: Problems,
) -> Scope:
    always = region_values(region)
    account = {"AWS::AccountId": account_id} if account_id else {}
    return Scope(
        region=region,
        folding=Environment(references={**always, **values.folded}, region=region),
        deciding=Environment(references={**always, **account, **values.decided}, region=region),
        parameters=values.names,
        resources={name: source.schema for name, source in sources.items()},
        mappings=compile_mappings(template.mappings, problems),
    )


def _fold(
    template: Template, scope: Scope, sources: Mapping[str, Source], values: Parameters, problems: Problems
) -> tuple[Composition, Places]:
    section = template.conditions
    decided = Evaluator(scope, scope.deciding, problems)
    conditions = Conditions(
        {entry.name: entry.value for entry in section.entries} if section else {}, decided.evaluate, problems
    )
    conditions.check()
    absent = left_out(sources.values(), conditions, problems)
    evaluator = Evaluator(scope, scope.folding, problems, conditions=conditions, left_out=absent)
    dynamic = DynamicReferences(problems)
    resources = Resources(sources, absent, evaluator, dynamic, problems)
    declarations = resources.compile()
    outputs = compile_outputs(template.outputs, conditions, evaluator, problems)
    composition = Composition(
        name="",
        digest="",
        region=scope.region,
        description=template.description,
        parameters=dict(sorted({**values.open, **dynamic.parameters}.items())),
        values=dict(sorted(values.values.items())),
        resources=declarations,
        outputs=outputs,
    )
    names: dict[str, Position] = {one.logical_id: one.position for one in declarations if one.position}
    return composition, Places(names=names, properties=resources.properties)


def _failure(problems: Problems) -> CompileError:
    diagnostics = problems.diagnostics()
    count = sum(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)
    what = "1 error" if count == 1 else f"{count} errors"
    return CompileError(f"{problems.file} has {what}", diagnostics)
