"""Associations of documents of Systems Manager with single instances. They stay when the instance goes."""

from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.families.kinds import INSTANCE
from tenuto_testing.cloud.paging import cut
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Kind, Thing

ASSOCIATION = Kind(
    name="association", prefix="association-", id_name="AssociationId", not_found="AssociationDoesNotExist"
)
_LISTED = ("AssociationId", "InstanceId", "Name")
_PAGE = 50


def _known(call: Call) -> Thing | None:
    wanted = (call.want("Name"), call.want("InstanceId"))
    return next((one for one in call.all(ASSOCIATION) if (one["Name"], one["InstanceId"]) == wanted), None)


def _there(call: Call) -> Thing:
    found = _known(call)
    if found is None:
        raise Refusal("AssociationDoesNotExist", "")
    return found


def _described(association: Thing) -> Data:
    return {"AssociationDescription": {name: value for name, value in association.data.items() if name != "Tags"}}


def _create(call: Call) -> Data:
    if _known(call) is not None:
        raise Refusal("AssociationAlreadyExists", "")
    if call.place.table(INSTANCE).things.get(call.want("InstanceId")) is None:
        raise Refusal("InvalidInstanceId", "")
    data = {"Parameters": {}, **call.copied("InstanceId", "Name", "Parameters")}
    return _described(call.make(ASSOCIATION, data, is_asked_for=False))


def _list(call: Call) -> Data:
    wanted = {one["key"]: one["value"] for one in call.want("AssociationFilterList") or ()}
    found = {
        view.thing.id: {name: view.data[name] for name in _LISTED}
        for view in call.seen(ASSOCIATION)
        if view.data["InstanceId"] == wanted.get("InstanceId", view.data["InstanceId"])
    }
    names, token = cut(call, sorted(found), str, call.want("MaxResults", _PAGE))
    answer: Data = {"Associations": [found[name] for name in names]}
    return {**answer, "NextToken": token} if token else answer


def _delete(call: Call) -> Data:
    call.remove(_there(call))
    return {}


HANDLERS: Mapping[str, Any] = {
    "CreateAssociation": _create,
    "DeleteAssociation": _delete,
    "DescribeAssociation": lambda call: _described(_there(call)),
    "ListAssociations": _list,
}
