"""The parts that instances and clusters of RDS have in common."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from tenuto.model.ids import Json, JsonMap
from tenuto.model.outcome import Done, Outcome
from tenuto.providers.aws.blocks.calls import Call
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.answers.answers import only
from tenuto.providers.aws.client.names import generated_name
from tenuto.providers.aws.kind import AwsType, Work, flag, texts
from tenuto.providers.aws.types.cloud_control_model import SENT

_LOGS = "EnableCloudwatchLogsExports"
_DATA_API = "EnableHttpEndpoint"
_PASSWORD = "MasterUserPassword"

PENDING = (
    "backing-up configuring-enhanced-monitoring configuring-iam-database-auth configuring-log-exports "
    "converting-to-vpc creating maintenance modifying moving-to-vpc rebooting renaming resetting-master-credentials "
    "starting storage-config-upgrade storage-initialization upgrading"
)
"""The words of RDS for a thing that takes no change at the moment."""
BROKEN = (
    "failed inaccessible-encryption-credentials incompatible-create incompatible-network incompatible-option-group "
    "incompatible-parameters incompatible-restore insufficient-capacity restore-error"
)


WITHOUT_SNAPSHOT: JsonMap = {"SkipFinalSnapshot": True}
PASSWORDS = "ManageMasterUserPassword MasterUserPassword MasterUserSecret"
"""The properties that one call of their own changes: a password that did not change is not set again with every change
of something else."""


def secret_key(secret: Json) -> Json:
    """The key of the secret that RDS keeps the password in: the one member that a call takes."""
    return secret.get("KmsKeyId")


def last_snapshot(work: Work) -> JsonMap:
    """The parameters of a deletion, with a last snapshot where the deletion policy asks for one."""
    if not work.request.keeps_snapshot:
        return WITHOUT_SNAPSHOT
    return {"SkipFinalSnapshot": False, "FinalDBSnapshotIdentifier": generated_name(work.request, 63)}


@dataclass(frozen=True, kw_only=True)
class LogExports(Shown):
    """The logs that go to CloudWatch. A change names those that are turned on and those that are turned off."""

    write_by: Call

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_LOGS})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {_LOGS: list(thing.answer.get("EnabledCloudwatchLogsExports") or ())}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return work.given(_LOGS)

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(_LOGS):
            return
        wanted, present = texts(work.want(_LOGS)), texts(work.seen(_LOGS))
        change = {
            "EnableLogTypes": [one for one in wanted if one not in present],
            "DisableLogTypes": [one for one in present if one not in wanted],
        }
        about = self.write_by.about(words, work.id)
        named = {name: types for name, types in change.items() if types}
        work.change(service, self.write_by.operation, **about, CloudwatchLogsExportConfiguration=named)

    def changes(self, service: str) -> Mapping[str, str]:
        return {_LOGS: f"{service}:{self.write_by.operation}"}


def is_to_point_in_time(work: Work) -> bool:
    """Whether a cluster is made of another one, as that was at some moment."""
    return bool(work.want("SourceDBClusterIdentifier") or work.want("SourceDbClusterResourceId"))


def made_or_restored(made_by: Callable[[str], AwsType]) -> AwsType:
    """The type of a cluster that is made anew, of another cluster as that was at some moment, or from the snapshot that
    it names. Each is a call of its own."""
    made = made_by("CreateDBCluster")
    to_point_in_time, from_snapshot = made_by("RestoreDBClusterToPointInTime"), made_by("RestoreDBClusterFromSnapshot")

    def create(work: Work) -> Outcome:
        if is_to_point_in_time(work):
            return with_password_due(to_point_in_time.create(work))
        if work.want("SnapshotIdentifier"):
            return with_password_due(from_snapshot.create(work))
        # A moment without a cluster is for RDS to refuse: a new cluster would be empty.
        is_amiss = work.want("RestoreToTime") or flag(work.want("UseLatestRestorableTime"))
        return (to_point_in_time if is_amiss else made).create(work)

    return replace(made, create=create)


def with_password_due(made: Outcome) -> Outcome:
    """The outcome of a restoration, without the note that the password was sent. No call that restores a database takes
    one: the new database has that of its source until a change gives it its own."""
    if not isinstance(made, Done):
        return made
    noted = {name: digest for name, digest in made.attributes[SENT].items() if name != _PASSWORD}
    return replace(made, attributes={**made.attributes, SENT: noted})


@dataclass(frozen=True, kw_only=True)
class DataApi(Shown):
    """The endpoint through which a cluster takes statements over HTTP. The call that changes a cluster turns it on and
    off for one whose engine runs `serverless`, the first kind; it takes no notice of it for any other.
    """

    write_by: Call

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_DATA_API})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {_DATA_API: bool(thing.answer.get("HttpEndpointEnabled"))}

    def at_birth(self, work: Work) -> dict[str, Json]:
        # The calls that restore a cluster do not take it.
        return {} if work.want("SnapshotIdentifier") or is_to_point_in_time(work) else work.given(_DATA_API)

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(_DATA_API):
            return
        is_wanted = flag(work.want(_DATA_API))
        if work.want("EngineMode") == "serverless":
            about = self.write_by.about(words, work.id)
            work.change(service, self.write_by.operation, **about, **{_DATA_API: is_wanted})
            return
        cluster = only(work.read(service, "DescribeDBClusters", DBClusterIdentifier=work.id), "DBClusters")
        call = "EnableHttpEndpoint" if is_wanted else "DisableHttpEndpoint"
        work.change(service, call, ResourceArn=cluster["DBClusterArn"])

    def changes(self, service: str) -> Mapping[str, str]:
        return {_DATA_API: f"{service}:EnableHttpEndpoint"}
