"""Answers that code sends to an address: the signals of wait conditions and the responses of custom resources.

Theory of operation. CloudFormation gives such code an address that takes one PUT without credentials. Here it is a
pre-signed address of an object in a bucket of the account, `tenuto-answers-ACCOUNT-REGION`, which its owner makes once.
Tenuto polls the object. A name that can be guessed could belong to another account: so every read says whose the bucket
must be, and nothing is asked before that was answered.
"""

import json
from dataclasses import dataclass

from tenuto.errors import PermanentError, ProviderError
from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.client import AccountClient

_LARGEST_BYTES = 65_536
"""CloudFormation takes answers of 4 KiB."""
_FOLDER = "tenuto"
MALFORMED = "MalformedAnswer"
"""The code of an answer that is none. The code of a damaged answer of AWS is another one: that may come of the way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mailbox:
    """The bucket of an account and region that answers are put into."""

    client: AccountClient
    account_id: str

    @property
    def bucket(self) -> str:
        return f"tenuto-answers-{self.account_id}-{self.client.partition.region}"

    def check(self) -> None:
        """Raise PermanentError, with advice, when the account has no such bucket."""
        try:
            self._read("ListObjectsV2", Prefix=f"{_FOLDER}/", MaxKeys=1)
        except ProviderError as error:
            if not faults.is_gone(error) and not faults.is_denied(error):
                raise
            raise PermanentError(
                f"Custom resources and wait conditions answer through the bucket {self.bucket}, and the account "
                f"has none that Tenuto may use. Create it ('aws s3 mb s3://{self.bucket}'), then 'tenuto resume'.",
                code="NoBucketForAnswers",
            ) from error

    def address(self, key: str, expires_s: int) -> str:
        """The address that takes an answer without credentials."""
        return self.client.presigned("s3", "PutObject", expires_s, Bucket=self.bucket, Key=f"{_FOLDER}/{key}")

    def answer(self, key: str) -> JsonMap | None:
        """The first answer; None as long as there is none. Raises PermanentError for one that is no JSON object.

        A bucket without versions, or whose versions may not be listed, shows only the last one. They are listed once
        there is an answer: until then the question costs one call.
        """
        try:
            body = self._read("GetObject", Key=f"{_FOLDER}/{key}")["Body"].read(_LARGEST_BYTES + 1)
        except ProviderError as error:
            if faults.is_gone(error):
                return None
            raise
        try:
            versions = self._versions(key)
        except ProviderError as error:
            if not faults.is_denied(error):
                raise
            versions = []
        return self._version(versions[0]) if len(versions) > 1 else _document(body)

    def answers(self, key: str) -> dict[str, JsonMap]:
        """Every answer, the oldest first, by a text that no other answer has; of a bucket without versions only the
        last one."""
        return {f"{one.get('VersionId')} {one.get('LastModified')}": self._version(one) for one in self._versions(key)}

    def _versions(self, key: str) -> list[JsonMap]:
        """The versions of the object of a key, the oldest first."""
        listed = self._read("ListObjectVersions", Prefix=f"{_FOLDER}/{key}")
        return [one for one in reversed(listed.get("Versions") or ()) if one["Key"] == f"{_FOLDER}/{key}"]

    def _version(self, one: JsonMap) -> JsonMap:
        version = {} if one.get("VersionId") in (None, "null") else {"VersionId": one["VersionId"]}
        return _document(self._read("GetObject", Key=one["Key"], **version)["Body"].read(_LARGEST_BYTES + 1))

    def _read(self, operation: str, /, **parameters: Json) -> JsonMap:
        return self.client.ask("s3", operation, Bucket=self.bucket, ExpectedBucketOwner=self.account_id, **parameters)


def mailbox(client: AccountClient) -> Mailbox:
    """The mailbox of the account that the client works in."""
    return Mailbox(client=client, account_id=str(client.ask("sts", "GetCallerIdentity")["Account"]))


def _document(body: bytes) -> JsonMap:
    try:
        found = json.loads(body) if len(body) <= _LARGEST_BYTES else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise PermanentError(
            f"An answer was sent that is no JSON object of at most {_LARGEST_BYTES} bytes. Correct the code that sends "
            "it, then 'tenuto retry'.",
            code=MALFORMED,
        )
    return found
