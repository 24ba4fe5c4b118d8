"""Questions and the documents that answer them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from front import Front, entry, physical, submission

from tenuto.errors import NotFoundError, TransientError
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.command import ProcessState
from tenuto.model.delta import Change
from tenuto.model.flip import Flip
from tenuto.model.ids import Fid, LogicalId, ObjectId
from tenuto.model.plan import Operation
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject, Move
from tenuto.model.verb import Verb
from tenuto.ports.store_changes import SaveProcess
from tenuto.service.commands.plan_view import plan_document
from tenuto.service.common.event_page import EventPage
from tenuto.service.views.history_view import events_document, history_document
from tenuto.service.views.plan_text import plan_text
from tenuto.service.views.process_view import process_detail_document, process_document, status_of
from tenuto.storage.sqlite.memory import MemoryStore

PROCESS_KEYS = {
    "fid",
    "alias",
    "account",
    "region",
    "state",
    "enforcement",
    "lock",
    "composition",
    "created",
    "updated",
    "last_job",
    "last_message",
    "next_command",
    "converged",
}
PLAN_KEYS = {
    "version", "command", "process", "observed_at", "summary", "waves", "operations", "errors", "warnings", "bill",
}  # fmt: skip


def saved(front: Front, process: Process, **changes: object) -> Process:
    after = replace(process, **changes)  # type: ignore[arg-type]
    moves = (Move(before=process.state, after=after.state, at=front.clock.now(), actor="test"),)
    front.store.commit(
        (
            SaveProcess(
                process=after,
                expected_generation=process.generation,
                moves=moves if after.state is not process.state else (),
            ),
        )
    )
    found = front.store.process(process.fid)
    assert found is not None
    return found


def test_a_process_has_the_documented_keys() -> None:
    front = Front()
    process = front.commands.run(submission(), alias="web")
    document = process_document(process)
    assert document.keys() >= PROCESS_KEYS
    assert document["composition"] == {"name": "web", "digest": process.composition_digest}
    assert document["created"].endswith("Z")
    detail = process_detail_document(front.queries.process("web"))
    assert detail.keys() - document.keys() == {"resources", "parameters", "outputs", "output_descriptions"}


def test_a_gone_process_is_no_longer_in_status_but_in_history() -> None:
    front = Front()
    process = front.commands.run(submission(), alias="web")
    saved(front, process, state=ProcessState.GONE, ended_at=front.clock.now())
    assert front.queries.processes() == ()
    with pytest.raises(NotFoundError, match="is gone"):
        front.queries.process("web")
    document = history_document(front.queries.history("web"))
    assert (document["state"], document["commands"][0]["command"]) == ("Gone", "run")
    kinds = {
        event["type"]
        for event in events_document(EventPage(events=front.queries.events("web"), older=None), {})["events"]
    }
    assert kinds == {"process.state", "command.given"}


def test_processes_can_be_chosen_by_account() -> None:
    front = Front()
    front.conductor.identities["other"] = "210987654321"
    front.commands.accounts.add("other", {"profile": "other"})
    process = front.commands.run(submission(), alias="web", account="other")
    assert front.queries.processes(account="default") == ()
    assert front.queries.processes(account="other") == front.queries.processes(account="210987654321") == (process,)


def test_a_resource_that_was_never_made_is_planned() -> None:
    front = Front()
    front.commands.run(submission(), alias="web")
    resources = process_detail_document(front.queries.process("web"))["resources"]
    assert {name: one["status"] for name, one in resources.items()} == {"Net": "planned", "Sub": "planned"}
    assert resources["Net"]["target"] is None


@pytest.mark.parametrize(
    ("statuses", "word"),
    [
        ((), "waiting"),
        (("Waiting",), "waiting"),
        (("Completed", "Sleeping"), "sleeping"),
        (("Blocked", "Running"), "running"),
        (("Running", "Failed"), "failed"),
        (("Canceling",), "canceling"),
    ],
)
def test_the_status_word_is_that_of_the_most_telling_phase(statuses: tuple[str, ...], word: str) -> None:
    front = Front()
    process = front.commands.run(submission(), alias="web")
    phases = {f"p{number}": entry(f"p{number}", status) for number, status in enumerate(statuses)}
    assert status_of(front.add_object(process, "Net", phases=phases)) == word


def test_a_failed_phase_tells_its_message_code_and_request() -> None:
    front = Front()
    process = front.commands.run(submission(), alias="web")
    failed = entry("create", "Failed", message="no quota", code="Limit", request_id="r-1")
    front.add_object(process, "Net", phases={"create": failed})
    net = process_detail_document(front.queries.process("web"))["resources"]["Net"]
    assert (net["status"], net["message"], net["phase_failed"]) == ("failed", "no quota (Limit, request r-1)", True)
    assert (net["phases"]["create"]["code"], net["phases"]["create"]["request_id"]) == ("Limit", "r-1")


def test_an_older_incarnation_is_shown_while_it_leaves() -> None:
    front = Front()
    process = front.commands.run(submission(), alias="web")
    front.add_object(process, "Net", physical_id=physical("net-1"), target=ResourceState.TERMINATED)
    front.add_object(process, "Net", physical_id=physical("net-2"), incarnation=2)
    net = process_detail_document(front.queries.process("web"))["resources"]["Net"]
    assert (net["id"], net["incarnation"]) == ("net-2", 2)
    assert [old["id"] for old in net["leaving"]] == ["net-1"]


def test_secrets_are_masked_wherever_they_feed_something() -> None:
    front = Front()
    process = front.commands.run(submission(Password="hunter2"), alias="web")
    front.add_object(
        process,
        "Net",
        physical_id=physical("net-1"),
        desired={"Label": {"Fn::Join": ["", ["x", {"Ref": "Password"}]]}, "CidrBlock": "10.0.0.0/16"},
        attributes={"Label": "xhunter2", "CidrBlock": "10.0.0.0/16"},
    )
    detail = process_detail_document(front.queries.process("web"))
    assert detail["resources"]["Net"]["attributes"] == {"Label": "****", "CidrBlock": "10.0.0.0/16"}
    assert detail["outputs"]["Login"] == "root:****"
    plan = plan_document(front.queries.plan("web"))
    label = [change for change in plan["operations"][0]["changes"] if change["path"] == "Label"]
    assert label == [{"path": "Label", "before": None, "after": "****", "forces_replacement": False}]
    assert "hunter2" not in str((detail, plan, history_document(front.queries.history("web"))))


def test_outputs_are_evaluated_from_the_resources_that_stand() -> None:
    front = Front()
    process = front.commands.run(submission(), alias="web")
    assert front.queries.process("web").outputs["NetId"] == "(known after apply)"
    front.add_object(process, "Net", physical_id=physical("net-1"))
    outputs = front.queries.process("web").outputs
    assert (outputs["NetId"], outputs["Account"]) == ("net-1", "123456789012/net-1")


def test_an_output_of_an_attribute_that_is_a_reference_to_a_secret_is_masked() -> None:
    text = """
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}
Outputs:
  Label: {Value: !GetAtt Net.Label}
  Login: {Value: !Sub "root:${Net.Label}"}
"""
    front = Front()
    process = front.commands.run(submission(text), alias="web")
    kept = {"Tenuto::Secret": "resolve:a place of the provider"}
    front.add_object(process, "Net", physical_id=physical("net-1"), attributes={"Label": kept})
    view = front.queries.process("web")
    assert view.outputs == {"Label": "****", "Login": "root:****"}
    assert process_detail_document(view)["resources"]["Net"]["attributes"] == {"Label": "****"}


def test_status_and_explain_work_while_the_provider_does_not() -> None:
    front = Front()
    process = front.commands.run(submission(), alias="web")
    front.add_object(process, "Net", physical_id=physical("net-1"))
    front.conductor.failure = TransientError("the endpoint is down")
    outputs = front.queries.process("web").outputs
    assert (outputs["NetId"], outputs["Account"]) == ("net-1", "(known after apply)")
    _, told = front.queries.explain("web")
    assert told.process[-1] == "What the next job would do is not known: the endpoint is down"
    with pytest.raises(TransientError):
        front.queries.plan("web")


def test_a_plan_has_the_documented_shape() -> None:
    front = Front()
    process = front.commands.run(submission(), alias="web")
    document = plan_document(front.queries.plan("web"))
    assert document.keys() >= PLAN_KEYS
    assert document["process"] == {
        "fid": process.fid,
        "alias": "web",
        "goes_on_with": None,
        "state": "Running",
        "account": "default",
        "region": "eu-west-1",
        "lock": False,
    }
    assert document["summary"] == {
        "create": 2, "modify": 0, "replace": 0, "delete": 0, "adopt": 0, "release": 0, "refresh": 0, "unchanged": 0,
    }  # fmt: skip
    assert document["waves"] == [["Simulated::Network", "Simulated::Subnet"]]
    operation = document["operations"][0]
    assert (operation["op"], operation["logical_id"], operation["destructive"]) == ("create", "Net", False)
    assert operation["source"] == {"file": "web.yaml", "line": 5}


def test_a_held_plan_is_a_warning() -> None:
    front = Front()
    front.conductor.held = "it would delete everything"
    front.commands.run(submission(), alias="web")
    document = plan_document(front.queries.plan("web"))
    assert document["held"] == "it would delete everything"
    assert document["warnings"][0]["message"] == "The plan is held: it would delete everything"


def test_the_plan_of_a_suspended_process_is_that_of_its_resume() -> None:
    front = Front()
    front.commands.run(submission(), alias="web")
    front.commands.suspend("web")
    front.queries.plan("web")
    [(process, _)] = front.conductor.previewed
    assert (process.state, process.intent.stands) == (ProcessState.RUNNING, True)


def test_the_plan_of_a_kill_is_that_of_the_null_composition() -> None:
    front = Front()
    front.commands.run(submission(), alias="web")
    front.commands.kill("web")
    front.queries.plan("web")
    [(process, composition)] = front.conductor.previewed
    assert (process.state, composition) == (ProcessState.KILLING, None)


def test_a_plan_of_the_history_can_be_read_again() -> None:
    front = Front()
    process = front.commands.run(submission(), alias="web")
    front.commands.dry_runs.update("web", submission())
    [job] = front.store.history(process.fid).jobs
    assert job.plan_id is not None
    assert [one["logical_id"] for one in front.queries.stored_plan(job.plan_id)["operations"]] == ["Net", "Sub"]


def test_drift_that_is_left_alone_is_shown_when_asked_for() -> None:
    front = Front()
    front.commands.run(submission(), alias="web")
    process = front.commands.set_property("web", "enforcement", "off")
    net = front.add_object(process, "Net")
    front.conductor.drift = (
        Operation(
            verb=Verb.MODIFY,
            type=net.type,
            logical_id=LogicalId("Net"),
            object_id=ObjectId("o"),
            changes=(Change(path="Label", before="a", after="b"),),
        ),
    )
    shown = process_detail_document(front.queries.process("web", sweep=True))["resources"]["Net"]["drift"]
    assert shown == ["Label"]
    assert process_detail_document(front.queries.process("web"))["resources"]["Net"]["drift"] == []


def test_explain_of_a_resource_that_is_not_there_names_it() -> None:
    front = Front()
    front.commands.run(submission(), alias="web")
    with pytest.raises(NotFoundError, match="Nat"):
        front.queries.explain("web", [LogicalId("Nat")])
    _, told = front.queries.explain("web", [LogicalId("Sub")])
    assert list(told.resources) == ["Sub"]


def test_the_text_of_a_plan_shows_signs_values_and_a_summary() -> None:
    operation = {
        "op": "replace",
        "type": "Simulated::Network",
        "logical_id": "Net",
        "id": "net-1",
        "reason": "CidrBlock cannot be changed in place",
        "changes": [{"path": "CidrBlock", "before": "10.0.0.0/16", "after": "10.1.0.0/16", "forces_replacement": True}],
    }
    summary = {
        "create": 0,
        "modify": 0,
        "replace": 1,
        "delete": 0,
        "adopt": 0,
        "release": 0,
        "refresh": 0,
        "unchanged": 3,
    }
    text = plan_text({"operations": [operation], "summary": summary})
    assert text == (
        "± replace Net (Simulated::Network) [net-1]: CidrBlock cannot be changed in place\n"
        '    CidrBlock: "10.0.0.0/16" → "10.1.0.0/16"  # forces replacement\n'
        "Plan: 1 replace, 3 unchanged."
    )
    empty = {**dict.fromkeys(summary, 0), "unchanged": 22}
    assert plan_text({"operations": [], "summary": empty}) == "Plan: nothing to do (22 unchanged)."


class ListedStore(MemoryStore):
    """Refuses what costs by what a process holds."""

    reads = 0

    def objects(self, fid: Fid) -> tuple[ManagedObject, ...]:
        raise AssertionError(f"every object of {fid} was read for a list")

    def flips(self, fid: Fid) -> tuple[Flip, ...]:
        raise AssertionError(f"every flip of {fid} was read for a list")

    @contextmanager
    def _reading(self) -> Iterator[Any]:
        self.reads += 1
        with super()._reading() as reads:
            yield reads


def test_a_list_of_processes_asks_as_much_of_the_store_for_many_as_for_one() -> None:
    asked = []
    for count in (1, 7):
        store = ListedStore()
        front = Front(store=store)
        for number in range(count):
            front.commands.run(submission(), alias=f"web-{number}")
        store.reads = 0
        assert len(front.queries.unconverged(front.queries.processes())) == count
        asked.append(store.reads)
    assert asked[0] == asked[1]
