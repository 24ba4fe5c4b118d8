"""`tenuto completion SHELL`."""

import click
from click.shell_completion import get_completion_class

from tenuto.cli.options.options import command as make_command
from tenuto.cli.terminal import terminal

_SHELLS = ("bash", "zsh", "fish")


@make_command(
    "completion",
    "tenuto completion bash > tenuto.bash",
    "tenuto completion zsh > _tenuto",
    "tenuto completion fish > tenuto.fish",
)
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion of commands, options and names for a shell.

    Names of processes, resources, accounts, types, users and proposals are asked of the Conductor; when it does not
    answer within a moment, none are offered.
    """
    made = get_completion_class(shell)
    assert made is not None, "click knows these shells"
    terminal.out(made(ctx.find_root().command, {}, "tenuto", "_TENUTO_COMPLETE").source())
