"""Texts that a composition takes from an object of S3: definitions of APIs and of machines of states.

The text that stands in the bucket at the moment of the call is read. A declaration names it by key and version; another
text under the same key changes nothing, as in CloudFormation, since nothing would show it.
"""

from tenuto.errors import PermanentError
from tenuto.model.ids import JsonMap
from tenuto.providers.aws.kind import Work


def text_at(work: Work, place: JsonMap, largest: int, taker: str) -> str:
    """The text at a place with `Bucket`, `Key` and perhaps `Version`. `taker` is the service that takes no more than
    `largest` bytes. Raises PermanentError for one that is too large, or no text."""
    version = {"VersionId": place["Version"]} if place.get("Version") else {}
    address = f"s3://{place.get('Bucket')}/{place.get('Key')}"
    answer = work.read("s3", "GetObject", Bucket=place.get("Bucket"), Key=place.get("Key"), **version)
    read: bytes = answer["Body"].read(largest + 1)
    if len(read) > largest:
        raise PermanentError(
            f"The definition {address} has more than {largest // 1024 // 1024} MiB, the most that {taker} takes.",
            code="InvalidRequest",
        )
    try:
        return read.decode()
    except UnicodeDecodeError as error:
        raise PermanentError(f"The definition {address} is no UTF-8 text.", code="InvalidRequest") from error
