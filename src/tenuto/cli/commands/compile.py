"""`tenuto compile FILE`."""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import click

from tenuto.cli.compositions.compiling import Source, compile_options, compile_source
from tenuto.cli.compositions.in_turn import compiled_parts
from tenuto.cli.compositions.stacks import parts_of, tell_stack
from tenuto.cli.options.options import ci_form_option, pairs, pass_session
from tenuto.cli.options.options import command as make_command
from tenuto.cli.render.ci_formats import diagnostics_in
from tenuto.cli.terminal import terminal
from tenuto.cli.terminal.exits import CommandEnd
from tenuto.cli.terminal.session import Session
from tenuto.kit.visible import visible_json
from tenuto.model.ids import JsonMap

if TYPE_CHECKING:
    from tenuto.compositions.checks.managed import Managed


@make_command(
    "compile",
    "tenuto compile vpc.yaml --parameter Stage=test",
    "tenuto compile vpc.yaml --any-types --json",
    "tenuto compile vpc.yaml -o github",
)
@compile_options
@click.option(
    "--looked-up",
    multiple=True,
    metavar="KEY=VALUE",
    callback=pairs,
    help="A value of the parameter store that a condition waits for, which a Conductor would look up; may be repeated.",
)
@click.option("--any-types", is_flag=True, help="Compile also what Tenuto cannot run: types and properties of AWS.")
@ci_form_option(
    "what is wrong, in place of the composition, as a list (markdown), annotations (github), Code Quality (gitlab), or "
    "findings (sarif)"
)
@pass_session
def command(
    session: Session, source: Source, *, looked_up: Mapping[str, str], any_types: bool, form: str | None
) -> None:
    """Print the canonical form of a composition.

    FILE is a CloudFormation template, YAML or JSON, or the folder of an assembly of the CDK, whose stacks are
    printed one after the other. On a terminal the form is indented; elsewhere it is one line. Every error is shown
    with its place and a hint; exit 3 when there is one. Needs no Conductor. Resource types that Tenuto does not manage,
    and properties that it cannot set, are errors as in 'tenuto run'; --any-types is for a template
    that another tool runs.
    """
    from tenuto.bootstrap.tools.catalogue import installed_facts
    from tenuto.compositions.checks.managed import managed_of, through_of
    from tenuto.compositions.documents.document import canonical_json, to_document

    types, refused = ({}, ()) if any_types else installed_facts()
    for error in refused:
        session.say(f"Warning: {error}")
    managed = None if any_types else managed_of(types, is_whole=False)
    source = replace(source, looked_up=looked_up)
    if form is not None:
        _tell_ci(session, source, managed, form)
        return
    parts = parts_of(session, source)
    every = compiled_parts(
        source,
        parts,
        lambda _, part: compile_source(session, part.source, managed=managed),
        undone="nothing is printed",
    )
    for part, compiled in zip(parts, every, strict=True):
        for one in through_of(compiled.composition.resources, types):
            session.say(f"Note: {one.text}")
        tell_stack(session, part, compiled, part.alias(None))
        document = to_document(compiled.composition)
        indented = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False)
        session.emit_file(document, visible_json(indented if session.is_terminal else canonical_json(document)))


def _tell_ci(session: Session, source: Source, managed: "Managed | None", form: str) -> None:
    """Print the diagnostics in a form of CI; raises CommandEnd after it, when there is an error."""
    found: list[JsonMap] = []
    ended: CommandEnd | None = None
    for part in parts_of(session, source):
        try:
            found += [asdict(one) for one in compile_source(session, part.source, managed=managed).diagnostics]
        except CommandEnd as refused:
            found += refused.details.get("diagnostics", [])
            ended = refused
    if text := diagnostics_in(form, found):
        terminal.out(text)
    if ended is not None:
        raise ended
