"""AWS::EMR::Cluster: a cluster that stays until it is deleted. Its Ref is its id.

EMR lists ended clusters for two months, so only clusters that live are listed. A property that no call changes is not
compared: EMR tells applications with their versions and the place of logs in other words. Of `Instances` a call changes
whether the cluster is protected; the machines of its groups come and go with the load.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.outcome import Done, Outcome, Pending
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.blocks.parts import Setting, Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Work, flag
from tenuto.providers.aws.types.tag_calls import TagCalls

_INSTANCES, _PROTECTED, _STAYS = "Instances", "TerminationProtected", "KeepJobFlowAliveWhenNoSteps"
_GROUPS = {"MasterInstanceGroup": "MASTER", "CoreInstanceGroup": "CORE", "TaskInstanceGroups": "TASK"}
_FLEETS = {"MasterInstanceFleet": "MASTER", "CoreInstanceFleet": "CORE", "TaskInstanceFleets": "TASK"}
_SETTLED = " ".join(
    f"{_INSTANCES}.{name}"
    for name in (
        "AdditionalMasterSecurityGroups AdditionalSlaveSecurityGroups Ec2KeyName Ec2SubnetId Ec2SubnetIds "
        f"EmrManagedMasterSecurityGroup EmrManagedSlaveSecurityGroup HadoopVersion {_STAYS} Placement "
        f"ServiceAccessSecurityGroup UnhealthyNodeReplacement {' '.join(_GROUPS)} {' '.join(_FLEETS)}"
    ).split()
)
_NOT_COMPARED = (
    "AdditionalInfo Applications BootstrapActions Configurations KerberosAttributes LogEncryptionKmsKeyId LogUri "
    "PlacementGroupConfigs Steps"
)
_LIVE = ["STARTING", "BOOTSTRAPPING", "RUNNING", "WAITING", "TERMINATING"]
_ENDED = ("TERMINATED", "TERMINATED_WITH_ERRORS")
_WAIT_S = 10.0


def _instances(declared: Json) -> dict[str, Json]:
    """The parameter of the call for the declared machines. Raises PermanentError for a cluster that terminates
    after its last step: it would be made again and again."""
    if not flag(declared.get(_STAYS, True)):
        raise PermanentError(
            f"{_INSTANCES}.{_STAYS} is false: such a cluster terminates after its last step, and Tenuto would make it "
            "again each time.",
            code="InvalidProperty",
        )
    shaped: dict[str, Json] = {name: one for name, one in declared.items() if name not in {*_GROUPS, *_FLEETS}}
    groups = [_shaped(one) | {"InstanceRole": role} for one, role in _members(declared, _GROUPS)]
    fleets = [_shaped(one) | {"InstanceFleetType": role} for one, role in _members(declared, _FLEETS)]
    return {
        **shaped,
        _STAYS: True,
        **({"InstanceGroups": groups} if groups else {}),
        **({"InstanceFleets": fleets} if fleets else {}),
    }


def _members(declared: JsonMap, roles: Mapping[str, str]) -> list[tuple[Json, str]]:
    """The groups of a declaration, each with its role."""
    found = [(declared[name], role) for name, role in roles.items() if name in declared]
    return [(one, role) for some, role in found for one in (some if isinstance(some, list | tuple) else [some])]


def _shaped(value: Json) -> Json:
    """The value with the names that EMR has for settings and for parameters of steps, however deep."""
    called = {"ConfigurationProperties": "Properties", "StepProperties": "Properties"}
    if isinstance(value, Mapping):
        return {called.get(name, name): _shaped(one) for name, one in value.items()}
    return [_shaped(one) for one in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True, kw_only=True)
class _Instances(Shown):
    """The machines, of which the protection of the cluster is all that changes in place."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_INSTANCES})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {_INSTANCES: {_PROTECTED: flag(thing.answer.get(_PROTECTED, False))}}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {_INSTANCES: _instances(work.need(_INSTANCES))}

    def repair(self, work: Work, service: str, words: str) -> None:
        wanted = (work.want(_INSTANCES) or {}).get(_PROTECTED)
        if wanted is not None and flag(wanted) != (work.seen(_INSTANCES) or {}).get(_PROTECTED):
            work.change(service, "SetTerminationProtection", JobFlowIds=[work.id], TerminationProtected=flag(wanted))

    def changes(self, service: str) -> Mapping[str, str]:
        return {_INSTANCES: f"{service}:SetTerminationProtection"}


_SCALING = "ManagedScalingPolicy"
_SCALED = Setting(
    name=_SCALING,
    read_by=Call(f"Get{_SCALING}"),
    write_by=Call(f"Put{_SCALING}", drop=f"Remove{_SCALING}"),
    shown_at=_SCALING,
    given_as=_SCALING,
    is_born=True,
    # A release that does not know it, and a cluster that ends, refuse the question.
    absent="InvalidRequestException ValidationException",
)


class _Tags(TagCalls):
    """EMR tells tags with the cluster alone."""

    def read(self, client: AccountClient, identifier: Json) -> list[JsonMap]:
        return self.shown(client.read(self.service, "DescribeCluster", ClusterId=identifier)["Cluster"])


def _delete(work: Work) -> Outcome:
    """End the cluster, and wait until it has: its machines end by the roles and groups that are deleted after it."""
    about = work.client.read("emr", "DescribeCluster", ClusterId=work.id)["Cluster"]
    state = about["Status"]["State"]
    if state in _ENDED:
        return Done(physical_id=work.id)
    if state != "TERMINATING":
        work.change("emr", "TerminateJobFlows", JobFlowIds=[work.id])
    return Pending(message=f"{work.id} is being terminated", delay_s=_WAIT_S)


CLUSTER = replace(
    block(
        "AWS::EMR::Cluster",
        "emr",
        key="ClusterId",
        listed=Listed(operation="ListClusters", id="Id", fixed={"ClusterStates": _LIVE}),
        described=Described(call=Call("DescribeCluster"), at="Cluster", anew=True),
        create="RunJobFlow",
        made="JobFlowId",
        sent_as={"Configurations": _shaped, "Steps": _shaped},
        shown={
            "JobFlowRole": "Ec2InstanceAttributes.IamInstanceProfile",
            **dict.fromkeys(_NOT_COMPARED.split(), "None"),
        },
        attributes={"Id": "$id", "MasterPublicDNS": "MasterPublicDnsName"},
        modify={
            Call("SetVisibleToAllUsers", key="JobFlowIds[]"): "VisibleToAllUsers",
            "ModifyCluster": "StepConcurrencyLevel",
        },
        parts=(_Instances(), _SCALED),
        delete=Call("TerminateJobFlows", key="JobFlowIds[]"),
        tags=_Tags(
            service="emr",
            list_call="DescribeCluster",
            put_call="AddTags",
            remove_call="RemoveTags",
            id_name="ResourceId",
            shown_at="Tags",
        ),
        state=State(
            at="Status.State",
            pending="STARTING BOOTSTRAPPING",
            going="TERMINATING",
            gone="TERMINATED",
            broken="TERMINATED_WITH_ERRORS",
            reason="Status.StateChangeReason.Message",
        ),
        refused={
            "AutoTerminationPolicy": "Such a cluster ends by itself, and Tenuto would make it again each time: "
            "leave it out, and end the cluster with its process."
        },
        create_only=_SETTLED,
        write_only=f"{_SETTLED} {_NOT_COMPARED}",
        bears_data=True,
    ),
    delete=_delete,
)
TYPES = (CLUSTER,)
