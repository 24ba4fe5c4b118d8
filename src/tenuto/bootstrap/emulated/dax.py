"""Changes of clusters of DAX, which moto lacks, and the properties that it does not keep of a new one."""

import json
from typing import Any

from moto.core.exceptions import JsonRESTError
from moto.dax.models import DaxCluster
from moto.dax.responses import DAXResponse

from tenuto.bootstrap.emulated.added import added

_MORE = "tenuto_more"
_make: Any = DAXResponse.create_cluster
_shown = DaxCluster.to_json


class _AlreadyThereError(JsonRESTError):
    def __init__(self, name: str) -> None:
        super().__init__("ClusterAlreadyExistsFault", f"Cluster {name} already exists.")


def _kept(asked: dict[str, Any]) -> dict[str, Any]:
    """The members of a description for the parameters that a call was sent."""
    kept: dict[str, Any] = {
        name: asked[name] for name in ("Description", "NetworkType", "PreferredMaintenanceWindow") if name in asked
    }
    if "NotificationTopicArn" in asked:
        kept["NotificationConfiguration"] = {"TopicArn": asked["NotificationTopicArn"], "TopicStatus": "active"}
    if "ParameterGroupName" in asked:
        kept["ParameterGroup"] = {
            "ParameterGroupName": asked["ParameterGroupName"],
            "ParameterApplyStatus": "in-sync",
            "NodeIdsToReboot": [],
        }
    if "SecurityGroupIds" in asked:
        kept["SecurityGroups"] = [
            {"SecurityGroupIdentifier": one, "Status": "active"} for one in asked["SecurityGroupIds"]
        ]
    if "SubnetGroupName" in asked:
        kept["SubnetGroup"] = asked["SubnetGroupName"]
    return kept


def _place(one: DaxCluster, zones: list[str]) -> None:
    """Put the newest nodes into these zones."""
    for node, zone in zip(one.nodes[len(one.nodes) - len(zones) :], zones, strict=True):
        node.availability_zone = zone


def _created(self: DAXResponse) -> str:
    asked = json.loads(self.body)
    name = asked["ClusterName"] = asked["ClusterName"].lower()
    if name in self.dax_backend.clusters:
        raise _AlreadyThereError(name)
    self.body = json.dumps(asked)
    _make(self)
    one = self.dax_backend.clusters[name]
    setattr(one, _MORE, _kept(asked))
    _place(one, asked.get("AvailabilityZones") or [])
    return json.dumps({"Cluster": one.to_json()})


def _whole(self: DaxCluster) -> dict[str, Any]:
    return {**_shown(self), **getattr(self, _MORE, {})}


def _update(response: DAXResponse, asked: dict[str, Any]) -> dict[str, Any]:
    one = response.dax_backend.clusters[asked["ClusterName"]]
    setattr(one, _MORE, {**getattr(one, _MORE, {}), **_kept(asked)})
    return {"Cluster": one.to_json()}


def _increase(response: DAXResponse, asked: dict[str, Any]) -> dict[str, Any]:
    one = response.dax_backend.clusters[asked["ClusterName"]]
    one.increase_replication_factor(asked["NewReplicationFactor"])
    _place(one, asked.get("AvailabilityZones") or [])
    return {"Cluster": one.to_json()}


def add() -> None:
    """Add the calls."""
    added(DAXResponse, update_cluster=_update, increase_replication_factor=_increase)
    DAXResponse.create_cluster = _created  # type: ignore[method-assign]
    DaxCluster.to_json = _whole  # type: ignore[method-assign]
