"""The tags of Auto Scaling groups: each names its group, and says whether the machines of the group get it as well.

Our marks do not go on to the machines, which are no resources of their own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.client.answers.pages import Paging
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.owner import Tag, birth_tags, is_reserved
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.kind import Work, flag
from tenuto.providers.aws.types.tag_calls import TagCalls

_KIND = "auto-scaling-group"
_GOES_ON = "PropagateAtLaunch"
_LIST = Paging(
    service="autoscaling",
    operation="DescribeTags",
    members="Tags",
    token_in="NextToken",
    token_out="NextToken",
    size_name="MaxRecords",
    page_size=100,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupTags(TagCalls):
    """The calls about them."""

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {"Tags": _shaped(_name(work), birth_tags(work.request), _going_on(work.want("Tags")))}

    def read(self, client: AccountClient, identifier: Json) -> list[JsonMap]:
        wanted = [{"Name": _KIND, "Values": [identifier]}]
        names = ("Key", "Value", _GOES_ON)
        return [{name: tag.get(name) for name in names} for tag in client.pages(_LIST, Filters=wanted)]

    def repair(self, work: Work) -> None:
        wanted, present = _by_key(work.want("Tags")), _by_key(work.seen("Tags"))
        changed = [key for key, one in wanted.items() if present.get(key) != one]
        if changed:
            put = [{"Key": key, "Value": wanted[key][0]} for key in changed]
            tags = _shaped(work.id, put, _going_on(work.want("Tags")))
            work.change(self.service, self.put_call, Tags=tags)
        gone = [key for key in present if key not in wanted]
        if gone and work.want("Tags") is not None:
            self._remove(work, gone)

    def _put(self, work: Work, tags: Sequence[Tag]) -> None:
        work.change(self.service, self.put_call, Tags=_shaped(work.id, tags, frozenset()))

    def _remove(self, work: Work, keys: Sequence[str]) -> None:
        tags = [{"ResourceId": work.id, "ResourceType": _KIND, "Key": key} for key in keys]
        work.change(self.service, self.remove_call, Tags=tags)


def _name(work: Work) -> Json:
    return work.want("AutoScalingGroupName")


def _going_on(declared: Json) -> frozenset[str]:
    return frozenset(str(tag["Key"]) for tag in declared or () if flag(tag.get(_GOES_ON)))


def _by_key(tags: Json) -> dict[str, tuple[str, bool]]:
    """Value and going on of each declared tag."""
    return {
        str(tag["Key"]): (text_of(tag.get("Value") or ""), flag(tag.get(_GOES_ON)))
        for tag in tags or ()
        if not is_reserved(str(tag["Key"]))
    }


def _shaped(group: Json, tags: Iterable[Tag], going_on: frozenset[str]) -> list[JsonMap]:
    of = {"ResourceType": _KIND} | ({"ResourceId": group} if group is not None else {})
    return [{**of, **tag, _GOES_ON: tag["Key"] in going_on} for tag in tags]


TAGS = GroupTags(
    service="autoscaling",
    list_call="DescribeTags",
    put_call="CreateOrUpdateTags",
    remove_call="DeleteTags",
    id_name="ResourceId",
)
