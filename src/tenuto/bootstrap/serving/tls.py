"""The certificate of the API: read, checked, and read again when its files change.

A Conductor that listens beyond this machine needs one, or an explicit word that it is meant to go without
(`server_tls`): every request carries a secret, and compositions carry the values of NoEcho parameters.

A renewed certificate is used for the next connection. A pair that cannot be used then, such as a new certificate beside
the old key, leaves the one in effect: that is logged, and the files are read again when they change.
"""

import os
import ssl
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import structlog
from cryptography import x509
from cryptography.x509.oid import ExtensionOID

from tenuto.errors import UserError
from tenuto.kit.address import Address, is_loopback
from tenuto.settings import Settings

SOON = timedelta(days=14)
"""A certificate that ends within this is told of. Public authorities renew a month before the end."""
_WILDCARDS = ("0.0.0.0", "::")

_log = structlog.get_logger("tenuto.api")


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """The facts of a certificate: until when it is good, and for which names."""

    ends: datetime
    names: tuple[str, ...]

    def is_for(self, host: str) -> bool:
        """Whether clients that call the server by this name accept the certificate."""
        wanted = host.lower()
        return any(
            name.lower() == wanted or (name.startswith("*.") and wanted.partition(".")[2] == name[2:].lower())
            for name in self.names
        )


class DamagedPairError(UserError):
    """A certificate or a key whose content is of no use."""


class ServerTls:
    """The certificate and the key of a server. Raises UserError, DamagedPairError where their content is of no use."""

    def __init__(self, certificate: Path, key: Path) -> None:
        self._files = (certificate, key)
        self._seen = _versions(self._files)
        self._context, self.certificate = _load(certificate, key)

    def context(self) -> ssl.SSLContext:
        """The context that encrypts the next connection."""
        seen = _versions(self._files)
        if seen != self._seen:
            self._seen = seen
            try:
                self._context, self.certificate = _load(*self._files)
                _log.info("api.certificate_renewed", ends=self.certificate.ends.isoformat())
            except UserError as wrong:
                _log.error("api.certificate_refused", reason=str(wrong), hint="the one before is still in effect")
        return self._context

    def url(self, address: Address) -> str:
        """The URL by which clients on this machine reach the server: with a name that the certificate is for."""
        own = ("localhost", "127.0.0.1", "::1") if address.host in _WILDCARDS else (address.host,)
        known = next((host for host in own if self.certificate.is_for(host)), None)
        return address.url_at(known or next(iter(_plain(self.certificate.names)), own[0]), scheme="https")


def server_tls(settings: Settings) -> ServerTls | None:
    """The certificate that the settings name; None for plain HTTP.

    Raises UserError when one of two files is missing or cannot be used, and when plain HTTP would leave this machine.
    """
    if settings.tls_cert and settings.tls_key:
        return ServerTls(settings.tls_cert, settings.tls_key)
    if settings.tls_cert or settings.tls_key:
        missing = "--tls-key (TENUTO_TLS_KEY)" if settings.tls_cert else "--tls-cert (TENUTO_TLS_CERT)"
        raise UserError(f"TLS needs a certificate and its key: give {missing} as well.")
    if not is_loopback(settings.listen.host) and not settings.insecure:
        raise UserError(
            f"cannot listen on {settings.listen.host} without TLS: other machines could reach the Conductor, and the "
            "secrets of its users and the values of NoEcho parameters would travel unencrypted. Give --tls-cert and "
            "--tls-key, listen on 127.0.0.1 behind a proxy that speaks TLS, or say --insecure (TENUTO_INSECURE=1) "
            "where the network itself is trusted. docs/guide/tls.md shows each way."
        )
    if not is_loopback(settings.listen.host):
        _log.warning(
            "api.insecure", listen=settings.listen.host, hint="secrets travel unencrypted; see docs/guide/tls.md"
        )
    return None


def _load(certificate: Path, key: Path) -> tuple[ssl.SSLContext, Certificate]:
    """The context of a server, and the facts of its certificate. Raises UserError."""
    _check_private(key)
    found = _read(certificate)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    try:
        # The password is asked for where the key has one. Without an answer here, OpenSSL would ask at the terminal.
        context.load_cert_chain(certificate, key, password=lambda: b"")
    except (OSError, ValueError) as wrong:
        raise DamagedPairError(
            f"the TLS key {key} cannot be used with the certificate {certificate}: it is another one's, has a "
            f"password, or is no key in PEM form ({getattr(wrong, 'reason', None) or wrong}). Give the key that the "
            "certificate was made for, without a password."
        ) from wrong
    left = found.ends - datetime.now(UTC)
    if left < SOON:
        _log.warning(
            "api.certificate_ends",
            ends=found.ends.isoformat(),
            hint="clients refuse it from then on; put a new one in its place, which is used without a restart",
        )
    return context, found


def _read(path: Path) -> Certificate:
    """The first certificate in the file, which is that of the server. Raises UserError."""
    try:
        found = x509.load_pem_x509_certificates(path.read_bytes())[0]
        names = found.extensions.get_extension_for_oid(ExtensionOID.SUBJECT_ALTERNATIVE_NAME).value
    except OSError as failed:
        raise UserError(f"the TLS certificate {path} cannot be read: {failed.strerror}.") from failed
    except x509.ExtensionNotFound as without:
        raise UserError(
            f"the TLS certificate {path} is for no name: it has no subject alternative name, and clients accept none "
            "without. Have one made with the names by which the Conductor is called."
        ) from without
    except (ValueError, IndexError) as wrong:
        raise DamagedPairError(
            f"the TLS certificate {path} is no certificate in PEM form, or is damaged: such a file begins with "
            "'-----BEGIN CERTIFICATE-----'."
        ) from wrong
    assert isinstance(names, x509.SubjectAlternativeName)
    addresses = names.get_values_for_type(x509.IPAddress)
    return Certificate(
        ends=found.not_valid_after_utc,
        names=(*names.get_values_for_type(x509.DNSName), *(str(one) for one in addresses)),
    )


def _check_private(key: Path) -> None:
    try:
        mode = stat.S_IMODE(key.stat().st_mode)
    except OSError as failed:
        raise UserError(f"the TLS key {key} cannot be read: {failed.strerror}.") from failed
    if mode & 0o077:
        raise UserError(
            f"the TLS key {key} can be read by others (mode {mode:04o}): close it with 'chmod 600 {key}', and have a "
            "new one made if it may have been read."
        )


def _versions(files: Sequence[Path]) -> tuple[tuple[int, int, int] | None, ...]:
    """The facts of a file that change when it is written, or when another one takes its place."""
    return tuple(_version(path) for path in files)


def _version(path: Path) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_mode


def _plain(names: Sequence[str]) -> tuple[str, ...]:
    """Names that a client can call: no patterns; names before numbers."""
    return tuple(sorted((name for name in names if "*" not in name), key=_is_number))


def _is_number(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
