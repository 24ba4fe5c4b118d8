"""Ownership tags on IAM's things: each kind has calls of its own, and a tag goes by its key, with any value."""

from collections.abc import Sequence

from tenuto.model.ids import JsonMap
from tenuto.providers.aws.client.owner import Tag
from tenuto.providers.aws.kind import Marks, Work, texts
from tenuto.providers.aws.tags.marking import are_ours
from tenuto.providers.aws.types.iam_attached import POLICY_TAGS, mark, marked
from tenuto.providers.aws.types.iam_placed import KINDS, Principal


def iam_marks(kind: str, identified_by: str) -> Marks:
    """The marks of a kind: `Tag<kind>` and `Untag<kind>` take the thing as the parameter `identified_by`."""

    def put(work: Work, tags: Sequence[Tag]) -> None:
        # An adopted policy owns the attachments that it declares from now on: no principal drifts by them.
        own = [{"Key": mark(one), "Value": ""} for one in _declared(work)] if kind == "Policy" else []
        work.change("iam", f"Tag{kind}", **{identified_by: work.id}, Tags=[*(dict(tag) for tag in tags), *own])

    def remove(work: Work, tags: Sequence[Tag]) -> None:
        present = _tags(work, kind, identified_by)
        if are_ours(work, present):
            keys = [tag["Key"] for tag in tags]
            # The notes of a managed policy about its own attachments mean nothing without its owner.
            keys += [mark(one) for one in marked(tag["Key"] for tag in present)]
            work.change("iam", f"Untag{kind}", **{identified_by: work.id}, TagKeys=keys)

    return Marks(put=put, remove=remove, put_by=f"iam:Tag{kind}", removed_by=f"iam:Untag{kind}")


def _declared(work: Work) -> list[Principal]:
    """The principals that a managed policy declares."""
    return [(kind, name) for kind, word in KINDS.items() for name in sorted(texts(work.want(f"{word}s")))]


def _tags(work: Work, kind: str, identified_by: str) -> list[JsonMap]:
    if kind == "Policy":
        return list(work.client.pages(POLICY_TAGS, PolicyArn=work.id))
    return list(work.read("iam", f"Get{kind}", **{identified_by: work.id})[kind].get("Tags") or ())
