"""ReplicaRegions of AWS::SecretsManager::Secret: copies of a secret in other regions, kept in sync by Secrets Manager.

Theory of operation. The creation of a secret takes its regions along. No call changes a replica: another key takes the
region out and adds it again. Secrets Manager copies in the background; meanwhile the secret counts as pending. A copy
that failed is not shown, so it is a drift. The repair takes its region out and fails with the reason of Secrets
Manager, and the next attempt adds the region anew. A secret with replicas cannot be deleted: these go first.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tenuto.core.planning.equality.values import means_same, rules_of_members
from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.outcome import Outcome, Pending
from tenuto.model.rate import MemberCalls
from tenuto.model.resource import Comparison, Rule
from tenuto.providers.aws.blocks.calls import State
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.kind import AwsType, Work
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.rates.buckets import calls_of

REPLICAS = "ReplicaRegions"
_KEY = "KmsKeyId"
_OWN_KEY = "alias/aws/secretsmanager"
"""The key of a replica for which none was declared."""
_STATUSES = "ReplicationStatus"
_THERE = ("InProgress", "InSync", "Pending")
"""The words for a replica that is there, or comes by itself. `Detached` is one that became a secret of its own."""
_WAIT_S = 5.0
"""The seconds between two questions about replicas that are on their way out."""

OWN_REGION = "[@][?!PrimaryRegion||contains(ARN,join('',[':',PrimaryRegion,':']))].ARN|[0]"
"""The path of the ARN of a secret in a list; none for the replica of a secret of another region, which is a part of
that one, and carries its tags and so our mark."""
COPYING = State(
    at=f"{_STATUSES}[?contains(['InProgress','Pending'],Status)].Status|[0]",
    pending="InProgress Pending",
    ends_at_once=True,
)
COMPARED: Mapping[str, Rule] = {REPLICAS: Comparison.SET, f"{REPLICAS}.{_KEY}": KMS_KEY}


@dataclass(frozen=True, kw_only=True)
class Replicas(Shown):
    """The regions of the replicas, each with its key."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({REPLICAS})

    @property
    def defaults(self) -> JsonMap:
        return {REPLICAS: []}

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = _present(thing.answer)
        return {REPLICAS: shown} if shown else {}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {"AddReplicaRegions": list(work.want(REPLICAS))} if work.want(REPLICAS) else {}

    def repair(self, work: Work, service: str, words: str) -> None:
        """Take out the replicas that are not declared, or not so, then add those that are missing."""
        if not work.differs(REPLICAS):
            return
        described = work.read(service, "DescribeSecret", SecretId=work.id)
        failed = _failed(described)
        present = _present(described)
        wanted = {one["Region"]: one for one in work.want(REPLICAS) or ()}
        there = {one["Region"] for one in present if any(_is(work, other, one) for other in wanted.values())}
        going = sorted({one["Region"] for one in present} - there | failed.keys())
        coming = [wanted[region] for region in sorted(wanted.keys() - there - failed.keys())]
        if going:
            work.change(service, "RemoveRegionsFromReplication", SecretId=work.id, RemoveReplicaRegions=going)
        if coming:
            answer = work.change(service, "ReplicateSecretToRegions", SecretId=work.id, AddReplicaRegions=coming)
            failed |= _failed(answer)
        told = [f"{region} ({reason})" for region, reason in sorted(failed.items()) if region in wanted]
        if told:
            raise PermanentError(
                f"Secrets Manager did not replicate {work.id} to {', '.join(told)}. Take away what stands against it, "
                "such as a secret of that name in that region, and try again.",
                code="InvalidRequest",
            )

    def members(self, service: str) -> Mapping[str, MemberCalls]:
        put, drop = (
            calls_of(f"{service}:{call}") for call in ("ReplicateSecretToRegions", "RemoveRegionsFromReplication")
        )
        return {
            REPLICAS: MemberCalls(put=put, drop=drop, clear=drop, key="Region", is_bulk=True, comes_with_it=True),
        }


def _present(answer: JsonMap) -> list[Json]:
    return [
        {"Region": one["Region"], _KEY: one.get(_KEY) or _OWN_KEY}
        for one in answer.get(_STATUSES) or ()
        if one.get("Status") in _THERE
    ]


def _failed(answer: JsonMap) -> dict[str, str]:
    """The regions that have no copy, with the reasons of Secrets Manager."""
    shown = [one for one in answer.get(_STATUSES) or () if one.get("Status") == "Failed"]
    return {str(one["Region"]): str(one.get("StatusMessage") or "it gives no reason") for one in shown}


def _is(work: Work, wanted: Json, shown: Json) -> bool:
    """Whether a replica is as declared. One whose key an update took out is encrypted with the key of the service.

    No alias of the other region is known here. A replica that is shown with a key where an alias is declared stays: to
    make it again would leave that region without the secret for a while.
    """
    said = {_KEY: _OWN_KEY, **wanted} if work.lost(REPLICAS) else wanted
    if wanted["Region"] == shown["Region"] and _is_alias(said.get(_KEY)) and not _is_alias(shown[_KEY]):
        return True
    return means_same(said, shown, rules_of_members(work.type.facts.compare_as, REPLICAS), REPLICAS)


def _is_alias(key: Json) -> bool:
    return "alias/" in str(key or "")


def without_replicas(kind: AwsType) -> AwsType:
    """The type of a secret whose replicas go before it does."""
    delete = kind.delete
    assert delete is not None

    def remove(work: Work) -> Outcome:
        described = work.read("secretsmanager", "DescribeSecret", SecretId=work.id)
        regions = sorted(str(one["Region"]) for one in described.get(_STATUSES) or ())
        if regions:
            answer = work.change(
                "secretsmanager", "RemoveRegionsFromReplication", SecretId=work.id, RemoveReplicaRegions=regions
            )
            if answer.get(_STATUSES):
                return Pending(message=f"the replicas of {work.id} are being removed", delay_s=_WAIT_S)
        return delete(work)

    return replace(kind, delete=remove)
