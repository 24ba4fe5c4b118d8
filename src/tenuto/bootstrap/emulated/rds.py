"""Subscriptions to events of RDS, the options of a group, the endpoint of a cluster for statements, roles, the sources
of restored clusters, and DocumentDB.

A role is shown as PENDING once before it is there, as the secret of a database is `creating`. Moto has that endpoint
for engines in the mode `serverless` alone, and for some of their versions. It loses a group of subnets that is changed.
"""

from collections.abc import Callable
from typing import Any

from moto.core.responses import ActionResult, EmptyResult
from moto.rds.exceptions import (
    DBClusterNotFoundError,
    DBInstanceNotFoundError,
    OptionGroupNotFoundFaultError,
    RDSClientError,
    SubscriptionNotFoundError,
)
from moto.rds.models import AssociatedRole, DBCluster, DBInstance, OptionGroup, RDSBackend
from moto.rds.responses import RDSResponse
from moto.rds.utils import ClusterEngine, DbInstanceEngine

_DOCDB = "docdb"
_OF_CLUSTERS = ("aurora", "aurora-iopt1", "iopt1")

_modify_group = RDSBackend.modify_db_subnet_group
_init = DBInstance.__init__
_restore_cluster = RDSBackend.restore_db_cluster_to_point_in_time


def _known(self: Any) -> Any:
    name = self.params.get("SubscriptionName")
    if name not in self.backend.event_subscriptions:
        raise SubscriptionNotFoundError(name)
    return self.backend.event_subscriptions[name]


def _modify(self: Any) -> ActionResult:
    one, sent = _known(self), self.params
    for member, name in (
        ("sns_topic_arn", "SnsTopicArn"),
        ("source_type", "SourceType"),
        ("event_categories", "EventCategories"),
        ("enabled", "Enabled"),
    ):
        if sent.get(name) is not None:
            setattr(one, member, sent[name])
    return ActionResult({"EventSubscription": one})


def _add(self: Any) -> ActionResult:
    one = _known(self)
    one.source_ids = [*one.source_ids, self.params["SourceIdentifier"]]
    return ActionResult({"EventSubscription": one})


def _remove(self: Any) -> ActionResult:
    one = _known(self)
    one.source_ids = [name for name in one.source_ids if name != self.params["SourceIdentifier"]]
    return ActionResult({"EventSubscription": one})


def _switch(is_on: bool) -> Any:
    def answer(self: Any) -> ActionResult:
        arn = self.params["ResourceArn"]
        cluster = next((one for one in self.backend.clusters.values() if one.db_cluster_arn == arn), None)
        if cluster is None:
            raise DBClusterNotFoundError(arn)
        cluster._enable_http_endpoint = is_on
        return ActionResult({"ResourceArn": arn, "HttpEndpointEnabled": is_on})

    return answer


def _kept(self: Any, value: bool | None) -> None:
    """The creation may turn it on, and a change of the cluster only where the engine is `serverless`."""
    is_new = not hasattr(self, "_enable_http_endpoint")
    if is_new or (value is not None and self.engine_mode == "serverless"):
        self._enable_http_endpoint = bool(value)


def _state_of_role(self: Any) -> str:
    """The state of a role, which is on its way until it was shown once."""
    was_shown = vars(self).get("was_shown", False)
    self.was_shown = True
    return "ACTIVE" if was_shown else "PENDING"


def _without_role(kind: str) -> Any:
    """The call that takes a role away from a database of this kind."""

    def answer(self: Any) -> ActionResult:
        name, sent = self.params[f"{kind}Identifier"], self.params
        known = self.backend.clusters if kind == "DBCluster" else self.backend.databases
        if name not in known:
            raise DBClusterNotFoundError(name) if kind == "DBCluster" else DBInstanceNotFoundError(name)
        asked = (sent["RoleArn"], sent.get("FeatureName"))
        left = [one for one in known[name]._associated_roles if (one.role_arn, one.feature_name) != asked]
        if len(left) == len(known[name]._associated_roles):
            raise RDSClientError(f"{kind}RoleNotFound", f"{name} has no role {asked[0]} for {asked[1]}")
        known[name]._associated_roles = left
        return EmptyResult()

    return answer


def _restored_cluster(self: Any, db_cluster_identifier: str, **more: Any) -> Any:
    """A cluster of another one, which may be told by its resource id. Moto knows the name alone."""
    told = more.pop("source_db_cluster_resource_id", None)
    if told is not None:
        found = [name for name, one in self.clusters.items() if one.db_cluster_resource_id == told]
        if not found:
            raise DBClusterNotFoundError(told)
        more["source_db_cluster_identifier"] = found[0]
    return _restore_cluster(self, db_cluster_identifier, **more)


def _options(self: Any, sent: list[dict[str, Any]]) -> None:
    """Keep all of an option. moto keeps its settings."""
    groups = {"VpcSecurityGroupMemberships": "VpcSecurityGroupId", "DBSecurityGroupMemberships": "DBSecurityGroupName"}
    for one in sent:
        members = {
            name: [{word: group, "Status": "active"} for group in one[name]]
            for name, word in groups.items()
            if name in one
        }
        self._options[one["OptionName"]] = {**one, **members}


def _groups(self: Any) -> ActionResult:
    name, groups = self.params.get("OptionGroupName"), self.backend.option_groups
    if name and name.lower() not in groups:
        raise OptionGroupNotFoundFaultError(name)
    found = [groups[name.lower()]] if name else list(groups.values())
    return ActionResult({"OptionGroupsList": found})


def _as_known(call: Callable[..., Any]) -> Any:
    """A default of an engine: moto knows no DocumentDB, which has it like Neptune, and no storage of clusters that is
    paid without its input and output."""

    def default(engine: str, **more: Any) -> Any:
        if more.get("storage_type") in _OF_CLUSTERS:
            more["storage_type"] = "standard"
        return call("neptune" if engine == _DOCDB else engine, **more)

    return staticmethod(default)


def _regroup(self: Any, subnet_name: str, *given: Any, **more: Any) -> Any:
    group = _modify_group(self, subnet_name, *given, **more)
    self.subnet_groups[subnet_name] = group
    return group


def _made(self: Any, *given: Any, **more: Any) -> None:
    _init(self, *given, **more)
    for name in more.keys() - {one for one in dir(self) if not one.startswith("_")}:
        setattr(self, name, more[name])


def add() -> None:
    """Add the calls."""
    setattr(RDSBackend, "modify_db_subnet_group", _regroup)  # noqa: B010
    setattr(DBInstance, "__init__", _made)  # noqa: B010
    insights = property(lambda self: vars(self).get("enable_performance_insights", False))
    setattr(DBInstance, "performance_insights_enabled", insights)  # noqa: B010
    setattr(AssociatedRole, "status", property(_state_of_role, lambda self, value: None))  # noqa: B010
    setattr(RDSBackend, "restore_db_cluster_to_point_in_time", _restored_cluster)  # noqa: B010
    # Moto takes the source of a restored instance for that of a replica.
    followed = property(lambda self: self.source_db_instance_identifier if self.is_replica else None)
    setattr(DBInstance, "read_replica_source_db_instance_identifier", followed)  # noqa: B010
    kept = property(lambda self: self._enable_http_endpoint, _kept)
    setattr(DBCluster, "enable_http_endpoint", kept)  # noqa: B010
    shown = property(lambda self: list(self._options.values()))
    for kind in (DBCluster, DBInstance):
        for name in ("default_allocated_storage", "default_engine_version", "default_port"):
            if hasattr(kind, name):
                setattr(kind, name, _as_known(getattr(kind, name)))
    known = ClusterEngine.list_cluster_engines()
    setattr(ClusterEngine, "list_cluster_engines", lambda: [*known, _DOCDB])  # noqa: B010
    instances = DbInstanceEngine.valid_db_instance_engine()
    setattr(DbInstanceEngine, "valid_db_instance_engine", lambda: [*instances, _DOCDB])  # noqa: B010
    for name, change in (("add_options", _options), ("options", shown)):
        setattr(OptionGroup, name, change)
    for name, call in (
        ("enable_http_endpoint", _switch(True)),
        ("disable_http_endpoint", _switch(False)),
        ("describe_option_groups", _groups),
        ("remove_role_from_db_cluster", _without_role("DBCluster")),
        ("remove_role_from_db_instance", _without_role("DBInstance")),
        ("modify_event_subscription", _modify),
        ("add_source_identifier_to_subscription", _add),
        ("remove_source_identifier_from_subscription", _remove),
    ):
        setattr(RDSResponse, name, call)
