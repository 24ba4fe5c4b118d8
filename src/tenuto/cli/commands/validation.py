"""`tenuto validation …`: the rules that apply to every composition."""

from dataclasses import asdict
from pathlib import Path

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.compositions.compiling import Source, compile_options, compile_source, end_with, show_diagnostics
from tenuto.cli.compositions.stacks import part_of
from tenuto.cli.options.files import ExistingFile
from tenuto.cli.options.groups import group
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import names_of, pass_session, yes_option
from tenuto.cli.processes.asking import ask_about
from tenuto.cli.render.validations import render_validation, render_validations
from tenuto.cli.terminal.exits import CommandEnd, Exit
from tenuto.cli.terminal.output_forms import listed, shown
from tenuto.cli.terminal.session import Session
from tenuto.errors import CompileError, UserError
from tenuto.model.account import DEFAULT_ACCOUNT
from tenuto.model.diagnostic import Diagnostic
from tenuto.model.rule import Rule

_FILE = ExistingFile()
_LARGEST_BYTES = 64 * 1024
"""Ten times the longest rule."""


@make_command("add", "tenuto validation add no-ssh.yaml", "tenuto validation add no-ssh.yaml --replace -y")
@click.argument("file", type=_FILE)
@click.option("--replace", is_flag=True, help="Put it in the place of the rule of its name.")
@yes_option
@pass_session
def add(session: Session, file: Path, replace: bool) -> None:
    """Add a rule that applies to every composition.

    FILE is a rule document, YAML or JSON. It is refused, exit 3, when a running process violates it: each process and
    resource is named, with file and line.
    """
    from tenuto.compositions.rules.document import rule_document

    rule = _rule(session, file)
    client = find_conductor(session.settings)
    session.confirm(f"Hold every composition of {client.url} to {rule.name}?")
    document = client.post("validations", body={"rule": rule_document(rule), "replace": replace})
    session.emit(document, lambda found: f"Rule {found['name']} added; it now applies to every composition.")


@make_command("list", "tenuto validation list", names=listed("validations", "name"))
@pass_session
def list_validations(session: Session) -> None:
    """List the rules that apply to every composition."""
    session.emit(find_conductor(session.settings).get("validations"), render_validations)


@make_command("show", "tenuto validation show no-ssh", "tenuto validation show no-ssh --json", names=shown("name"))
@click.argument("name", shell_complete=names_of("validations"))
@pass_session
def show(session: Session, name: str) -> None:
    """Show one rule, as a document that can be added again."""
    session.emit(find_conductor(session.settings).get("validations", name), render_validation, keeps_lines=True)


@make_command("remove", "tenuto validation remove no-ssh")
@click.argument("name", shell_complete=names_of("validations"))
@yes_option
@pass_session
def remove(session: Session, name: str) -> None:
    """Remove a rule: it no longer applies."""
    client = find_conductor(session.settings)
    question = f"Hold no composition of {client.url} to {name} any more?"
    ask_about(session, client, question, "validations", name)
    session.emit(client.delete("validations", name), lambda found: f"Rule {found['name']} removed.")


@make_command("check", "tenuto validation check no-ssh.yaml web.yaml -p Office=10.1.0.0/16")
@click.argument("rule", type=_FILE)
@compile_options
@pass_session
def check(session: Session, rule: Path, source: Source) -> None:
    """Ask a rule about a composition; nothing is sent.

    RULE is a rule document, FILE a composition. Exit 3 when FILE violates RULE. Needs no Conductor, and so does not
    know the values that a provider would look up.
    """
    from tenuto.compositions.rules.judge import judge

    asked = _rule(session, rule)
    source = part_of(session, source).source
    compiled = compile_source(session, source)
    found = judge([asked], compiled.composition, account=source.account or DEFAULT_ACCOUNT)
    show_diagnostics(session, found)
    if found:
        end_with(session, source, found)
    applied = sum(one.type == asked.applies_to for one in compiled.composition.resources)
    document = {"rule": asked.name, "asked_about": applied, "diagnostics": [asdict(one) for one in found]}
    session.emit(document, lambda told: f"{source.file} keeps {told['rule']}.")


def _rule(session: Session, file: Path) -> Rule:
    """The rule of a file. Raises CommandEnd with exit 3 after everything that is wrong with it was told."""
    from tenuto.compositions.rules.document import read_rule

    with file.open("rb") as opened:
        content = opened.read(_LARGEST_BYTES + 1)
    if len(content) > _LARGEST_BYTES:
        raise UserError(f"{file} is larger than {_LARGEST_BYTES:,} bytes, which no rule is.")
    try:
        return read_rule(content.decode("utf-8"), str(file))
    except UnicodeDecodeError as error:
        raise UserError(f"{file} is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from error
    except CompileError as failed:
        found = tuple(one for one in failed.diagnostics if isinstance(one, Diagnostic))
        show_diagnostics(session, found)
        count = f"{len(found)} error{'' if len(found) == 1 else 's'}"
        details = {"code": failed.code, "diagnostics": [asdict(one) for one in found]}
        raise CommandEnd(Exit.COMPILE, f"{file}: {count}; nothing was sent.", details) from failed


command = group("validation", "Hold every composition to rules.", add, list_validations, show, remove, check)
