"""Which Conductor to talk to, and with which secret."""

from tenuto.cli.client import Client
from tenuto.cli.exits import UnreachableError
from tenuto.errors import NotFoundError, PermissionError_, UserError
from tenuto.service.access import Credentials, load_credentials
from tenuto.settings import Settings


def find_conductor(settings: Settings) -> Client:
    """A client of the Conductor that the settings mean: its URL and secret from options and environment, then from the
    credentials file.

    Raises UnreachableError when none is known, PermissionError_ when there is no secret for it.
    """
    known = _known(settings)
    url = settings.url or (known.url if known else None)
    if url is None:
        raise UnreachableError(
            f"No Conductor is known: there is no credentials file at {settings.credentials}. "
            "Start one with 'tenuto conductor', or name one with --url and TENUTO_SECRET."
        )
    if not url.startswith(("http://", "https://")):
        raise UserError(f"The URL {url!r} must begin with http:// or https://.")
    if settings.secret and settings.is_url_local:
        # Whoever can make a user enter their folder must not get the secret for it.
        raise PermissionError_(
            f"The URL {url} comes from {settings.config}, in the current directory; TENUTO_SECRET is not sent to a "
            "place that a folder names. Give it with --url or TENUTO_URL as well."
        )
    if settings.secret:
        return Client(url=url, secret=settings.secret)
    if known is None:
        raise PermissionError_(
            f"There is no secret for {url}: set TENUTO_SECRET, or let TENUTO_CREDENTIALS name the credentials file "
            "that its Conductor wrote."
        )
    if not known.is_for(url):
        # A secret is never sent to a place that it was not made for.
        raise PermissionError_(
            f"The secret in {settings.credentials} belongs to {known.url}, not to {url}. Set TENUTO_SECRET for it."
        )
    return Client(url=url, secret=known.secret)


def _known(settings: Settings) -> Credentials | None:
    if settings.url and settings.secret:
        return None
    try:
        return load_credentials(settings.credentials)
    except NotFoundError:
        return None
