"""One call of the command line: its settings, its switches, and how it speaks to its user.

Results go to stdout; prompts, progress and messages to stderr. With `--json`, stdout is one document and nothing else.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click

from tenuto.cli.exits import CommandEnd, Exit
from tenuto.model.ids import JsonMap
from tenuto.settings import Settings


class Session:
    """Made once per call; the global options set its switches before a command runs."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.is_json = False
        self.is_yes = False
        self.plan_file: Path | None = None
        """Where a dry run is to be saved."""

    def use_url(self, url: str) -> None:
        origins = {**self.settings.origins, "url": "--url"}
        self.settings = replace(self.settings, url=url, origins=origins)

    @property
    def is_colored(self) -> bool:
        """Whether stdout takes colour."""
        return sys.stdout.isatty() and not self.settings.no_color

    @property
    def is_terminal(self) -> bool:
        """Whether stdout is a terminal that results may be drawn on."""
        return sys.stdout.isatty()

    @property
    def is_live(self) -> bool:
        """Whether stderr is a terminal that progress may be drawn on."""
        return sys.stderr.isatty()

    def emit(self, document: JsonMap, render: Callable[[JsonMap], str]) -> None:
        """The result: the document itself with `--json`, else what `render` makes of it."""
        if self.is_json:
            click.echo(json.dumps(document, indent=2, ensure_ascii=False))
        elif text := render(document):
            click.echo(text, color=self.is_colored)

    def say(self, text: str) -> None:
        """A message for people."""
        click.echo(text, err=True, color=sys.stderr.isatty() and not self.settings.no_color)

    def confirm(self, question: str) -> None:
        """Ask; raises CommandEnd when the answer is not yes, or when there is nobody to answer."""
        if self.is_yes:
            return
        if not sys.stdin.isatty():
            raise CommandEnd(
                Exit.USAGE,
                f"{question} There is no terminal to answer at: say -y (--yes) to do it without being asked.",
            )
        click.echo(f"{question} [y/N]: ", nl=False, err=True)
        answer = self._answer()
        if answer not in ("y", "yes"):
            raise CommandEnd(Exit.DECLINED, "Nothing was done.")

    def _answer(self) -> str:
        try:
            line = sys.stdin.readline()
        except KeyboardInterrupt:
            self.say("")
            raise CommandEnd(Exit.INTERRUPTED, "Interrupted. Nothing was done.") from None
        if not line.endswith("\n"):
            self.say("")
        return line.strip().lower()
