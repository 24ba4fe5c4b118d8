"""The answer to a command or an option that does not exist: the one that was probably meant.

Users bring the words of other tools with them. `destroy` is near no command of Tenuto by its letters, and its meaning
is plain; so words of that kind are looked up first. Letters are compared afterwards (`kit.nearest`), with the commands
and with the foreign words alike: `destory` is nearer to `destroy` than to `history`. A foreign word whose commands a
group does not have is no word of that group.
"""

from collections.abc import Collection, Iterable, Mapping

import click

from tenuto.kit.nearest import nearest

_COMMANDS: Mapping[str, tuple[str, ...]] = {
    "about": ("config",),
    "adopt": ("import",),
    "backup": ("store",),
    "cancel": ("suspend",),
    "change": ("update", "set"),
    "continue": ("resume",),
    "create": ("run", "add", "generate-secret"),
    "delete": ("kill", "remove", "unset"),
    "deploy": ("apply",),
    "describe": ("status", "show", "explain"),
    "destroy": ("kill", "remove"),
    "detach": ("release",),
    "diff": ("plan",),
    "disable": ("revoke-secret",),
    "down": ("kill",),
    "drift": ("plan",),
    "drop": ("remove",),
    "edit": ("update", "set"),
    "enable": ("generate-secret",),
    "execute": ("run",),
    "export": ("import",),
    "forget": ("release", "remove"),
    "get": ("status", "show", "list"),
    "info": ("status", "show"),
    "inspect": ("status", "show"),
    "example": ("examples",),
    "launch": ("run",),
    "lint": ("compile", "check"),
    "list": ("status",),
    "lock": ("property",),
    "log": ("events", "ops"),
    "logs": ("events", "ops"),
    "ls": ("status", "list"),
    "modify": ("update", "set"),
    "new": ("init", "run", "add"),
    "orphan": ("release",),
    "output": ("status",),
    "outputs": ("status",),
    "pause": ("suspend",),
    "plugins": ("phases",),
    "preview": ("plan",),
    "processes": ("status",),
    "providers": ("types",),
    "ps": ("status", "list"),
    "refresh": ("plan",),
    "rename": ("property",),
    "replace": ("update",),
    "resources": ("status",),
    "rm": ("kill", "remove"),
    "rollback": ("update",),
    "rollout": ("apply",),
    "scale": ("update",),
    "serve": ("conductor",),
    "server": ("conductor",),
    "settings": ("config", "runtime"),
    "stack": ("status",),
    "stacks": ("status",),
    "start": ("run", "resume"),
    "state": ("status",),
    "stop": ("suspend",),
    "synth": ("compile",),
    "tail": ("events",),
    "teardown": ("kill",),
    "terminate": ("kill",),
    "test": ("compile", "check", "test"),
    "undo": ("update",),
    "unlock": ("property",),
    "unpause": ("resume",),
    "up": ("apply",),
    "template": ("init", "examples"),
    "templates": ("examples",),
    "validate": ("compile", "check"),
    "verify": ("check", "doctor"),
    "watch": ("status", "events"),
    "whoami": ("user",),
    "workspace": ("account",),
}
"""Words of other tools, and the commands that do the same here. A command of its own name is never looked up."""

_DASHBOARD = "'tenuto web' opens the dashboard, and 'tenuto status --watch' follows processes in the terminal."

_SAYINGS: Mapping[str, str] = {
    "bootstrap": "Nothing has to be prepared: 'tenuto conductor' starts a Conductor, 'tenuto run FILE' a composition.",
    "dashboard": _DASHBOARD,
    "fmt": "Tenuto leaves the form of templates alone; 'tenuto compile FILE' checks one.",
    "format": "Tenuto leaves the form of templates alone; 'tenuto compile FILE' checks one.",
    "help": "'tenuto --help' and 'tenuto COMMAND --help' print the help.",
    "reconcile": "The Conductor does it by itself; 'tenuto plan PROCESS' shows what its next job will do.",
    "sync": "The Conductor does it by itself; 'tenuto plan PROCESS' shows what its next job will do.",
    "ui": _DASHBOARD,
    "version": "'tenuto --version' prints the version.",
}
"""Words of other tools for which Tenuto needs no command."""

_MEMBERS: Mapping[str, tuple[str, ...]] = {
    "apply": ("set", "add"),
    "kill": ("remove", "delete"),
    "list-all": ("list",),
    "make": ("create", "add"),
    "run": ("check", "create"),
    "send": ("test",),
    "status": ("show", "list"),
    "switch": ("show",),
    "update": ("set",),
    "use": ("show",),
}
"""The same for the commands of a group, `tenuto account` and others: a command of its own name is none of theirs."""

_SHORT = 3
"""Foreign words of so few letters are known as they are: `ui` is not a mistyped `up`."""

_MEMBER_SAYINGS: Mapping[tuple[str, str], str] = {
    ("tenuto account", "use"): "Name the account with --account.",
    ("tenuto account", "switch"): "Name the account with --account.",
    ("tenuto store", "restore"): "A backup is put in the place of the database while no Conductor runs.",
    ("tenuto user", "login"): (
        "A user's secret is in TENUTO_SECRET, or in the file that TENUTO_CREDENTIALS names; 'tenuto login' signs in at "
        "an issuer."
    ),
}
"""The advice for a command that a group does not need, by group and word."""

_OPTIONS: Mapping[str, str] = {
    "--assume-yes": "--yes",
    "--auto-approve": "--yes",
    "--check": "--dry-run",
    "--db": "--database",
    "--endpoint": "--url",
    "--force": "--yes",
    "--format": "--json",
    "--host": "--url",
    "--name": "--alias",
    "--no-wait": "--wait",
    "--out": "--output",
    "--param": "--parameter",
    "--parameters": "--parameter",
    "--port": "--listen",
    "--preview": "--dry-run",
    "--profile": "--account",
    "--since": "--start",
    "--skip-preview": "--yes",
    "--stack-name": "--alias",
    "--tail": "--follow",
    "--timeout": "--wait",
    "--until": "--end",
    "--var": "--parameter",
}
"""The options of other tools, each with the one that Tenuto has."""


def unknown_command(name: str, known: Collection[str], *, path: str) -> str:
    """The message for a command that a group, such as `tenuto account`, does not have."""
    is_root = path == "tenuto"
    if is_root and name.casefold() in _SAYINGS:
        return f"There is no command {name!r}. {_SAYINGS[name.casefold()]}"
    if (path, name.casefold()) in _MEMBER_SAYINGS:
        return f"There is no command {name!r}. {_MEMBER_SAYINGS[path, name.casefold()]} There are {', '.join(known)}."
    table = _COMMANDS if is_root else {**_COMMANDS, **_MEMBERS}
    by_word = {word: [one for one in commands if one in known] for word, commands in table.items()}
    foreign = {word: found for word, found in by_word.items() if found and word not in known}
    guess = name.casefold() if name.casefold() in foreign else _begun(name.casefold(), known)
    guess = guess or nearest(name, {*known, *_long(foreign)})
    hint = f" Did you mean {' or '.join(foreign.get(guess, [guess]))}?" if guess else ""
    what = "'tenuto --help' lists the commands." if is_root else f"There are {', '.join(known)}."
    return f"There is no command {name!r}.{hint} {what}"


def _begun(word: str, known: Collection[str]) -> str:
    """The one command that begins so: `stat` is rather a part of `status` than a mistyped `start`."""
    found = [one for one in known if len(word) >= _SHORT and one.startswith(word)]
    return found[0] if len(found) == 1 else ""


def _long(words: Collection[str]) -> Iterable[str]:
    return (word for word in words if len(word) > _SHORT)


def _of_root(ctx: click.Context) -> frozenset[str]:
    """The options that stand before every command."""
    root = ctx.find_root()
    if ctx is root:
        return frozenset()
    return frozenset(name for param in root.command.get_params(root) for name in param.opts)


def unknown_option(error: click.NoSuchOption, ctx: click.Context) -> click.UsageError:
    """The error for an option that a command does not have."""
    known = [name for param in ctx.command.get_params(ctx) for name in (*param.opts, *param.secondary_opts)]
    options = [name for name in known if name.startswith("--")]
    foreign = {word: option for word, option in _OPTIONS.items() if option in options and word not in options}
    guess = nearest(error.option_name, {*options, *foreign}) if error.option_name.startswith("--") else ""
    hint = f" Did you mean {foreign.get(guess, guess)}?" if guess else ""
    if error.option_name in _of_root(ctx):
        place = f"'tenuto {error.option_name} … {ctx.command_path.removeprefix('tenuto ')}'"
        return click.UsageError(f"Option {error.option_name} stands before the command: {place}.", ctx)
    return click.UsageError(
        f"There is no option {error.option_name}.{hint} '{ctx.command_path} --help' lists the options.", ctx
    )
