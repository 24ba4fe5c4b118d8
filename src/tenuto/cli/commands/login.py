"""`tenuto login`."""

import sys
import webbrowser
from pathlib import Path

import click

from tenuto.cli.client.issuer_flow import token_of_issuer
from tenuto.cli.client.target import find_conductor_to_sign_in
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.times import short_time
from tenuto.errors import ForbiddenError, NotFoundError, UserError
from tenuto.model.ids import JsonMap
from tenuto.service.access.own_secret import Credentials, load_credentials, save_credentials
from tenuto.service.access.user_secrets import is_user_secret

_LONGEST_TOKEN = 16_384


@make_command(
    "login",
    "tenuto login",
    "tenuto login --no-browser",
    "tenuto login --id-token token.jwt -o ci.credentials",
)
@click.option("--no-browser", is_flag=True, help="Print the URL to sign in at, and open nothing.")
@click.option(
    "--id-token",
    metavar="FILE",
    help="A token that the issuer has given to this program already, as in CI; - reads it from stdin.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The credentials file to write, for your eyes only (TENUTO_CREDENTIALS).",
)
@pass_session
def command(session: Session, no_browser: bool, id_token: str | None, output: Path | None) -> None:
    """Sign in at the issuer of your organisation.

    A browser goes to the issuer and comes back to a port of this machine. The Conductor gives a token of its own for
    the answer, for the user that its policy names and for the time that it says; the credentials file keeps it, and
    all commands use it until it expires. In CI, --id-token gives the token that the job has.
    """
    path = output or session.settings.credentials
    _check_free(path)
    client = find_conductor_to_sign_in(session.settings)
    if id_token is not None:
        body: JsonMap = {"token": _read(id_token)}
    else:
        people = client.get("sign-in")["people"]
        if people is None:
            raise UserError(
                f"The Conductor at {client.url} knows no issuer at which people sign in: it was started without "
                "--oidc-issuer URL=CLIENT. Set TENUTO_SECRET, or give a token of a program with --id-token."
            )
        token, nonce = token_of_issuer(people, lambda url: _show(session, url, opens=not no_browser))
        body = {"token": token, "nonce": nonce}
    made = client.post("sign-in", body=body)
    save_credentials(path, Credentials(url=client.url, secret=made["secret"]))
    document = {name: value for name, value in made.items() if name != "secret"} | {"file": str(path)}
    session.emit(document, _render)


def _show(session: Session, url: str, *, opens: bool) -> None:
    if opens and session.is_terminal and webbrowser.open(url):
        session.say("The browser shows where to sign in. This command waits for it.")
    else:
        session.say(f"Sign in with a browser of this machine, at:\n{url}")


def _check_free(path: Path) -> None:
    """Raise ForbiddenError when the file is the owner's: its secret is written nowhere else."""
    try:
        known = load_credentials(path)
    except NotFoundError:
        return
    if not is_user_secret(known.secret):
        raise ForbiddenError(
            f"The credentials file {path} holds the secret of the Conductor's owner, and is not overwritten. Name "
            "another one with -o, and let TENUTO_CREDENTIALS name it for the other commands."
        )


def _read(file: str) -> str:
    try:
        if file == "-":
            content = sys.stdin.buffer.read(_LONGEST_TOKEN + 1)
        else:
            with Path(file).open("rb") as stream:
                content = stream.read(_LONGEST_TOKEN + 1)
        text = content.decode("ascii").strip()
    except (OSError, UnicodeDecodeError) as failed:
        raise UserError(f"The token of {file} cannot be read: {failed}. Give the file of a signed token.") from failed
    if not text or len(content) > _LONGEST_TOKEN:
        raise UserError(f"{file} holds no token, or more than the {_LONGEST_TOKEN:,} letters of the longest one.")
    return text


def _render(document: JsonMap) -> str:
    narrow = "".join(
        f" Only {what}: {', '.join(document[what])}." for what in ("commands", "accounts") if document[what]
    )
    until = short_time(document["expires"])
    return f"Signed in as {document['user']}, until {until}.{narrow} {document['file']} keeps the token."
