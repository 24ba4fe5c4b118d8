"""Certificates that are signed by their own key alone: the other side knows them by their fingerprint."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from ssl import PEM_cert_to_DER_cert

_END = "-----END CERTIFICATE-----"


def made(common_name: str, dns_name: str, life: timedelta) -> bytes:
    """Return a new key and its certificate, PEM."""
    # Loaded here: most programs make none.
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + life)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(dns_name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return certificate.public_bytes(serialization.Encoding.PEM) + private


def fingerprint_of(file: Path) -> str:
    """Return the SHA-256 of the certificate in a file. Raises OSError, and ValueError for a file without one."""
    text = file.read_text()
    return sha256(PEM_cert_to_DER_cert(text[: text.index(_END) + len(_END)])).hexdigest()
