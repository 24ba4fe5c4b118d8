"""Tags of things that exist already."""

from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call, unknown
from tenuto_testing.cloud.describing import page_size
from tenuto_testing.cloud.families.kinds import TAGGABLE
from tenuto_testing.cloud.filters import compile_filters
from tenuto_testing.cloud.paging import cut
from tenuto_testing.cloud.tags import merged, without
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

_MOST = 1000
_FILTERS = {"key": "Key", "resource-id": "ResourceId", "resource-type": "ResourceType", "value": "Value"}


def _things(call: Call) -> list[Thing]:
    ids = call.want("Resources")
    if len(ids) > _MOST:
        raise Refusal("InvalidParameterValue", f"At most {_MOST} resources can be tagged in one request.")
    return [_thing(call, one) for one in dict.fromkeys(ids)]


def _thing(call: Call, thing_id: str) -> Thing:
    kind = TAGGABLE.get(thing_id.rpartition("-")[0])
    if kind is None:
        raise Refusal("InvalidID", f"The ID '{thing_id}' is not valid")
    thing = call.get(kind, thing_id)
    if thing.get("State") == "deleted":
        raise unknown(kind, thing_id)
    return thing


def _create(call: Call) -> Data:
    things = _things(call)
    wanted = [merged(thing.tags(), call.want("Tags")) for thing in things]
    for thing, tags in zip(things, wanted, strict=True):
        call.edit(thing)[thing.kind.tags_name] = tags
    return {}


def _delete(call: Call) -> Data:
    for thing in _things(call):
        kept = without(thing.tags(), call.want("Tags") or thing.tags())
        call.edit(thing)[thing.kind.tags_name] = kept
    return {}


def _describe(call: Call) -> Data:
    tests = compile_filters(call.want("Filters") or (), _FILTERS)
    found = [
        {"Key": tag["Key"], "ResourceId": view.thing.id, "ResourceType": kind.name, "Value": tag["Value"]}
        for kind in TAGGABLE.values()
        for view in call.seen(kind)
        for tag in view.data.get(kind.tags_name) or ()
    ]
    found = sorted((tag for tag in found if all(test(tag) for test in tests)), key=_key)
    page, token = cut(call, found, _key, page_size(call, _MOST, _MOST))
    return {"Tags": page, "NextToken": token} if token else {"Tags": page}


def _key(tag: Data) -> list[str]:
    return [tag["ResourceId"], tag["Key"]]


HANDLERS: Mapping[str, Any] = {"CreateTags": _create, "DeleteTags": _delete, "DescribeTags": _describe}
