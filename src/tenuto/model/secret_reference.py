"""A reference to a secret in AWS: `{{resolve:secretsmanager:…}}` or `{{resolve:ssm-secure:…}}`."""

import re
from dataclasses import dataclass

SECRETS_MANAGER = "resolve:secretsmanager:"
SECURE_STRING = "resolve:ssm-secure:"
_FORM = re.compile(
    r"(?P<secret>arn:[^:]+:secretsmanager:[^:]*:[^:]*:secret:[^:]+|[^:]+)"
    r"(?::(?:SecretString)?(?::(?P<key>[^:]*)(?::(?P<stage>[^:]*)(?::(?P<version>[^:]*))?)?)?)?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretReference:
    """A secret of Secrets Manager by its name or ARN, and what of it is meant."""

    secret: str
    key: str = ""
    """A member of the JSON object that the secret holds; empty for its whole text."""
    stage: str = ""
    version: str = ""
    """The version: at most one of the two is given; without both, it is the current version."""

    @staticmethod
    def parse(text: str) -> "SecretReference | None":
        """Read `ID[:SecretString[:KEY[:STAGE[:VERSION]]]]`; None when the text has another form."""
        found = _FORM.fullmatch(text)
        if found is None or (found["stage"] and found["version"]):
            return None
        parts = {name: value or "" for name, value in found.groupdict().items()}
        return SecretReference(**parts)
