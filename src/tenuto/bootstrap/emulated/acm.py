"""The kind of key that a certificate is asked for: moto gives each one a key of RSA."""

from typing import Any

from moto.acm.models import CertBundle
from moto.acm.responses import AWSCertificateManagerResponse

_request: Any = AWSCertificateManagerResponse.request_certificate
_describe: Any = CertBundle.describe


def _requested(self: Any) -> Any:
    answer = _request(self)
    bundle = self.acm_backend.get_certificate(answer.result["CertificateArn"])
    bundle.tenuto_key = self._get_param("KeyAlgorithm")
    return answer


def _described(self: Any) -> dict[str, Any]:
    shown: dict[str, Any] = _describe(self)
    if key := getattr(self, "tenuto_key", None):
        shown["Certificate"]["KeyAlgorithm"] = key
    return shown


def add() -> None:
    """Keep it."""
    setattr(AWSCertificateManagerResponse, "request_certificate", _requested)  # noqa: B010
    setattr(CertBundle, "describe", _described)  # noqa: B010
