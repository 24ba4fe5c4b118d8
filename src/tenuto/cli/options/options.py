"""The options that several commands share, and the command class that all commands are made of."""

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import click

from tenuto.cli.options.files import ExistingFile, NewFile
from tenuto.cli.options.option_times import parse_duration, parse_moment, with_explicit_wait
from tenuto.cli.terminal.output_forms import CI_FORMS, HELP, OF_DOCUMENTS, Form, Names
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.unknown_words import unknown_option
from tenuto.errors import NoProcessError, NotFoundError

_F = TypeVar("_F", bound=Callable[..., Any])
_FILE = ExistingFile()


pass_session = click.make_pass_decorator(Session)


class TenutoCommand(click.Command):
    """A command with examples below its help, and whose `--wait` may stand alone.

    Without the second, `--wait FILE` would take the file for a time-out.
    """

    examples: tuple[str, ...] = ()
    """Whole command lines; a test holds them against the options that there are."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.examples:
            with formatter.section("Examples"):
                formatter.write("".join(f"{'':{formatter.current_indent}}{line}\n" for line in self.examples))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            rest = super().parse_args(ctx, with_explicit_wait(args))
        except click.NoSuchOption as unknown:
            raise unknown_option(unknown, ctx) from unknown
        _check_dry_run(ctx)
        if (session := ctx.find_object(Session)) is not None:
            session.has_dry_run = "dry_run" in ctx.params
        return rest


def _check_dry_run(ctx: click.Context) -> None:
    """Refuse options that would otherwise be ignored without a word."""
    given = ctx.params
    if "dry_run" not in given or ctx.resilient_parsing:
        return
    if given["dry_run"] and given.get("plan"):
        raise click.UsageError("--plan executes a plan, and --dry-run executes nothing: use one of them.", ctx)
    if given["dry_run"] and given.get("reason"):
        raise click.UsageError("--reason goes with the command itself: leave --dry-run out.", ctx)
    if not given["dry_run"] and given.get("detailed_exitcode"):
        raise click.UsageError("--detailed-exitcode goes with --dry-run.", ctx)
    session = ctx.find_object(Session)
    if not given["dry_run"] and session is not None and session.plan_file:
        raise click.UsageError("-o saves the plan of a dry run: add --dry-run.", ctx)


def command(name: str, *examples: str, names: Names | None = None) -> Callable[[Callable[..., Any]], TenutoCommand]:
    """A command with the options that every command has, and `examples` of its use.

    `names` tells the names in the document of a command that lists things, or shows one.
    """

    def make(function: Callable[..., Any]) -> TenutoCommand:
        made = click.command(name, cls=TenutoCommand)(json_option(function))
        made.examples = examples
        if not any("-o" in one.opts for one in made.params):
            made.params.append(_form_option(names))
        return made

    return make


def _form_option(names: Names | None) -> click.Option:
    """The option `-o FORM`, for each command whose `-o` means nothing else. `--json` goes before it."""

    def switch(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
        if value is not None:
            session = ctx.ensure_object(Session)
            session.form, session.names = Form(value), names
            _switch_json(ctx, param, value in OF_DOCUMENTS)

    return click.Option(
        ["-o", "--output"],
        type=click.Choice([one.value for one in (Form if names is not None else OF_DOCUMENTS)]),
        expose_value=False,
        callback=switch,
        help=HELP[names is not None],
    )


def ci_form_option(what: str) -> Callable[[_F], _F]:
    """The option `-o FORM` of a command that also prints forms of CI systems. `what` is the help about these forms.

    The parameter `form` is the one of CI that was chosen, None for a form that every document has.
    """

    def switch(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
        if value is None or value in CI_FORMS:
            return value
        ctx.ensure_object(Session).form = Form(value)
        _switch_json(ctx, param, True)
        return None

    return click.option(
        "-o",
        "--output",
        "form",
        type=click.Choice([*(one.value for one in OF_DOCUMENTS), *CI_FORMS]),
        callback=switch,
        help=f"json: the same as --json; yaml. For CI: {what}.",
    )


def asks_for_json(arguments: Sequence[str]) -> bool:
    """Whether a command line asks for one JSON document. For a call that ended before its options were read."""
    given = list(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    forms = {after for before, after in pairwise(given) if before in ("-o", "--output")}
    whole = {f"{option}{form}" for option in ("-o", "--output=") for form in OF_DOCUMENTS}
    return "--json" in given or not forms.isdisjoint(OF_DOCUMENTS) or not whole.isdisjoint(given)


def json_option(function: _F) -> _F:
    return click.option(
        "--json",
        is_flag=True,
        expose_value=False,
        callback=_switch_json,
        help="Print one JSON document on stdout and nothing else.",
    )(function)


def yes_option(function: _F) -> _F:
    return click.option(
        "-y", "--yes", is_flag=True, expose_value=False, callback=_switch_yes, help="Answer every question with yes."
    )(function)


def process_argument(function: _F) -> _F:
    return click.argument("process", metavar="ALIAS|FID", callback=_check_reference, shell_complete=_process_names)(
        function
    )


def optional_process_argument(function: _F) -> _F:
    return click.argument(
        "process",
        metavar="[ALIAS|FID]",
        required=False,
        callback=_check_reference,
        shell_complete=_process_names,
    )(function)


def resources_argument(function: _F) -> _F:
    return click.argument("resources", metavar="[RESOURCE]...", nargs=-1, shell_complete=_resource_names)(function)


def names_of(listing: str, states: Collection[str] = ()) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """The completion of a name, or of a number, in the list of the Conductor under this word; with `states`, only of
    those that are in one of them."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        from tenuto.cli.client.completion import listed_names

        return listed_names(listing, incomplete, states)

    return complete


def resource_argument(function: _F) -> _F:
    return click.argument("resource", required=False, metavar="[RESOURCE]", shell_complete=_resource_names)(function)


def _process_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    # Imported when a shell completes: the client takes a third of the time that a command has to start.
    from tenuto.cli.client.completion import process_names

    return process_names(ctx, param, incomplete)


def _resource_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from tenuto.cli.client.completion import resource_names

    return resource_names(ctx, param, incomplete)


_LISTED = {"user": "users"}
"""The listings of the API with the names that a shell completes, by the kind of the named thing."""


def name_argument(
    name: str, what: str, *, metavar: str | None = None, is_in_process: bool = False
) -> Callable[[_F], _F]:
    """An argument that names something else than a process. With `is_in_process`, PROCESS/RESOURCE is a name, too.

    Raises NotFoundError for a text that cannot be a name.
    """

    def check(ctx: click.Context, param: click.Parameter, text: str) -> str:
        if not text or text.count("/") > int(is_in_process) or not _is_unicode(text):
            raise NotFoundError(f"There is no {what} {text!r}.")
        return text

    complete = names_of(_LISTED[what]) if what in _LISTED else None
    return click.argument(name, metavar=metavar, callback=check, shell_complete=complete)


def limit_option(function: _F) -> _F:
    return click.option(
        "--limit", type=click.IntRange(1, 10_000), metavar="N", help="The newest so many (default 1000, at most 10000)."
    )(function)


def event_page_options(function: _F) -> _F:
    """Add the options of a page of events: `start` and `end` of a window of time, `limit` and `before`."""
    function = click.option(
        "--before", type=click.IntRange(1), metavar="NUMBER", help="Only older ones than the event of this number."
    )(function)
    return window_options(limit_option(function))


def window_options(function: _F) -> _F:
    """Add the options `start` and `end` of a window of time."""
    function = click.option("--end", callback=parse_moment, metavar="TIME", help="Not after.")(function)
    return click.option(
        "--start",
        callback=parse_moment,
        metavar="TIME",
        help="Not before: 2026-01-31T12:00, '01/31/2026 12:00', or 2h (ago).",
    )(function)


def wait_option(function: _F) -> _F:
    return click.option(
        "--wait",
        callback=parse_duration,
        metavar="[=TIMEOUT]",
        help="Wait until it is done, at most TIMEOUT (seconds, or 10m, 1h); exit 8 when it is not.",
    )(function)


def plan_option(function: _F) -> _F:
    return click.option(
        "--plan",
        type=_FILE,
        metavar="FILE",
        help="Execute this saved plan exactly, or nothing when something has moved since it was made.",
    )(function)


def dry_run_options(function: _F) -> _F:
    function = click.option(
        "-o",
        "--output",
        type=NewFile(),
        metavar="FILE",
        expose_value=False,
        callback=_set_plan_file,
        help="With --dry-run: save the plan, for your eyes only, to be executed later.",
    )(function)
    function = click.option(
        "--detailed-exitcode", is_flag=True, help="With --dry-run: exit 10 when there are changes to be made."
    )(function)
    function = full_option(function)
    return click.option("--dry-run", is_flag=True, help="Print the plan and change nothing.")(function)


def full_option(function: _F) -> _F:
    return click.option(
        "--full",
        is_flag=True,
        expose_value=False,
        callback=_switch_full,
        help="Show long values of a plan whole; where no terminal reads, they always are.",
    )(function)


def import_option(function: _F) -> _F:
    return click.option(
        "--import", "adopts", is_flag=True, help="Adopt the existing resources that FILE names, where they are new."
    )(function)


def _check_reference(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
    """Refuse a text that can name nothing before it is part of a URL: an empty one, as of an unset variable, means
    all."""
    if text is not None and (not text or "/" in text or not _is_unicode(text)):
        raise NoProcessError(text)
    return text


def _is_unicode(text: str) -> bool:
    """Whether the bytes that were typed are UTF-8; Python passes others through in a form that cannot be sent."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _set_plan_file(ctx: click.Context, param: click.Parameter, value: Path | None) -> None:
    if value is not None:
        ctx.ensure_object(Session).plan_file = value


def _switch_json(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(Session).is_json = True


def _switch_full(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(Session).is_full = True


def _switch_yes(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(Session).is_yes = True


def pairs(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """The callback of an option that is given as KEY=VALUE, once or more often."""
    pairs: dict[str, str] = {}
    for text in values:
        name, separator, value = text.partition("=")
        if not separator or not name:
            raise click.BadParameter(f"{text!r} is not KEY=VALUE, such as Stage=test.", ctx, param)
        if pairs.get(name, value) != value:
            raise click.BadParameter(f"{name} has two values, {pairs[name]} and {value}. Give one.", ctx, param)
        pairs[name] = value
    return pairs
