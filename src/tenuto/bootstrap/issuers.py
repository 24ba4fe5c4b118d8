"""The issuers of a Conductor, as its settings name them."""

import stat

from tenuto.errors import ForbiddenError, UserError
from tenuto.settings import Settings
from tenuto.transports.oidc import HttpIssuers


def http_issuers(settings: Settings) -> HttpIssuers:
    """The issuers. Raises UserError, and ForbiddenError for a secret that others can read."""
    file = settings.oidc_client_secret
    if file is not None:
        try:
            mode = stat.S_IMODE(file.stat().st_mode)
        except OSError as failed:
            raise UserError(f"The file of --oidc-client-secret {file} cannot be read: {failed.strerror}.") from failed
        if mode & 0o077:
            raise ForbiddenError(
                f"The file of --oidc-client-secret {file} can be read by others (mode {mode:04o}), so it is not used. "
                f"Close it with 'chmod 600 {file}'; if others may have read it, let the issuer make a new secret."
            )
    return HttpIssuers(settings.oidc_issuers, secret_file=file)
