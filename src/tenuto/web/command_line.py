"""The command that shows the content of a page on a terminal."""

import shlex


def command_line(command: str, *arguments: object, **options: object) -> str:
    """The words of a command, its arguments and its options, without those that are empty. Quoted for a shell.

    An option of `True` is a flag. `dry_run` is `--dry-run`.
    """
    words = ["tenuto", *command.split(), *(str(one) for one in arguments if one not in ("", None))]
    for name, value in options.items():
        if value:
            words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return shlex.join(words)
