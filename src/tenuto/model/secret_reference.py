"""References to secrets: in AWS (`{{resolve:secretsmanager:…}}`, `{{resolve:ssm-secure:…}}`), and sealed ones.

An attribute that the provider tells once is kept as a reference that carries its own seal. The text of one is of no use
by itself: it is opened with the Conductor's key, and for the process of the object that it names.
"""

import re
from dataclasses import dataclass

from tenuto.model.ids import ObjectId

SECRETS_MANAGER = "resolve:secretsmanager:"
SECURE_STRING = "resolve:ssm-secure:"
_SEALED = "sealed:"
_FORM = re.compile(
    r"(?P<secret>arn:[^:]+:secretsmanager:[^:]*:[^:]*:secret:[^:]+|[^:]+)"
    r"(?::(?:SecretString)?(?::(?P<key>[^:]*)(?::(?P<stage>[^:]*)(?::(?P<version>[^:]*))?)?)?)?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretReference:
    """A secret of Secrets Manager by its name or ARN, and the part of it that is meant."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedReference:
    """An attribute of an object that was told once, and its seal."""

    object_id: ObjectId
    attribute: str
    seal: str

    def __str__(self) -> str:
        return f"{_SEALED}{self.object_id}:{self.attribute}:{self.seal}"

    @staticmethod
    def parse(text: str) -> "SealedReference | None":
        """Read the text of a reference; None when it is one of another kind."""
        parts = text.removeprefix(_SEALED).split(":", 2)
        if not text.startswith(_SEALED) or len(parts) < 3:
            return None
        return SealedReference(object_id=ObjectId(parts[0]), attribute=parts[1], seal=parts[2])
