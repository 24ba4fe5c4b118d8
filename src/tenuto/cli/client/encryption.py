"""TLS on the side of the client: whom it believes, and why it does not.

OpenSSL is loaded by a connection: no help and no call over loopback needs it.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from tenuto.errors import UserError

if TYPE_CHECKING:
    import ssl

    import urllib3

_EXPIRED, _NOT_YET = 10, 9
_WRONG_HOST, _WRONG_ADDRESS = 62, 64
_UNKNOWN = (18, 19, 20, 21)
"""Codes of OpenSSL's verification: a certificate that signed itself, an authority that is not known."""


def client_context(ca_cert: Path | None) -> "ssl.SSLContext":
    """The context that believes these authorities, else those of the system. Raises UserError."""
    import ssl

    try:
        context = ssl.create_default_context(cafile=ca_cert)
    except (OSError, ValueError) as wrong:
        raise UserError(
            f"The certificates in {ca_cert} cannot be used: {getattr(wrong, 'reason', None) or wrong}. Expected "
            "certificates in PEM form (--ca-cert, TENUTO_CA_CERT)."
        ) from wrong
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def why_not_encrypted(url: str, failed: "urllib3.exceptions.SSLError") -> str:
    """Return why no secret was sent: the error of the certificate, or of the server that answers."""
    import ssl

    cause = failed.args[0] if failed.args else None
    if not isinstance(cause, ssl.SSLCertVerificationError):
        return (
            f"What answers at {url} does not speak TLS, or no version of it that is safe ({failed}). Nothing was sent. "
            "Is the URL that of a Conductor with --tls-cert, or of a proxy?"
        )
    match cause.verify_code:
        case code if code == _EXPIRED:
            why = "its certificate has expired. Renew it; the Conductor takes the new one without a restart."
        case code if code == _NOT_YET:
            why = "its certificate is not valid yet. Compare the clocks of both machines."
        case code if code in (_WRONG_HOST, _WRONG_ADDRESS):
            why = "its certificate is for another name. Use a name that it is for, or have one made for this name."
        case code if code in _UNKNOWN:
            why = (
                "its certificate is of an authority that is not known here. Name the file with the certificate of that "
                "authority: --ca-cert or TENUTO_CA_CERT."
            )
        case _:
            why = f"its certificate is refused: {cause.verify_message}."
    return f"Tenuto does not trust the Conductor at {url}, and has sent nothing to it: {why}"
