"""The command that shows on a terminal what a page shows."""

import shlex


def command_line(command: str, *arguments: str, **options: str) -> str:
    """The words of a command, its arguments and its options, without those that are empty. Quoted for a shell."""
    words = ["tenuto", *command.split(), *filter(None, arguments)]
    for name, value in options.items():
        words += [f"--{name}", value] if value else []
    return shlex.join(words)
