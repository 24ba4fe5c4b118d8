"""Changes of groups and of the roles of clusters of Redshift, the parameters that a user has set, the refusal of a name
that is taken, the namespace of a cluster, and the settings of a cluster that moto does not keep.
"""

from collections.abc import Callable
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from moto.core.responses import ActionResult
from moto.redshift.exceptions import RedshiftClientError
from moto.redshift.models import ParameterGroup, RedshiftBackend
from moto.redshift.responses import RedshiftResponse

_VALUES = "tenuto_values"
_KEPT = {
    "AvailabilityZone": "availability_zone",
    "KmsKeyId": "kms_key_id",
    "MaintenanceTrackName": "maintenance_track_name",
    "ManualSnapshotRetentionPeriod": "manual_snapshot_retention_period",
    "Port": "port",
}
"""The parameters of a cluster that moto does not keep, or not when they are changed, with its names for them."""
_make_cluster: Any = RedshiftBackend.create_cluster
_default_parameters: Any = RedshiftBackend.describe_default_cluster_parameters


def _is_new(make: Callable[..., Any], things: str, name_as: str, word: str) -> Callable[..., Any]:
    """The creation of a group by a name in small letters, which no other may have."""

    def creation(self: RedshiftBackend, *args: Any, **named: Any) -> Any:
        name = str(named.pop(name_as) if name_as in named else args[0]).lower()
        if name in getattr(self, things):
            raise RedshiftClientError(f"{word}AlreadyExists", f"{word} {name} already exists.")
        return make(self, name, *args[1:], **named)

    return creation


def _change_subnets(self: Any) -> ActionResult:
    (one,) = self.redshift_backend.describe_cluster_subnet_groups(self._get_param("ClusterSubnetGroupName"))
    one.subnet_ids = self._get_param("SubnetIds")
    one.description = self._get_param("Description") or one.description
    return ActionResult({"ClusterSubnetGroup": one})


def _group(self: Any) -> tuple[ParameterGroup, dict[str, str]]:
    (group,) = self.redshift_backend.describe_cluster_parameter_groups(self._get_param("ParameterGroupName"))
    values: dict[str, str] = group.__dict__.setdefault(_VALUES, {})
    return group, values


def _set_values(self: Any) -> ActionResult:
    group, values = _group(self)
    values |= {one["ParameterName"]: one["ParameterValue"] for one in self._get_param("Parameters")}
    return ActionResult({"ParameterGroupName": group.name})


def _reset_values(self: Any) -> ActionResult:
    group, values = _group(self)
    for one in self._get_param("Parameters"):
        values.pop(one["ParameterName"], None)
    return ActionResult({"ParameterGroupName": group.name})


def _show_values(self: Any) -> ActionResult:
    _, values = _group(self)
    shown = [
        {**one, "ParameterValue": values[name], "Source": "user"} if (name := one["ParameterName"]) in values else one
        for one in _default_parameters(self.redshift_backend)
    ]
    source = self._get_param("Source")
    return ActionResult({"Parameters": [one for one in shown if source in (None, one["Source"])]})


def _change_roles(self: Any) -> ActionResult:
    (one,) = self.redshift_backend.describe_clusters(self._get_param("ClusterIdentifier"))
    gone = self._get_param("RemoveIamRoles") or []
    kept = [role for role in one.iam_roles_arn if role not in gone]
    one.iam_roles_arn = [*kept, *(self._get_param("AddIamRoles") or [])]
    return ActionResult({"Cluster": one})


def _made(self: RedshiftBackend, *, cluster_identifier: str, **named: Any) -> Any:
    one = _make_cluster(self, cluster_identifier=cluster_identifier.lower(), **named)
    namespace = str(uuid5(NAMESPACE_URL, one.arn))
    one.cluster_namespace_arn = f"{one.arn.rpartition(':cluster:')[0]}:namespace:{namespace}"
    return one


def _keeping(act: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """An act on a cluster after which the settings that moto does not keep are those that were sent."""

    def kept(self: Any) -> Any:
        answer = act(self)
        one = self.redshift_backend.clusters[self._get_param("ClusterIdentifier").lower()]
        for name, member in _KEPT.items():
            if self._get_param(name) is not None:
                setattr(one, member, self._get_param(name))
        return answer

    return kept


def add() -> None:
    """Add them."""
    backend: Any = RedshiftBackend
    backend.create_cluster_subnet_group = _is_new(
        backend.create_cluster_subnet_group, "subnet_groups", "cluster_subnet_group_name", "ClusterSubnetGroup"
    )
    backend.create_cluster_parameter_group = _is_new(
        backend.create_cluster_parameter_group,
        "parameter_groups",
        "cluster_parameter_group_name",
        "ClusterParameterGroup",
    )
    backend.create_cluster = _made
    calls: Any = RedshiftResponse
    calls.create_cluster, calls.modify_cluster = _keeping(calls.create_cluster), _keeping(calls.modify_cluster)
    calls.modify_cluster_subnet_group = _change_subnets
    calls.modify_cluster_parameter_group, calls.reset_cluster_parameter_group = _set_values, _reset_values
    calls.describe_cluster_parameters = _show_values
    calls.modify_cluster_iam_roles = _change_roles
