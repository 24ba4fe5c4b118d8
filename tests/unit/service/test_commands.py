"""Commands: what they store, what they refuse, and that a refusal changes nothing."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from front import Front, submission

from tenuto.compositions.documents.canonical import digest
from tenuto.compositions.documents.document import from_document, to_document
from tenuto.core.planning.intents import done
from tenuto.errors import CompileError, ConflictError, NotAllowedError, NotFoundError, UserError
from tenuto.model.command import Command, ProcessState
from tenuto.model.composition import Parameter
from tenuto.model.event import EventType
from tenuto.model.ids import LogicalId
from tenuto.model.process import Process
from tenuto.model.resource import Move
from tenuto.ports.store_changes import SaveProcess, StoreChange
from tenuto.ports.store_reads import EventQuery
from tenuto.service.intake.composition import Submission
from tenuto.storage.sqlite.memory import MemoryStore

NETWORK_ONLY = "Resources: {Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}}"
LOOKUP = """
Parameters: {Image: {Type: "AWS::SSM::Parameter::Value<String>", Default: /images/newest}}
Resources: {Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: !Ref Image}}}
"""


def settled(front: Front, process: Process, *, state: ProcessState = ProcessState.RUNNING) -> Process:
    """The process as a Conductor leaves it when all is done."""
    stored = front.store.process(process.fid)
    assert stored is not None
    after = replace(stored, intent=done(stored.intent), converged_at=front.clock.now(), state=state, next_job_at=1e12)
    move = Move(before=stored.state, after=state, at=front.clock.now(), actor="conductor")
    moves = (move,) if stored.state is not state else ()
    front.store.commit((SaveProcess(process=after, expected_generation=stored.generation, moves=moves),))
    found = front.store.process(process.fid)
    assert found is not None
    return found


def test_run_stores_a_commanded_process_and_wakes_the_conductor() -> None:
    front = Front()
    process = front.commands.run(submission(), alias="web")
    assert (process.state, process.alias, process.name) == (ProcessState.RUNNING, "web", "web")
    assert process.intent.stands
    assert process.intent.waiting is Command.RUN
    assert process.next_job_at == front.clock.now()
    assert str(process.partition) == "default/eu-west-1"
    assert process.provider == "simulated"
    assert front.conductor.woken == [process.fid]
    [record] = front.store.history(process.fid).commands
    assert (record.command, record.actor) == (Command.RUN, "root")


def test_run_without_an_alias_is_named_after_the_composition_and_the_fid() -> None:
    process = Front().commands.run(submission(name="shop"))
    assert process.alias is None
    assert process.name == f"shop-{process.fid[:8]}"


def test_run_twice_makes_two_processes() -> None:
    front = Front()
    assert front.commands.run(submission()).fid != front.commands.run(submission()).fid


def test_a_secret_is_stored_sealed_and_in_no_other_place() -> None:
    front = Front()
    process = front.commands.run(submission(Password="correct horse"))
    assert set(process.sealed) == {"Password"}
    assert "correct horse" not in str(process)
    assert "correct horse" not in str(front.store.composition(process.composition_digest))
    assert "correct horse" not in str(front.store.history(process.fid))


def test_a_missing_and_a_surplus_secret_are_refused_by_name() -> None:
    front = Front()
    given = submission()
    with pytest.raises(UserError, match="Password is missing"):
        front.commands.run(replace(given, secrets={}))
    with pytest.raises(UserError, match="does not declare: Other"):
        front.commands.run(replace(given, secrets={**given.secrets, "Other": "x"}))
    assert front.store.processes() == ()


def test_types_without_a_provider_are_refused_with_their_resources() -> None:
    front = Front()
    text = "Resources: {A: {Type: AWS::SQS::Queue}, B: {Type: Simulated::Bucket}}"
    with pytest.raises(
        CompileError, match=r"does not manage Simulated::Bucket, the type of 1 resource \(B\).* no type of AWS"
    ):
        front.commands.run(submission(text))
    assert front.store.processes() == ()


def test_one_process_belongs_to_one_provider() -> None:
    with pytest.raises(UserError, match="mixes resources of machines and simulated"):
        Front().commands.run(submission(NETWORK_ONLY.replace("{Net:", "{A: {Type: Cloud::Node}, Net:")))


def test_a_malformed_document_is_refused() -> None:
    front = Front()
    for document in ({}, {"resources": 1}, {**submission().document, "digest": "0" * 64}):
        with pytest.raises(CompileError):
            front.commands.run(Submission(document=document, secrets={}))
    assert front.store.processes() == ()


def test_lookups_are_resolved_once_by_parameter() -> None:
    front = Front()
    with pytest.raises(UserError, match="/images/newest"):
        front.commands.run(submission(LOOKUP))
    front.conductor.looked_up = {"/images/newest": "image-1"}
    assert front.commands.run(submission(LOOKUP)).lookups == {"Image": "image-1"}


def test_a_document_made_by_hand_gets_no_secret_of_the_provider_in_clear() -> None:
    front = Front()
    key = "resolve:cognito-idp-client:pool|client"
    front.conductor.looked_up = {key: "a secret of another one"}
    made = from_document(submission(LOOKUP).document)
    made = replace(made, parameters={"Image": Parameter(name="Image", lookup=key)})
    document = to_document(replace(made, digest=digest(made)))
    process = front.commands.run(Submission(document=document, secrets={}))
    assert process.lookups == {}
    assert set(process.sealed) == {"Image"}
    assert "another one" not in repr(process)


@pytest.mark.parametrize(
    "alias", ["", "1web", "two words", "a" * 64, "web/one", "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"]
)
def test_an_alias_that_is_not_well_formed_is_refused(alias: str) -> None:
    with pytest.raises(UserError, match="cannot be an alias"):
        Front().commands.run(submission(), alias=alias)


def test_an_alias_is_unique_among_live_processes_and_free_again_after() -> None:
    front = Front()
    first = front.commands.run(submission(), alias="web")
    with pytest.raises(NotAllowedError, match=first.fid):
        front.commands.run(submission(), alias="web")
    settled(front, first, state=ProcessState.GONE)
    assert front.commands.run(submission(), alias="web").fid != first.fid


@pytest.mark.parametrize("reference", ["web", "fid"])
def test_a_command_takes_a_fid_as_well_as_an_alias(reference: str) -> None:
    front = Front()
    process = front.commands.run(submission(), alias="web")
    suspended = front.commands.suspend("web" if reference == "web" else process.fid)
    assert suspended.state is ProcessState.SUSPENDED


def test_every_command_to_a_missing_or_gone_process_finds_nothing() -> None:
    front = Front()
    process = settled(front, front.commands.run(submission(), alias="web"), state=ProcessState.GONE)
    for reference in ("nobody", "web", process.fid):
        for command in (front.commands.suspend, front.commands.resume, front.commands.kill, front.commands.retry):
            with pytest.raises(NotFoundError):
                command(reference)


def test_a_refused_command_changes_nothing_but_is_remembered() -> None:
    front = Front()
    process = front.commands.run(submission(), alias="web")
    front.conductor.woken.clear()
    with pytest.raises(NotAllowedError, match="web is Running and does not take 'resume'"):
        front.commands.resume("web")
    assert front.store.process(process.fid) == process
    assert front.conductor.woken == []
    [event] = front.store.events(EventQuery(fid=process.fid, types=(EventType.COMMAND_REFUSED,)))
    assert event.data["command"] == "resume"


def test_kill_is_killing_at_once_even_while_a_job_runs() -> None:
    front = Front()
    process = front.commands.run(submission(), alias="web")
    running = replace(process, job_id="job-1")
    front.store.commit((SaveProcess(process=running, expected_generation=process.generation),))
    killed = front.commands.kill("web")
    assert (killed.state, killed.intent.waiting, killed.intent.stands) == (ProcessState.KILLING, Command.KILL, True)


def test_suspend_pauses_a_kill_and_resume_cancels_it() -> None:
    front = Front()
    front.commands.run(submission(), alias="web")
    front.commands.kill("web")
    paused = front.commands.suspend("web")
    assert (paused.state, paused.intent.waiting) == (ProcessState.SUSPENDED, None)
    resumed = front.commands.resume("web")
    assert (resumed.state, resumed.intent.waiting, resumed.intent.stands) == (
        ProcessState.RUNNING,
        Command.RESUME,
        True,
    )
    assert front.conductor.retried == [], "the plan that serves the command tries again what failed"


def test_a_command_takes_back_that_the_process_has_converged() -> None:
    front = Front()
    process = settled(front, front.commands.run(submission(), alias="web"))
    assert process.converged_at is not None
    updated = front.commands.update("web", submission(NETWORK_ONLY))
    assert (updated.converged_at, updated.intent.waiting, updated.intent.stands) == (None, Command.UPDATE, True)
    assert updated.next_job_at == front.clock.now()


def test_retry_clears_phases_but_approves_no_held_plan() -> None:
    front = Front()
    process = settled(front, front.commands.run(submission(), alias="web"))
    front.add_object(process, "Net")
    retried, cleared = front.commands.retry("web", [LogicalId("Net")])
    assert cleared == {"Net": 1}
    assert not retried.intent.stands
    assert retried.next_job_at == front.clock.now()
    assert front.store.history(process.fid).commands[-1].detail == "Net (1)"


def test_retry_of_a_resource_that_is_not_there_names_it() -> None:
    front = Front()
    front.commands.run(submission(), alias="web")
    with pytest.raises(NotFoundError, match="no resource Nat"):
        front.commands.retry("web", [LogicalId("Nat")])
    assert front.conductor.retried == []


def test_update_keeps_the_place_of_the_process() -> None:
    front = Front()
    front.commands.run(submission(), alias="web")
    with pytest.raises(UserError, match="runs in eu-west-1 on simulated"):
        front.commands.update("web", submission(region="us-east-1"))


def test_update_keeps_a_secret_that_did_not_change_and_was_not_sent_again() -> None:
    front = Front()
    process = front.commands.run(submission(Password="one"), alias="web")
    again = submission(Password="one")
    updated = front.commands.update("web", replace(again, secrets={}))
    assert updated.sealed == process.sealed
    with pytest.raises(UserError, match="Password is missing"):
        front.commands.update("web", replace(submission(Password="two"), secrets={}))


def test_a_suspended_process_is_updated_and_stays_suspended() -> None:
    front = Front()
    first = front.commands.run(submission(), alias="web")
    front.commands.suspend("web")
    updated = front.commands.update("web", submission(NETWORK_ONLY))
    assert updated.state is ProcessState.SUSPENDED
    assert updated.composition_digest != first.composition_digest


def test_apply_runs_updates_and_then_has_nothing_to_do() -> None:
    front = Front()
    made = front.commands.apply(submission(), alias="web")
    settled(front, made)
    same = front.commands.apply(submission(), alias="web")
    assert same.fid == made.fid
    assert same.converged_at is not None
    changed = front.commands.apply(submission(NETWORK_ONLY), alias="web")
    assert (changed.fid, changed.intent.waiting) == (made.fid, Command.UPDATE)
    assert [record.command for record in front.store.history(made.fid).commands] == [Command.RUN, Command.UPDATE]


def test_a_lock_refuses_all_but_its_end() -> None:
    front = Front()
    front.commands.run(submission(), alias="web")
    assert front.commands.set_property("web", "lock", "on").is_locked
    with pytest.raises(NotAllowedError, match="locked"):
        front.commands.kill("web")
    with pytest.raises(NotAllowedError, match="locked"):
        front.commands.set_property("web", "alias", "shop")
    assert not front.commands.set_property("web", "lock", "off").is_locked


def test_an_alias_can_be_changed_and_the_name_stays() -> None:
    front = Front()
    front.commands.run(submission(), alias="web")
    front.commands.run(submission(), alias="other")
    renamed = front.commands.set_property("web", "alias", "shop")
    assert (renamed.alias, renamed.name) == ("shop", "web")
    with pytest.raises(NotAllowedError, match="belongs to process"):
        front.commands.set_property("shop", "alias", "other")


def test_enforcement_that_is_turned_on_is_observed_soon() -> None:
    front = Front()
    settled(front, front.commands.run(submission(), alias="web"))
    off = front.commands.set_property("web", "enforcement", "off")
    assert not off.is_enforced
    assert off.converged_at is not None
    on = front.commands.set_property("web", "enforcement", "on")
    assert (on.is_enforced, on.converged_at, on.next_job_at, on.intent.stands) == (True, None, front.clock.now(), False)


@pytest.mark.parametrize(("key", "value"), [("lock", "yes"), ("enforcement", ""), ("color", "red"), ("alias", "")])
def test_an_unknown_property_or_value_is_refused(key: str, value: str) -> None:
    front = Front()
    process = front.commands.run(submission(), alias="web")
    with pytest.raises(UserError):
        front.commands.set_property("web", key, value)
    assert front.store.process("web") == process


class ContestedStore(MemoryStore):
    """A store in which somebody is faster: before a commit, `rivals` commit theirs."""

    def __init__(self) -> None:
        super().__init__()
        self.rivals: list[Callable[[], StoreChange]] = []

    def commit(self, changes: Sequence[StoreChange]) -> None:
        if self.rivals:
            super().commit((self.rivals.pop(0)(),))
        super().commit(changes)


def a_job(store: ContestedStore, state: ProcessState | None = None) -> Callable[[], StoreChange]:
    """What a job does to the process: it writes it, and may suspend it."""

    def save() -> StoreChange:
        process = store.process("web")
        assert process is not None
        after = replace(process, state=state or process.state, last_message="a job was here")
        move = Move(before=process.state, after=after.state, at=process.updated_at, actor="conductor")
        return SaveProcess(process=after, expected_generation=process.generation, moves=(move,) if state else ())

    return save


def test_a_command_that_lost_against_a_job_is_decided_again() -> None:
    store = ContestedStore()
    front = Front(store)
    process = front.commands.run(submission(), alias="web")
    store.rivals.append(a_job(store, ProcessState.SUSPENDED))
    killed = front.commands.kill("web")
    # The job suspended it in between: what was a kill of a Running process became one of a Suspended process.
    assert (killed.state, killed.last_message) == (ProcessState.KILLING, "a job was here")
    moves = store.events(EventQuery(fid=process.fid, types=(EventType.PROCESS_STATE,)))
    assert [event.before for event in moves] == ["nothing", "Running", "Suspended"]


def test_a_command_that_always_loses_gives_up_with_a_conflict() -> None:
    store = ContestedStore()
    front = Front(store)
    front.commands.run(submission(), alias="web")
    store.rivals += [a_job(store)] * 50
    with pytest.raises(ConflictError):
        front.commands.kill("web")
    process = store.process("web")
    assert process is not None
    assert process.state is ProcessState.RUNNING


def test_enforcement_can_be_off_for_a_time() -> None:
    front = Front()
    front.commands.run(submission(), alias="web")
    off = front.commands.set_property("web", "enforcement", "off", until="2h")
    assert off.enforcement_until == front.clock.now() + 7200
    assert not off.is_enforced_at(front.clock.now())
    assert off.is_enforced_at(off.enforcement_until)
    on = front.commands.set_property("web", "enforcement", "on")
    assert (on.is_enforced, on.enforcement_until) == (True, None)


@pytest.mark.parametrize(("key", "value"), [("enforcement", "on"), ("lock", "on"), ("alias", "shop")])
def test_nothing_but_enforcement_off_has_an_end(key: str, value: str) -> None:
    front = Front()
    process = front.commands.run(submission(), alias="web")
    with pytest.raises(UserError, match="Only 'enforcement off' can have an end"):
        front.commands.set_property("web", key, value, until="2h")
    assert front.store.process("web") == process


def test_what_exports_are_in_use_refuses_it_before_anything_is_cleared() -> None:
    front = Front()
    base = front.commands.run(
        submission(f"{NETWORK_ONLY}\nOutputs: {{Net: {{Value: !Ref Net, Export: {{Name: the-net}}}}}}"), alias="base"
    )
    imported = "{NetworkId: !ImportValue the-net, CidrBlock: 10.0.2.0/24}"
    importing = f"Resources: {{Sub: {{Type: Simulated::Subnet, Properties: {imported}}}}}"
    front.commands.run(submission(importing), alias="app")
    suspended = settled(front, base, state=ProcessState.SUSPENDED)
    for refused in (
        lambda: front.commands.kill("base"),
        lambda: front.commands.release("base"),
        lambda: front.commands.update("base", submission(NETWORK_ONLY)),
        lambda: front.commands.dry_runs.kill("base"),
    ):
        with pytest.raises(NotAllowedError, match=r"exports the-net, imported by app \(Sub\)"):
            refused()
    assert front.conductor.retried == []
    assert front.store.process(base.fid) == suspended
    refusals = front.store.events(EventQuery(types=(EventType.COMMAND_REFUSED,)))
    assert [event.data["command"] for event in refusals] == ["kill", "release", "update"]
