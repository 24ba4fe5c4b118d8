"""`tenuto account …`."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.groups import group
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import names_of, pairs, pass_session, yes_option
from tenuto.cli.processes.asking import ask_about
from tenuto.cli.render.accounts import render_account, render_accounts
from tenuto.cli.terminal.exits import CommandEnd, Exit
from tenuto.cli.terminal.output_forms import listed, shown
from tenuto.cli.terminal.session import Session
from tenuto.errors import NotFoundError
from tenuto.model.ids import JsonMap

_F = TypeVar("_F", bound=Callable[..., Any])


def _check_name(ctx: click.Context, param: click.Parameter, text: str) -> str:
    """Refuse a text that can name nothing before it is part of a URL."""
    if not text or "/" in text:
        raise NotFoundError(f"There is no account {text!r}. 'tenuto account list' lists the accounts.")
    return text


def _name_argument(function: _F) -> _F:
    return click.argument("name", metavar="NAME|ID", callback=_check_name, shell_complete=names_of("accounts"))(
        function
    )


def _way_options(function: _F) -> _F:
    decorated: Any = function
    for decorate in (
        click.option("--unchecked", is_flag=True, help="Store it without a check; its first use checks it."),
        click.option("--region", help="Where compositions go that are run there without --region."),
        click.option("--source", metavar="NAME", help="AWS: the account that assumes the role; default: default."),
        click.option("--external-id", metavar="ID", help="AWS: what the role's trust policy asks for ('' for none)."),
        click.option("--role-arn", metavar="ARN", help="AWS: enter it by assuming this role."),
        click.option("--profile", help="AWS: enter it by this profile of the configuration where the Conductor runs."),
        click.option(
            "--setting",
            "settings",
            multiple=True,
            metavar="KEY=VALUE",
            callback=pairs,
            help="A setting of another provider's account; may be repeated.",
        ),
    ):
        decorated = decorate(decorated)
    return decorated  # type: ignore[no-any-return]


@make_command(
    "add",
    "tenuto account add prod --role-arn arn:aws:iam::111122223333:role/tenuto --external-id x1 --region eu-west-1",
    "tenuto account add test --provider aws --profile test",
)
@click.argument("name", metavar="NAME")
@click.option("--provider", metavar="NAME", help="The provider it is one of; default: the first that has settings.")
@_way_options
@yes_option
@pass_session
def _add(
    session: Session,
    /,
    name: str,
    provider: str | None,
    unchecked: bool,
    settings: dict[str, str],
    **way: str | None,
) -> None:
    """Add an account in which processes can live.

    Its credentials are checked first, and the account id that they lead to is kept: from then on, credentials of NAME
    that lead elsewhere are never used. Without settings, NAME is entered by the settings that the Conductor runs with:
    for AWS, its own AWS settings.
    """
    _check_way({"provider": provider, **way})
    client = find_conductor(session.settings)
    session.confirm(f"Add the account {name}, entered by {_way_text(way, settings)}?")
    body = {"name": name, **_given({"provider": provider, "settings": settings or None, **way}), "unchecked": unchecked}
    session.emit(client.post("accounts", body=body), render_account)


@make_command("list", "tenuto account list", names=listed("accounts", "name"))
@pass_session
def _list(session: Session) -> None:
    """Show the accounts that processes can live in."""
    session.emit(find_conductor(session.settings).get("accounts"), render_accounts)


@make_command("show", "tenuto account show prod", names=shown("name"))
@_name_argument
@pass_session
def _show(session: Session, name: str) -> None:
    """Show how an account is entered, and which one it is."""
    session.emit(find_conductor(session.settings).get("accounts", name), render_account)


@make_command("check", "tenuto account check prod")
@_name_argument
@pass_session
def _check(session: Session, name: str) -> None:
    """Ask the provider who the credentials of an account are.

    Files of the AWS configuration are read anew. The first time, the account id is kept; another one is an error then.
    """
    session.emit(find_conductor(session.settings).post("accounts", name, "check"), render_account)


@make_command("update", "tenuto account update prod --region eu-north-1")
@_name_argument
@_way_options
@yes_option
@pass_session
def _update(session: Session, /, name: str, unchecked: bool, settings: dict[str, str], **way: str | None) -> None:
    """Enter an account in another way, or give it another region.

    An option that is not given changes nothing. It must be the same account: its processes go on living there.
    """
    _check_way(way)
    given = _given({"settings": settings or None, **way})
    if not given:
        raise click.UsageError(
            "Name at least one change: --profile, --role-arn, --external-id, --source, --setting or --region."
        )
    client = find_conductor(session.settings)
    ask_about(session, client, f"Change how the account {name} is entered?", "accounts", name)
    session.emit(client.put("accounts", name, body={**given, "unchecked": unchecked}), render_account)


@make_command("remove", "tenuto account remove test")
@_name_argument
@yes_option
@pass_session
def _remove(session: Session, name: str) -> None:
    """Forget an account in which no process lives.

    The account default stays usable: only the id that it was found to have is forgotten.
    """
    client = find_conductor(session.settings)
    ask_about(session, client, f"Remove the account {name}?", "accounts", name)
    document = client.delete("accounts", name)
    session.emit(document, lambda removed: f"The account {removed['name']} is not known any more.")


def _check_way(way: JsonMap) -> None:
    """Check the options as far as possible before the Conductor is asked."""
    if way["profile"] is not None and way["role_arn"] is not None:
        raise click.UsageError("An account is entered by a profile or by a role: use one of --profile and --role-arn.")
    if way["profile"] is not None and (way["external_id"] is not None or way["source"] is not None):
        raise click.UsageError("--external-id and --source go with --role-arn.")
    if any(value == "" for name, value in way.items() if name != "external_id"):
        raise CommandEnd(Exit.USAGE, "An option of the account is empty: is a variable unset?")


def _given(way: JsonMap) -> JsonMap:
    return {name: value for name, value in way.items() if value is not None}


def _way_text(way: JsonMap, settings: dict[str, str]) -> str:
    """Return how the account will be entered, as far as the command says it. Values of settings may be secrets."""
    if way["profile"]:
        return f"the profile {way['profile']}"
    if way["role_arn"]:
        return f"the role {way['role_arn']}"
    return f"the settings {', '.join(settings)}" if settings else "the Conductor's own settings"


command = group(
    "account",
    "Show and manage the accounts that processes live in.",
    _add,
    _list,
    _show,
    _check,
    _update,
    _remove,
)
