"""Ownership tags on things that exist already: written when a thing is adopted, taken off when it is released.

Marks are put one thing at a time, since each thing has its own. EC2 removes a tag only when its value is the one that
was given, so a value that another owner wrote meanwhile stays. Elsewhere the tags are read before they are removed.

The bill of an adoption comes from here too, and not from the block of a type: a plan promises the calls that are made.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tenuto.model.ids import Json, JsonMap
from tenuto.model.outcome import Done, Outcome
from tenuto.model.resource import ResourceType
from tenuto.providers.aws.client.owner import OBJECT, Tag, owner_tags
from tenuto.providers.aws.kind import AwsType, Marks, Work
from tenuto.providers.aws.rates.buckets import calls_of


def claim(work: Work) -> Outcome:
    """Write our ownership on it."""
    marks = _marks_of(work.type)
    outcome = marks.put(work, owner_tags(work.request)) if marks is not None else None
    return outcome or Done(physical_id=work.request.physical_id)


def disclaim(work: Work) -> Outcome:
    """Take our ownership off it."""
    marks = _marks_of(work.type)
    outcome = marks.remove(work, owner_tags(work.request)) if marks is not None else None
    return outcome or Done(physical_id=work.request.physical_id)


def with_calls_of_marks(kind: AwsType) -> ResourceType:
    """The facts of a type with the calls that an adoption and a release take."""
    marks = _marks_of(kind)
    if marks is None:
        return kind.facts
    calls = replace(kind.facts.calls, adopt=calls_of(marks.put_by), release=calls_of(marks.removed_by))
    return replace(kind.facts, calls=calls)


def are_ours(work: Work, tags: Iterable[JsonMap]) -> bool:
    """Whether the tags on a thing name this very incarnation as its owner."""
    return any(tag["Key"] == OBJECT and tag.get("Value") == work.request.object_id for tag in tags)


def _marks_of(kind: AwsType) -> Marks | None:
    return kind.marks or (EC2_MARKS if kind.tagged_as else None)


def _tag_id(work: Work) -> Json:
    return work.request.attributes[work.type.tag_id] if work.type.tag_id else work.id


def _put(work: Work, tags: Sequence[Tag]) -> None:
    work.change("ec2", "CreateTags", Resources=[_tag_id(work)], Tags=[dict(tag) for tag in tags])


def _remove(work: Work, tags: Sequence[Tag]) -> None:
    work.change("ec2", "DeleteTags", Resources=[_tag_id(work)], Tags=[dict(tag) for tag in tags])


EC2_MARKS = Marks(put=_put, remove=_remove, put_by="ec2:CreateTags", removed_by="ec2:DeleteTags")
