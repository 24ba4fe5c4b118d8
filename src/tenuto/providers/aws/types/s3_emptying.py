"""The objects of a bucket that is to be emptied when it is deleted.

The CDK marks such a bucket with a tag (`autoDeleteObjects`), and has a function that deletes every version of every
object of a bucket with that tag, right before the bucket itself. Tenuto does the same without the function. Nothing but
the tag on the bucket itself counts: it is declared, a plan shows it, and a user who takes it off keeps the objects.
"""

from tenuto.errors import PermanentError
from tenuto.model.ids import JsonMap
from tenuto.model.outcome import Pending
from tenuto.providers.aws.kind import Work

TAG = "aws-cdk:auto-delete-objects"
_PAGE = 1000
"""Objects that one call deletes at most."""
_PAGES = 50
"""Pages that are deleted in one go: about half a minute, after which other work has its turn."""


def is_marked(tags: list[JsonMap]) -> bool:
    """Whether the tags say that the bucket is emptied when it is deleted."""
    return any(tag.get("Key") == TAG and str(tag.get("Value")).lower() == "true" for tag in tags)


def empty(work: Work) -> Pending | None:
    """Delete every version of every object; Pending when there are more than one go can delete."""
    for _ in range(_PAGES):
        answer = work.read("s3", "ListObjectVersions", Bucket=work.id, MaxKeys=_PAGE)
        found = [
            {"Key": one["Key"], "VersionId": one["VersionId"]}
            for one in (*(answer.get("Versions") or ()), *(answer.get("DeleteMarkers") or ()))
        ]
        if not found:
            return None
        done = work.change("s3", "DeleteObjects", Bucket=work.id, Delete={"Objects": found, "Quiet": True})
        for error in done.get("Errors") or ():
            raise PermanentError(
                f"S3 does not delete the object {error.get('Key')} of {work.id}: {error.get('Message')}",
                code=str(error.get("Code") or "ObjectNotDeleted"),
            )
    return Pending(message=f"{work.id} has more objects; Tenuto goes on emptying it.", delay_s=1.0)
