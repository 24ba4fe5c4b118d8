"""Ownership tags: the owner of a resource, written on the resource itself.

`tenuto:process`, `tenuto:resource` and `tenuto:object` are set in the call that creates a thing, so that it can never
exist without saying whose it is. Tags that begin with `tenuto:` or `aws:` are never declared tags: they are cut out of
the observed tags, and no repair ever touches them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tenuto.core.planning.equality.others import without_services
from tenuto.errors import PermanentError
from tenuto.model.ids import Fid, Json, JsonMap, LogicalId, ObjectId
from tenuto.model.observation import Owner
from tenuto.model.outcome import Request
from tenuto.model.spelling import ServiceMembers

PROCESS = "tenuto:process"
RESOURCE = "tenuto:resource"
OBJECT = "tenuto:object"
_RESERVED = ("tenuto:", "aws:")
MOST_TAGS = 50
"""The number of tags that EC2, IAM and S3 take on one resource, not counting those of AWS itself."""

TAGS_OF_SERVICES = ServiceMembers(texts={"Key": "AmazonECSManaged|awsApplication|QSConfigId-.+"})
"""The tags that services of AWS write by themselves, and find things by: Amazon ECS on the Auto Scaling groups that it
scales, myApplications and Quick Setup on every part of one of theirs."""

_MORE = ("PropagateAtLaunch",)
"""The members that tags of Auto Scaling groups have besides, and no others have."""

Tag = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tags:
    """The tags of a real thing, in our two kinds: declared ones by key, and the owner that the others name."""

    declared: tuple[Tag, ...] = ()
    owner: Owner | None = None


def is_reserved(key: str) -> bool:
    """Whether a tag of this key can never be a declared tag."""
    return key.startswith(_RESERVED)


def read_tags(tags: Iterable[JsonMap] | None) -> Tags:
    """Tags as AWS answers them (`Key`, `Value`), split into those that can be declared and the owner."""
    found = {str(tag["Key"]): tag for tag in tags or ()}
    by_key = {key: str(tag.get("Value") or "") for key, tag in found.items()}
    owner = None
    if OBJECT in by_key:
        owner = Owner(
            fid=Fid(by_key.get(PROCESS, "")),
            logical_id=LogicalId(by_key.get(RESOURCE, "")),
            object_id=ObjectId(by_key[OBJECT]),
        )
    declared = tuple(
        {"Key": key, "Value": by_key[key], **{name: found[key][name] for name in _MORE if name in found[key]}}
        for key in sorted(by_key)
        if not is_reserved(key)
    )
    return Tags(declared=declared, owner=owner)


def owner_tags(request: Request, declared: int = 0) -> list[Tag]:
    """The ownership tags of the thing that a request makes, beside so many declared ones.

    The object's is the one that it is found by; where there is no room for all, the others are left out. Raises
    PermanentError when there is none at all.
    """
    tags: list[Tag] = [{"Key": OBJECT, "Value": str(request.object_id)}]
    if request.fid is not None:
        tags.append({"Key": PROCESS, "Value": str(request.fid)})
    tags.append({"Key": RESOURCE, "Value": str(request.logical_id)})
    if declared >= MOST_TAGS:
        raise PermanentError(
            f"{declared} tags are declared. AWS takes {MOST_TAGS} on a resource, and one is needed to say whose it is.",
            code="TagLimitExceeded",
        )
    return tags[: MOST_TAGS - declared]


def declared_tags(properties: JsonMap) -> dict[str, str]:
    """The declared `Tags` by key, values as text, as AWS keeps them. A few types declare them as a mapping."""
    tags = properties.get("Tags") or ()
    if isinstance(tags, Mapping):
        return {str(key): _text(value) for key, value in tags.items()}
    return {str(tag["Key"]): _text(tag.get("Value", "")) for tag in tags}


def birth_tags(request: Request) -> list[Tag]:
    """Return all tags that a new thing gets: declared ones, then ownership."""
    declared = declared_tags(request.properties)
    return [{"Key": key, "Value": declared[key]} for key in declared] + owner_tags(request, len(declared))


def _text(value: Json) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class TagChange:
    """The work on the tags of one thing: set these, then remove those keys. Sorted, so that equal is equal."""

    put: tuple[tuple[str, str], ...] = ()
    remove: tuple[str, ...] = ()


def tag_change(properties: JsonMap, observed: Json, marks: Mapping[str, ServiceMembers] | None = None) -> TagChange:
    """Return the change from the observed tags to the desired ones. `marks` (`ResourceType.of_services`) tell the tags
    of others, where these are still among the observed ones."""
    wanted = declared_tags(properties)
    present = declared_tags(without_services({"Tags": observed}, marks or {}, [properties]))
    return TagChange(
        put=tuple(sorted((key, value) for key, value in wanted.items() if present.get(key) != value)),
        remove=tuple(sorted(key for key in present if key not in wanted and not is_reserved(key))),
    )
