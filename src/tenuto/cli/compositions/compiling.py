"""Compiling a composition on the client, for every command that takes a file."""

import linecache
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass, field, replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from tenuto.cli.client.client import Client
from tenuto.cli.options.files import ExistingFile
from tenuto.cli.options.options import names_of, pairs
from tenuto.cli.terminal import terminal
from tenuto.cli.terminal.exits import ApiProblem, CommandEnd, Exit, UnreachableError
from tenuto.cli.terminal.session import Session
from tenuto.core.access.accounts import check_listed
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic, Severity
from tenuto.model.ids import Json, JsonMap, TypeName
from tenuto.model.open_types import OpenTypes

if TYPE_CHECKING:
    from tenuto.compositions.checks.managed import Managed
    from tenuto.compositions.cloudformation.sections.parameters import Kept
    from tenuto.compositions.compile import Compiled

_F = TypeVar("_F", bound=Callable[..., Any])
_T = TypeVar("_T")

Values = Mapping[str, Json]
"""Values of the parameter store, by key."""

_AWS_TYPE = re.compile(rb"""Type["']?\s*:\s*["']?AWS::""")
_ACCOUNT_ID = re.compile(r"\d{12}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file and how it is to be compiled, as the options said."""

    file: Path
    region: str | None
    account: str | None
    parameters: Mapping[str, str]
    werror: bool
    validations: tuple[Path, ...] = ()
    stack: str = ""
    """The name or pattern of --stack: which stacks of an assembly are meant."""
    account_id: str | None = None
    """The account id that the Conductor recorded; None while it is unknown."""
    is_after_others: bool = False
    """True when other stacks were sent by the same command before this one is compiled."""
    is_region_known: bool = False
    """True when the Conductor uses the region already."""
    keeps_parameters: bool = False
    kept: "Mapping[str, Kept]" = field(default_factory=dict)
    """The parameters of the process, where they are to be kept."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """The tags of the stack of an assembly."""
    looked_up: Values = field(default_factory=dict)
    """Values of the parameter store that are known without a Conductor, by key."""


class UnknownValueProblem(ApiProblem):
    """The Conductor has no value for a key of the parameter store that a compilation asks for."""


def compile_options(function: _F) -> _F:
    """The options of every command that takes a file; the command gets them as `source`."""
    return _compile_options(function, is_required=True)


def optional_compile_options(function: _F) -> _F:
    """The options of `compile_options` for a command whose file may be missing; `source` is None then."""
    return _compile_options(function, is_required=False)


def _compile_options(function: _F, *, is_required: bool) -> _F:
    @wraps(function)
    def gathered(*args: Any, **options: Any) -> Any:
        file = options.pop("file")
        source = Source(
            file=file,
            region=options.pop("region"),
            account=options.pop("account"),
            parameters=options.pop("parameter"),
            werror=options.pop("werror"),
            validations=options.pop("validations"),
            stack=options.pop("stack") or "",
        )
        return function(*args, source=source if file else None, **options)

    decorated: Any = gathered
    for decorate in (
        click.option("--werror", is_flag=True, help="Take warnings for errors."),
        click.option(
            "--validations",
            multiple=True,
            type=click.Path(path_type=Path),
            metavar="DIR|FILE",
            help="Rules in Python that FILE must keep, besides those of TENUTO_VALIDATIONS; may be repeated.",
        ),
        click.option(
            "--parameter",
            "-p",
            multiple=True,
            metavar="KEY=VALUE",
            callback=pairs,
            help="The value of a parameter; may be repeated.",
        ),
        click.option(
            "--account",
            shell_complete=names_of("accounts"),
            help="The target account, by name or id; default: the Conductor's own.",
        ),
        click.option(
            "--region",
            help="The region to compile for; default: the account's (TENUTO_REGION, AWS_REGION; else us-east-1).",
        ),
        click.option(
            "--stack",
            metavar="NAME",
            help="One stack of an assembly of the CDK, whose folder FILE is; a pattern such as 'Prod/*' names several.",
        ),
        click.argument("file", required=is_required, type=ExistingFile(takes_assemblies=True)),
    ):
        decorated = decorate(decorated)
    return cast(_F, decorated)


def compile_source(
    session: Session,
    source: Source,
    *,
    managed: "Managed | None" = None,
    look_up: Callable[[str, Sequence[str]], Values] | None = None,
) -> "Compiled":
    """Compile, with every problem told on stderr. `look_up` tells values of the parameter store that conditions wait
    for, by region and keys. Raises CommandEnd with exit 3 when there is an error."""
    from tenuto.compositions.compile import compile_file
    from tenuto.compositions.validations.files import load_validations

    account = source.account_id or source.account or ""
    region = source.region or session.settings.region
    if not source.is_region_known and session.settings.more_regions.missing(region) and _names_aws(source.file):
        # Before all else: in a wrong region, mappings and types have mistakes that are none.
        check_listed(region, session.settings.more_regions)
    try:
        # The output of a rule is for people: stdout is for the result.
        with redirect_stdout(terminal.Told()):
            validations = load_validations((*session.settings.validations, *source.validations))
            compiled = with_answers(
                lambda looked_up: compile_file(
                    source.file,
                    parameters=source.parameters,
                    region=region,
                    account_id=account if _ACCOUNT_ID.fullmatch(account) else None,
                    managed=managed,
                    validations=validations,
                    kept=source.kept,
                    looked_up=looked_up,
                    tags=source.tags,
                ),
                source.looked_up,
                look_up and partial(look_up, region),
            )
    except CompileError as failed:
        found = tuple(one for one in failed.diagnostics if isinstance(one, Diagnostic))
        if not found:
            raise
        show_diagnostics(session, found)
        raise _end(source, found, Severity.ERROR) from failed
    if compiled.diagnostics:
        show_diagnostics(session, compiled.diagnostics)
        end_with(session, source, compiled.diagnostics)
    return compiled


def with_answers(
    compile_: Callable[[Values], _T], known: Values, look_up: Callable[[Sequence[str]], Values] | None
) -> _T:
    """The compilation with all that it waits for. An answer may lead to further questions: to a nested template. Raises
    CompileError, also for a question without an answer."""
    while True:
        try:
            return compile_(known)
        except CompileError as failed:
            new = sorted(set(failed.waits) - known.keys())
            answers = look_up(new) if look_up and new else {}
            if not answers:
                raise
            known = {**known, **answers}


def _names_aws(file: Path) -> bool:
    """Whether the file, which may be broken, has resources of AWS. The regions of other providers are their own."""
    try:
        return _AWS_TYPE.search(file.read_bytes()) is not None
    except OSError:
        return False


def _managed(document: JsonMap) -> "Managed":
    """The types of a Conductor; those without a block of their own can hold every property."""
    from tenuto.compositions.checks.managed import Managed

    types = {TypeName(one["name"]): one["refused"] for one in document["types"]}
    more: dict[TypeName, Any] = {TypeName(name): {} for one in document.get("more", ()) for name in one["names"]}
    # A name such as Custom::* stands for every type of its prefix.
    known = {**more, **types}
    every = tuple(name.removesuffix("*") for name in known if name.endswith("::*"))
    return Managed(
        types=OpenTypes(known, lambda name: known.get(name, {} if every and name.startswith(every) else None))
    )


def compile_for(session: Session, client: Client, source: Source, *, asks: bool) -> "Compiled":
    """Compile for a Conductor: a resource that it cannot run is an error, warnings are asked about when `asks`.

    Errors of the file come before those of the way to the Conductor: they can be corrected without one.
    """
    managed: Managed | None = None
    unreachable: UnreachableError | None = None
    try:
        managed = _managed(client.get("types"))
    except UnreachableError as failed:
        unreachable = failed
    look_up = None if unreachable else partial(_looked_up, client, source.account)
    compiled = compile_source(session, source, managed=managed, look_up=look_up)
    if unreachable is not None:
        raise unreachable
    violations = _violations(client, source, compiled)
    show_diagnostics(session, violations)
    end_with(session, source, violations)
    count = len(compiled.diagnostics) + len(violations)
    if count and asks:
        session.confirm(f"Go on in spite of {count} warning{'' if count == 1 else 's'}?")
    return compiled


def _looked_up(client: Client, account: str | None, region: str, keys: Sequence[str]) -> Values:
    """Values of the parameter store, by the Conductor. Raises UnknownValueProblem for a key without one."""
    named = {"account": account} if account else {}
    try:
        found: Values = client.post("lookups", body={"keys": list(keys), "region": region, **named})["values"]
    except ApiProblem as problem:
        if problem.code != "user":
            raise
        raise UnknownValueProblem(problem.document, problem.request) from problem
    return found


def _violations(client: Client, source: Source, compiled: "Compiled") -> tuple[Diagnostic, ...]:
    """The violations of the Conductor's rules. It asks them again when the command comes; here they are shown with the
    line that is at fault, and warnings can be asked about."""
    from tenuto.compositions.documents.document import to_document
    from tenuto.kit.documents import from_document

    if not client.get("validations")["validations"]:
        return ()
    body = {"composition": to_document(compiled.composition), "account": source.account}
    try:
        found = client.post("validations", "check", body={key: value for key, value in body.items() if value})
    except ApiProblem as problem:
        if problem.code == "permission":
            return ()  # The command itself tells a user who may run, but not ask for a plan.
        raise
    return tuple(from_document(Diagnostic, one) for one in found["diagnostics"])


def submission(compiled: "Compiled", **more: Any) -> JsonMap:
    """The body of a request that sends a composition."""
    from tenuto.compositions.documents.document import to_document

    given = {name: value for name, value in more.items() if value is not None}
    return {"composition": to_document(compiled.composition), "secrets": dict(compiled.secrets), **given}


def show_diagnostics(session: Session, diagnostics: Iterable[Diagnostic]) -> None:
    """Tell them on stderr, each with the line of the file that it is about."""
    from tenuto.compositions.diagnostics.render import render_diagnostics

    text = render_diagnostics(map(_with_line, diagnostics), color=session.is_live_colored)
    if text:
        session.say(text, is_painted=True)


def end_with(session: Session, source: Source, diagnostics: tuple[Diagnostic, ...]) -> None:
    """Raise CommandEnd with exit 3 when one of them is an error, or a warning that is taken for one."""
    for severity in (Severity.ERROR, Severity.WARNING) if source.werror else (Severity.ERROR,):
        if any(one.severity is severity for one in diagnostics):
            raise _end(source, diagnostics, severity)


def _with_line(diagnostic: Diagnostic) -> Diagnostic:
    """Add the source line to a diagnostic of a compiled document, which has a place only."""
    position = diagnostic.position
    if position is None or diagnostic.source_line:
        return diagnostic
    return replace(diagnostic, source_line=linecache.getline(position.file, position.line).rstrip("\n"))


def _end(source: Source, diagnostics: tuple[Diagnostic, ...], severity: Severity) -> CommandEnd:
    count = sum(1 for one in diagnostics if one.severity is severity)
    unsent = "it was not sent" if source.is_after_others else "nothing was sent"
    message = f"{source.file}: {count} {severity}{'' if count == 1 else 's'}; {unsent}."
    documents = [asdict(diagnostic) for diagnostic in diagnostics]
    return CommandEnd(Exit.COMPILE, message, {"code": "compile", "diagnostics": documents})
