"""Commands with commands of their own: `tenuto GROUP COMMAND …`.

A group is one command of the table, in one module, and its commands are made like all others (`options.command`). It
does nothing by itself: without a command it prints its help.
"""

import click

from tenuto.cli.options.options import TenutoCommand
from tenuto.cli.terminal.unknown_words import unknown_command, unknown_option

_A_SENTENCE = 1000
"""Letters. A summary is one sentence, and is wrapped where click would cut it."""


class CommandGroup(click.Group):
    """A group of Tenuto's commands, in the order in which they were added."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as unknown:
            raise unknown_option(unknown, ctx) from unknown

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(_A_SENTENCE)) for name, one in self.commands.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and not args[0].startswith("-"):
            ctx.fail(unknown_command(args[0], self.commands, path=ctx.command_path))
        return super().resolve_command(ctx, args)


def group(name: str, summary: str, *commands: click.Command) -> CommandGroup:
    """The group of these commands. `summary` is its line in the table of commands, and may go on with paragraphs."""
    made = CommandGroup(name, help=summary)
    for one in commands:
        assert isinstance(one, TenutoCommand | CommandGroup), (
            "made by options.command, so that it has the options of all commands"
        )
        made.add_command(one)
    return made
