"""One call of the command line: its settings, its switches, and how it speaks to its user.

Results go to stdout; prompts, progress and messages to stderr. With `--json`, stdout is one document and nothing else.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tenuto.cli.terminal import terminal
from tenuto.cli.terminal.exits import CommandEnd, Exit
from tenuto.cli.terminal.output_forms import Form, Names
from tenuto.kit.visible import visible_document
from tenuto.model.ids import JsonMap
from tenuto.settings import Settings


class Session:
    """Made once per call; the global options set its switches before a command runs."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.is_json = False
        self.form: Form | None = None
        """The form that `-o` asks for. Of json and yaml, `is_json` is set as well: stdout is one document."""
        self.names: Names | None = None
        """The names in the document of this command, where it has any."""
        self.is_yes = False
        self.is_full = False
        """The switch that shows values whole on a terminal, too. Elsewhere nothing is cut."""
        self.plan_file: Path | None = None
        """The file to which a dry run is saved."""
        self.has_dry_run = False
        """The command has a dry run, which a refused question can then name."""

    def use(self, **given: Any) -> None:
        """Lay values of global options over the settings."""
        origins = {**self.settings.origins, **{name: f"--{name.replace('_', '-')}" for name in given}}
        self.settings = replace(self.settings, **given, origins=origins)

    @property
    def is_colored(self) -> bool:
        """Whether stdout takes colour."""
        return (self.is_terminal or self.settings.force_color) and not self.settings.no_color

    @property
    def is_terminal(self) -> bool:
        """Whether stdout is a terminal that results may be drawn on."""
        return terminal.is_terminal()

    @property
    def is_live(self) -> bool:
        """Whether stderr is a terminal that progress may be drawn on."""
        return terminal.is_live()

    @property
    def is_live_colored(self) -> bool:
        """Whether stderr takes colour."""
        return (self.is_live or self.settings.force_color) and not self.settings.no_color

    def emit(self, document: JsonMap, render: Callable[[JsonMap], str], *, keeps_lines: bool = False) -> None:
        """The result: the document itself with `--json`, else its text by `render`, which may be painted.

        Texts of the document are one line each, unless it holds whole files and `keeps_lines`.
        """
        if self.is_json:
            self.emit_document(document)
        elif self.form is Form.NAME and self.names is not None:
            for name in filter(None, self.names(document)):
                terminal.out(name)
        else:
            shown = visible_document(document, keeps_lines=keeps_lines)
            if self.form is Form.WIDE:
                with terminal.unlimited():
                    terminal.out(render(shown), is_painted=True, color=self.is_colored)
            elif text := render(shown):
                terminal.out(text, is_painted=True, color=self.is_colored)

    def emit_document(self, document: JsonMap) -> None:
        """The document itself, as JSON or YAML."""
        if self.form is Form.YAML:
            # Imported here because it costs more than all of `tenuto --help`.
            from tenuto.compositions.yaml_writer import to_plain_yaml

            terminal.out(to_plain_yaml(document).rstrip())
        else:
            terminal.out_json(document)

    def emit_file(self, document: JsonMap, text: str) -> None:
        """Print a document as JSON, or as its file for people. `kit.visible` has escaped the text already."""
        if self.is_json:
            self.emit_document(document)
        else:
            terminal.out(text)

    def say(self, text: str, *, is_painted: bool = False) -> None:
        """A message for people."""
        terminal.tell(text, is_painted=is_painted, color=self.is_live_colored)

    @property
    def asks(self) -> bool:
        """Whether a question will be put to a person."""
        return not self.is_yes and sys.stdin.isatty()

    def confirm(self, question: str) -> None:
        """Ask; raises CommandEnd when the answer is not yes, or when no person can answer."""
        if self.is_yes:
            return
        self._check_askable(question)
        terminal.tell(f"{question} [y/N]: ", ends_line=False)
        if self._answer().lower() not in ("y", "yes"):
            raise CommandEnd(Exit.DECLINED, "Nothing was done.")

    def confirm_by_name(self, question: str, name: str) -> None:
        """Ask for a name to be typed; raises CommandEnd as `confirm` does, also for another name."""
        if self.is_yes:
            return
        self._check_askable(question)
        terminal.tell(f"{question} Type {name} to confirm: ", ends_line=False)
        answer = self._answer()
        if answer != name:
            told = f"{answer!r} is not {name}. " if answer else ""
            raise CommandEnd(Exit.DECLINED, f"{told}Nothing was done.")

    def _check_askable(self, question: str) -> None:
        if not sys.stdin.isatty():
            look = ", or --dry-run to look first" if self.has_dry_run else ""
            raise CommandEnd(
                Exit.USAGE,
                f"{question} Tenuto cannot ask: stdin is not a terminal. Add --yes (-y) to confirm{look}.",
            )

    def _answer(self) -> str:
        try:
            line = sys.stdin.readline()
        except KeyboardInterrupt:
            self.say("")
            raise CommandEnd(Exit.INTERRUPTED, "Interrupted. Nothing was done.") from None
        if not line.endswith("\n"):
            self.say("")
        return line.strip()
