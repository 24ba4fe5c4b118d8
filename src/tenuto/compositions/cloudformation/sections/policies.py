"""Deletion policies of a template: DeletionPolicy and UpdateReplacePolicy.

Both may be functions of conditions, parameters and mappings (`!If [IsProduction, Retain, Delete]`). They are decided at
compile time: the Conductor must know them when nothing else of the resource can be known any more.
"""

from collections.abc import Callable

from tenuto.compositions.cloudformation.functions.undecidable import report_undecidable
from tenuto.compositions.cloudformation.reading import shape
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Broken, Expression, Fields, Node, Scalar
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.kit.nearest import did_you_mean
from tenuto.model.composition import DeletionPolicy

_POLICIES = {
    "Delete": DeletionPolicy.DELETE,
    "Retain": DeletionPolicy.RETAIN,
    "RetainExceptOnCreate": DeletionPolicy.RETAIN_EXCEPT_ON_CREATE,
    "Snapshot": DeletionPolicy.SNAPSHOT,
}
_HAVE_SNAPSHOTS = frozenset(
    {
        "AWS::DocDB::DBCluster",
        "AWS::EC2::Volume",
        "AWS::ElastiCache::CacheCluster",
        "AWS::ElastiCache::ReplicationGroup",
        "AWS::Neptune::DBCluster",
        "AWS::RDS::DBCluster",
        "AWS::RDS::DBInstance",
        "AWS::Redshift::Cluster",
    }
)


_NOT_DONE = {
    "CreationPolicy": "Tenuto makes the resource and does not wait for the signals of its CreationPolicy.",
    "UpdatePolicy": "Tenuto changes the resource in place, and not in the steps of its UpdatePolicy.",
}
_INSTEAD = {
    "CreationPolicy": "Nothing need be done if the instances come up by themselves. To wait for them, use an "
    "AWS::CloudFormation::WaitCondition, or a phase.",
    "UpdatePolicy": "Nothing need be done if the service itself replaces what it runs in steps (instance refresh of an "
    "Auto Scaling group, deployments of ECS).",
}
"""The policies about creation and update, each with the advice."""
_CONDITION = "AWS::CloudFormation::WaitCondition"
_WITH_HANDLE = (
    "These signals go to CloudFormation. Declare an AWS::CloudFormation::WaitConditionHandle, refer to it as the "
    "Handle of the condition, and send the signal to its address ('cfn-signal ADDRESS')."
)

Decide = Callable[[Node], Node | None]
"""Evaluates with all that is known at compile time; None for `!Ref AWS::NoValue`."""


def compile_policies(
    type_name: str, fields: Fields, decide: Decide, problems: Problems
) -> tuple[DeletionPolicy, DeletionPolicy]:
    """The policies for deletion and for replacement. Policies about creation and update are warned of."""
    for key in ("CreationPolicy", "UpdatePolicy"):
        entry = fields.entry(key)
        if entry is not None:
            hint = _WITH_HANDLE if type_name == _CONDITION and key == "CreationPolicy" else _INSTEAD[key]
            problems.add(codes.POLICY_IGNORED, entry.key, _NOT_DONE[key], subject=key, hint=hint)
    deletion = _policy(type_name, "DeletionPolicy", fields, decide, problems)
    replacement = _policy(type_name, "UpdateReplacePolicy", fields, decide, problems)
    return deletion or _default(type_name, fields), replacement or DeletionPolicy.DELETE


def _default(type_name: str, fields: Fields) -> DeletionPolicy:
    """Return the policy of a type without one: CloudFormation keeps the data of databases that stand alone, and so do
    we.
    """
    properties = fields.get("Properties")
    is_member = isinstance(properties, Fields) and properties.entry("DBClusterIdentifier") is not None
    if type_name == "AWS::RDS::DBCluster" or (type_name == "AWS::RDS::DBInstance" and not is_member):
        return DeletionPolicy.SNAPSHOT
    return DeletionPolicy.DELETE


def _policy(type_name: str, key: str, fields: Fields, decide: Decide, problems: Problems) -> DeletionPolicy | None:
    written = fields.get(key)
    node = written if written is None or isinstance(written, Scalar) else decide(written)
    if isinstance(node, Expression):
        report_undecidable(node, key, problems)
        return None
    if isinstance(node, Broken):
        return None
    spelled = shape.text(node, problems, key, codes.BAD_POLICY) if node else None
    if node is None or spelled is None:
        return None
    policy = _POLICIES.get(spelled)
    if policy is None or (policy is DeletionPolicy.RETAIN_EXCEPT_ON_CREATE and key != "DeletionPolicy"):
        hint = did_you_mean(spelled, _POLICIES)
        problems.add(codes.BAD_POLICY, node, f"{key} has no value {spelled}.", subject=key, hint=hint)
    elif policy is DeletionPolicy.SNAPSHOT and type_name.startswith("AWS::") and type_name not in _HAVE_SNAPSHOTS:
        detail = f"There are no snapshots of {type_name}, so {key} cannot keep one."
        problems.add(codes.NO_SNAPSHOT, node, detail, subject=key)
    return policy
