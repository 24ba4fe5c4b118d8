"""The target of a command: the Conductor it talks to, and the secret it sends."""

from urllib.parse import urlsplit

from tenuto.cli.client.client import Client, Patience
from tenuto.cli.terminal.exits import UnreachableError
from tenuto.errors import ForbiddenError, NotFoundError, TenutoError, UserError
from tenuto.kit.address import is_loopback
from tenuto.service.access.own_secret import Credentials, load_credentials
from tenuto.settings import Settings


def find_conductor(settings: Settings, *, patience: Patience | None = None) -> Client:
    """A client of the Conductor that the settings mean: its URL and secret from options and environment, then from the
    credentials file.

    Raises UnreachableError when none is known, ForbiddenError when there is no secret for it.
    """
    known = _known(settings)
    url = settings.url or (known.url if known else None)
    if url is None:
        raise UnreachableError(
            f"No Conductor is known: there is no credentials file at {settings.credentials}. "
            "Start one with 'tenuto conductor', or name one with --url and TENUTO_SECRET."
        )
    _check_transport(settings, url)
    if settings.secret and settings.is_local("url"):
        # A person who can make a user enter their folder must not get the secret for it.
        raise ForbiddenError(
            f"The URL {url} comes from {settings.config}, in the current directory; TENUTO_SECRET is not sent to a "
            "place that a folder names. Give it with --url or TENUTO_URL as well."
        )
    if settings.secret:
        return Client(url=url, secret=settings.secret, ca_cert=settings.ca_cert, patience=patience)
    if known is None:
        raise ForbiddenError(
            f"There is no secret for {url}: set TENUTO_SECRET, or let TENUTO_CREDENTIALS name the credentials file "
            "that its Conductor wrote."
        )
    if not known.is_for(url):
        # A secret is never sent to a place that it was not made for.
        raise ForbiddenError(
            f"The secret in {settings.credentials} belongs to {known.url}, not to {url}. Set TENUTO_SECRET for it."
        )
    return Client(url=url, secret=known.secret, ca_cert=settings.ca_cert, patience=patience)


def find_conductor_to_sign_in(settings: Settings) -> Client:
    """A client without a secret, of the Conductor that the settings mean. Raises like `find_conductor`."""
    url, source = conductor_url(settings)
    if url is None:
        raise UnreachableError(f"No Conductor is known ({source}). Name one with --url.")
    _check_transport(settings, url)
    if settings.is_local("url"):
        raise ForbiddenError(
            f"The URL {url} comes from {settings.config}, in the current directory, and a token is not sent to "
            "a place that a folder names. Give it with --url or TENUTO_URL as well."
        )
    return Client(url=url, secret="", ca_cert=settings.ca_cert)


OF_CREDENTIALS = "the credentials file"


def conductor_url(settings: Settings) -> tuple[str | None, str]:
    """The URL that commands go to, and where it comes from; None with the reason when no Conductor is known."""
    if settings.url:
        return settings.url, settings.origins.get("url", "")
    try:
        return load_credentials(settings.credentials).url, f"{OF_CREDENTIALS} {settings.credentials}"
    except NotFoundError:
        return None, f"none: there is no credentials file at {settings.credentials}"
    except TenutoError as unfit:
        return None, f"none: {unfit}"


def check_url(url: str) -> tuple[str, str]:
    """The scheme and the host of a Conductor's URL. Raises UserError for one that no Conductor can have."""
    if not url.startswith(("http://", "https://")):
        raise UserError(f"The URL {url!r} must begin with http:// or https://.")
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        host = None
    if not host:
        raise UserError(f"The URL {url!r} names no host. Expected one like https://tenuto.example.org:8686.")
    return parts.scheme, host


def _check_transport(settings: Settings, url: str) -> None:
    """Raise ForbiddenError when the secret could be read on its way, UserError like `check_url`."""
    scheme, host = check_url(url)
    is_open = scheme == "http" and not is_loopback(host)
    option = "insecure" if is_open else "ca_cert" if scheme == "https" else ""
    if settings.is_local(option):
        # The file may come with a folder that the user was made to enter.
        raise ForbiddenError(
            f"{option!r} comes from {settings.config}, in the current directory, and a folder does not decide to whom "
            f"a secret is sent. Give it with --{option.replace('_', '-')} or TENUTO_{option.upper()}, or take it out."
        )
    if is_open and not settings.insecure:
        raise ForbiddenError(
            f"The secret is not sent to {url}: over plain HTTP everybody on the way to {host} could read it. Give an "
            "https URL, or say --insecure (TENUTO_INSECURE=1) where the network itself is trusted."
        )


def _known(settings: Settings) -> Credentials | None:
    if settings.url and settings.secret:
        return None
    try:
        return load_credentials(settings.credentials)
    except NotFoundError:
        return None
