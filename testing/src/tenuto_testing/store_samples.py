"""Small values to store: a process, an object, an entry, a job. Every field that a check does not set has a default."""

from collections.abc import Callable, Mapping
from typing import Any

from tenuto.model.access import PolicyText, RuntimeSetting, UserSecret
from tenuto.model.account import Account
from tenuto.model.attempt import Attempt, AttemptState
from tenuto.model.command import Command, ProcessState
from tenuto.model.composition import Assertion, Composition, Declaration
from tenuto.model.delta import Change
from tenuto.model.diagnostic import Position
from tenuto.model.drift import Drift, DriftKind
from tenuto.model.enrolled_host import EnrolledHost
from tenuto.model.event import Event, EventType
from tenuto.model.flip import Flip
from tenuto.model.ids import (
    Fid,
    Instant,
    JobId,
    LogicalId,
    ObjectId,
    Partition,
    PhaseName,
    PhysicalId,
    PlanId,
    TypeName,
)
from tenuto.model.job import Job, JobKind, JobStatus
from tenuto.model.notification import Delivery, Sink, SinkKind
from tenuto.model.outcome import Op
from tenuto.model.phase_map import PhaseEntry, PhaseStatus
from tenuto.model.plan import Operation, Plan, Step, StepKind, Wave
from tenuto.model.process import CommandRecord, Intent, IntentStage, Process
from tenuto.model.proposal import Approval, Proposal, ProposalState
from tenuto.model.resource import ManagedObject, Move
from tenuto.model.rule import Rule, StoredRule
from tenuto.model.stored_table import StoredTable
from tenuto.model.verb import Verb
from tenuto.model.web_session import WebSession
from tenuto.ports.record_kinds import (
    ACCOUNT,
    HOST,
    LIFECYCLE,
    POLICY,
    PROPOSAL,
    RULE,
    RUNTIME_SETTING,
    SINK,
    USER_SECRET,
    WEB_SESSION,
)

HERE = Partition(account="111122223333", region="eu-west-1")
THERE = Partition(account="111122223333", region="us-east-1")
PHASE = PhaseName("create")
OTHER_PHASE = PhaseName("await")
WEB = Fid("0b6e1a52-0000-4000-8000-000000000001")
DB = Fid("0b6e1a52-0000-4000-8000-000000000002")


def a_process(fid: Fid = WEB, **changes: Any) -> Process:
    fields: dict[str, Any] = {
        "fid": fid,
        "alias": None,
        "name": "web",
        "partition": HERE,
        "provider": "simulated",
        "state": ProcessState.RUNNING,
        "composition_digest": "c0ffee",
        "composition_name": "web",
        "intent": an_intent(),
        "created_at": Instant(100.0),
        "updated_at": Instant(100.0),
        "next_job_at": Instant(100.0),
    }
    return Process(**(fields | changes))


def an_intent(stage: IntentStage = IntentStage.WAITING, **changes: Any) -> Intent:
    """The `run` of a process, which waits for its first job unless the stage says otherwise."""
    fields: dict[str, Any] = {"command": Command.RUN, "given_at": Instant(100.0), "by": "ann", "stage": stage}
    return Intent(**(fields | changes))


def an_object(object_id: str = "obj-1", fid: Fid | None = WEB, **changes: Any) -> ManagedObject:
    """A resource in Validation on its way to Started, unless the changes say otherwise."""
    fields: dict[str, Any] = {
        "object_id": ObjectId(object_id),
        "lifecycle": "resource",
        "type": TypeName("Simulated::Network"),
        "provider": "simulated",
        "partition": HERE,
        "fid": fid,
        "logical_id": LogicalId(f"L{object_id}"),
        "state": "Validation",
        "target": "Started",
        "created_at": Instant(100.0),
        "moved_at": Instant(100.0),
        "touched_at": Instant(100.0),
    }
    return ManagedObject(**(fields | changes))


def an_entry(status: PhaseStatus = PhaseStatus.WAITING, phase: PhaseName = PHASE, **changes: Any) -> PhaseEntry:
    fields: dict[str, Any] = {"phase": phase, "state": "Validation", "status": status}
    return PhaseEntry(**(fields | changes))


def an_attempt(**changes: Any) -> Attempt:
    """The attempt of a creation that got no answer, with something in every field."""
    fields: dict[str, Any] = {
        "state": AttemptState.IN_DOUBT,
        "sent_at": Instant(100.0),
        "wish": "c0ffee",
        "doubted_at": Instant(101.0),
        "held_since": Instant(102.5),
        "tries": 3,
        "is_under_way": True,
        "was_shown": True,
        "fingerprints": {"UserData": "0ff1ce"},
        "progress": {"RequestToken": "t-1", "Step": 2},
    }
    return Attempt(**(fields | changes))


def entries(*given: PhaseEntry) -> Mapping[PhaseName, PhaseEntry]:
    return {entry.phase: entry for entry in given}


def a_move(before: str, after: str, at: float = 200.0, reason: str = "") -> Move:
    return Move(before=before, after=after, at=Instant(at), actor="tester", reason=reason)


def a_job(job_id: str = "job-1", fid: Fid = WEB, **changes: Any) -> Job:
    fields: dict[str, Any] = {
        "job_id": JobId(job_id),
        "fid": fid,
        "kind": JobKind.ROUTINE,
        "command": "enforce",
        "actor": "ann",
        "status": JobStatus.SUCCEEDED,
        "started_at": Instant(200.0),
        "finished_at": None if changes.get("status") is JobStatus.RUNNING else Instant(201.0),
    }
    return Job(**(fields | changes))


def a_plan(plan_id: str = "plan-1", fid: Fid = WEB) -> Plan:
    """A plan with an example of everything that a plan can hold."""
    change = Change(path="CidrBlock", before=None, after=["10.0.0.0/16", {"Ref": "Net"}], has_before=False)
    return Plan(
        plan_id=PlanId(plan_id),
        fid=fid,
        partition=HERE,
        command="run",
        observed_at=Instant(199.5),
        operations=(
            Operation(
                verb=Verb.CREATE,
                type=TypeName("Simulated::Network"),
                logical_id=LogicalId("Net"),
                object_id=ObjectId("obj-1"),
                changes=(change,),
                depends_on=(LogicalId("Other"),),
                position=Position(file="web.yaml", line=3, column=5),
            ),
        ),
        steps=(
            Step(
                kind=StepKind.MAKE,
                target="Started",
                object_id=ObjectId("obj-1"),
                logical_id=LogicalId("Net"),
                type=TypeName("Simulated::Network"),
                wave=0,
                properties={"CidrBlock": "10.0.0.0/16", "Tags": [{"Key": "a", "Value": None}]},
            ),
        ),
        waves=(Wave(number=0, types=(TypeName("Simulated::Network"),)),),
        unchanged=4,
    )


def a_step(kind: StepKind, name: str = "Net", **changes: Any) -> Step:
    """A step of the object `obj-NAME` at the address NAME, with the target that its kind has."""
    targets = {StepKind.REMOVE: "Terminated", StepKind.FORGET: "Terminated", StepKind.RELEASE: "Released"}
    fields: dict[str, Any] = {
        "kind": kind,
        "object_id": ObjectId(f"obj-{name}"),
        "logical_id": LogicalId(name),
        "type": TypeName("Simulated::Network"),
        "target": targets.get(kind, "Started"),
        "wave": 0,
    }
    return Step(**(fields | changes))


def a_composition(digest: str = "c0ffee") -> Composition:
    return Composition(
        name="web",
        digest=digest,
        region="eu-west-1",
        values={"Size": 3},
        resources=(
            Declaration(
                logical_id=LogicalId("Net"),
                type=TypeName("Simulated::Network"),
                properties={"CidrBlock": {"Fn::Select": [0, ["10.0.0.0/16"]]}},
            ),
        ),
        assertions=(Assertion(rule="Blessed", holds={"Fn::Equals": [{"Ref": "Image"}, "ami-1"]}, description="No"),),
    )


def an_event(at: float = 200.0, fid: Fid | None = WEB, **changes: Any) -> Event:
    fields: dict[str, Any] = {"at": Instant(at), "type": EventType.DRIFT_FOUND, "fid": fid, "subject": "Net"}
    fields["actor"] = "ann"
    return Event(**(fields | changes))


def an_op(*object_ids: str, at: float = 200.0, **changes: Any) -> Op:
    fields: dict[str, Any] = {
        "at": Instant(at),
        "partition": HERE,
        "service": "ec2",
        "operation": "CreateVpc",
        "object_ids": tuple(ObjectId(object_id) for object_id in object_ids),
        "request_id": "req-1",
        "duration_s": 0.25,
    }
    return Op(**(fields | changes))


def a_flip(logical_id: str = "Net", path: str = "Label", **changes: Any) -> Flip:
    fields: dict[str, Any] = {
        "logical_id": LogicalId(logical_id),
        "path": path,
        "found": '"theirs"',
        "declared": '"ours"',
        "digest": "c0ffee",
        "times": (Instant(200.0),),
        "since": Instant(200.0),
        "count": 1,
    }
    return Flip(**(fields | changes))


def a_drift(logical_id: str = "Net", **changes: Any) -> Drift:
    fields: dict[str, Any] = {
        "logical_id": LogicalId(logical_id),
        "object_id": ObjectId("obj-1"),
        "type": TypeName("Simulated::Network"),
        "physical_id": PhysicalId("net-1"),
        "kind": DriftKind.CHANGED,
        "paths": ("Label", "Tags"),
        "digest": "c0ffee",
        "found_at": Instant(200.0),
    }
    return Drift(**(fields | changes))


def a_command(at: float = 200.0, **changes: Any) -> CommandRecord:
    fields: dict[str, Any] = {"fid": WEB, "command": Command.UPDATE, "at": Instant(at), "actor": "ann"}
    return CommandRecord(**(fields | changes))


def a_sink(name: str = "pager", **changes: Any) -> Sink:
    fields: dict[str, Any] = {
        "name": name,
        "kind": SinkKind.SNS,
        "place": "arn:aws:sns:eu-west-1:111122223333:changes",
        "types": ("job.finished",),
        "processes": ("web-*",),
        "accounts": ("prod",),
        "address": "arn:aws:sns:eu-west-1:111122223333:changes",
        "partition": HERE,
        "created_at": Instant(100.0),
        "cursor": 7,
    }
    return Sink(**(fields | changes))


def a_delivery(number: int = 8, sink: str = "pager", **changes: Any) -> Delivery:
    fields: dict[str, Any] = {
        "sink": sink,
        "number": number,
        "event_id": f"{number}-web",
        "document": {"type": "job.finished", "job": {"operations": [{"op": "create"}]}},
        "next_at": Instant(200.0),
    }
    return Delivery(**(fields | changes))


def a_policy(text: str = "users: [ann]", **changes: Any) -> PolicyText:
    fields: dict[str, Any] = {"text": text, "file": "policy.yaml", "set_at": Instant(100.0), "set_by": "root"}
    return PolicyText(**(fields | changes))


def a_secret(user: str = "ann", key: str = "", **changes: Any) -> UserSecret:
    key = key or f"key of {user}"
    fields: dict[str, Any] = {"digest": f"digest of {key}", "created_at": Instant(100.0), "created_by": "root"}
    return UserSecret(user=user, key=key, **(fields | changes))


def a_setting(key: str = "jobs/period", value: str = "5", **changes: Any) -> RuntimeSetting:
    fields: dict[str, Any] = {"set_at": Instant(100.0), "set_by": "root"}
    return RuntimeSetting(key=key, value=value, **(fields | changes))


def a_proposal(key: str = "1", **changes: Any) -> Proposal:
    fields: dict[str, Any] = {
        "number": int(key, 36),
        "state": ProposalState.OPEN,
        "command": "kill",
        "fid": Fid("fid"),
        "process": "shop",
        "plan_file": {"format": "tenuto-plan", "operations": []},
        "digest": "d" * 64,
        "comment": "it is not needed any more",
        "proposed_by": "ann",
        "proposed_at": Instant(100.0),
        "expires_at": Instant(200.0),
        "approvals": (Approval(by="ben", at=Instant(150.0), comment="yes"),),
    }
    return Proposal(**(fields | changes))


def a_table(name: str = "box", **changes: Any) -> StoredTable:
    return StoredTable(name=name, **({"provider": "shelves", "document": {"name": name, "states": ["made"]}} | changes))


def a_host(key: str = "here/h1", **changes: Any) -> EnrolledHost:
    zone, _, name = key.rpartition("/")
    fields: dict[str, Any] = {"enrolled_at": Instant(100.0), "enrolled_by": "root"}
    return EnrolledHost(zone=zone, name=name, **(fields | changes))


def a_web_session(digest: str = "d1", **changes: Any) -> WebSession:
    fields: dict[str, Any] = {"user": "ann", "secret_key": "k"}
    moments = dict.fromkeys(("made_at", "proved_at", "seen_at"), Instant(100.0))
    return WebSession(digest=digest, **(fields | moments | changes))


def a_rule(name: str = "tagged", message: str = "No.") -> StoredRule:
    rule = Rule(name=name, applies_to="composition", expression="true", message=message)
    return StoredRule(rule=rule, added_at=Instant(100.0), added_by="root")


def an_account(name: str = "prod", **changes: Any) -> Account:
    return Account(name=name, **changes)


RECORDS: Mapping[str, Callable[[str], Any]] = {
    POLICY.name: lambda _: a_policy(),
    USER_SECRET.name: a_secret,
    RUNTIME_SETTING.name: a_setting,
    LIFECYCLE.name: a_table,
    RULE.name: a_rule,
    ACCOUNT.name: an_account,
    SINK.name: a_sink,
    HOST.name: a_host,
    WEB_SESSION.name: a_web_session,
    PROPOSAL.name: a_proposal,
}
"""A sample of each kind of record, by its key."""
