"""`tenuto doctor`: from the command line to the store and the cloud, and back."""

from dataclasses import replace

from desk import HOME, NET, Desk

from tenuto.model.ids import Fid, LogicalId, ObjectId
from tenuto.model.observation import Owner
from tenuto.ports.store_changes import SaveObject
from tenuto.providers.simulated.faults import FaultKind
from tenuto.providers.simulated.types import NETWORK


def ahead(desk: Desk) -> None:
    """The stored object of Net follows a command that was never given."""
    [net] = desk.world.store.objects(desk.world.fid("web"))
    broken = replace(net, mandate=99)
    desk.world.store.commit([SaveObject(object=broken, expected_generation=net.generation)])


def test_a_sound_database_ends_with_0(desk: Desk) -> None:
    desk.runs(NET)
    ended = desk("doctor")
    assert (ended.code, ended.out) == (0, "Nothing is wrong: 1 process examined.\n")


def test_a_problem_is_told_with_its_code_and_advice_and_ends_with_11(desk: Desk) -> None:
    desk.runs(NET)
    ahead(desk)
    ended = desk("doctor", "web")
    assert ended.code == 11
    assert "error A010 An object follows a command that its process was never given: web Net" in ended.out
    assert "'tenuto suspend web'" in ended.out
    document = desk("--json", "doctor").document
    assert (document["sound"], [one["code"] for one in document["problems"]]) == (False, ["A010"])


def test_a_process_that_never_was_ends_with_4(desk: Desk) -> None:
    ended = desk("doctor", "nothing")
    assert ended.code == 4
    assert "There is no process 'nothing'" in ended.err


def test_a_user_sees_the_problems_of_their_own_processes_only(desk: Desk) -> None:
    desk.runs(NET)
    ahead(desk)
    policy = desk.file(
        "policy.yaml",
        "TenutoPolicy: 1\nUsers: [ann]\nGrants:\n"
        '  - {To: ann, Commands: [status], Accounts: ["*"], Aliases: ["shop-*"]}\n',
    )
    desk.does("policy", "set", policy)
    ann = desk.user("ann")
    assert ann.document("doctor") == {
        "sound": True,
        "examined": 0,
        "problems": [],
        "problems_left_out": 0,
        "things": [],
        "things_left_out": 0,
        "unseen": [],
    }
    assert ann("doctor", "web").code == 6


def unknown(desk: Desk, cidr: str = "10.1.0.0/16", fid: str | None = None, name: str = "Other") -> str:
    """A network that carries the marks of the process, and that the database does not know."""
    made = desk.world.cloud.add(HOME, NETWORK, {"CidrBlock": cidr})
    owner = Owner(fid=Fid(fid or desk.world.fid("web")), logical_id=LogicalId(name), object_id=ObjectId("old-object"))
    desk.things()[made].owner = owner
    desk.advance(1)
    return made


def test_an_unknown_thing_is_listed_with_its_marks_its_place_and_both_commands(desk: Desk) -> None:
    desk.runs(NET)
    made = unknown(desk)
    ended = desk("doctor", "web")
    assert ended.code == 11
    for text in (
        "names process web",
        f"Simulated::Network {made}",
        "marks: Other, object old-object (no such object is stored)",
        "place: account default, region sim-1; first seen ",
        f"'tenuto doctor web --adopt {made}'",
        f"'tenuto doctor web --delete {made}'",
        "1 unknown thing: 1 process examined.",
    ):
        assert text in ended.out, ended.out
    [thing] = desk("--json", "doctor").document["things"]
    assert (thing["id"], thing["object_id"], thing["process"], thing["code"]) == (made, "old-object", "web", "A301")


def test_the_owner_of_an_empty_database_sweeps_where_they_say(desk: Desk) -> None:
    made = desk.world.cloud.add(HOME, NETWORK, {"CidrBlock": "10.1.0.0/16"})
    owner = Owner(fid=Fid("lost"), logical_id=LogicalId("Net"), object_id=ObjectId("lost-object"))
    desk.world.cloud.mark(made, owner)
    assert desk("doctor").code == 0
    assert made in desk("doctor", "--region", HOME.region).out
    assert desk("doctor", "--account", "default").code == 2
    assert desk("doctor", "lost", "--region", HOME.region, "--delete", made, "--yes").code == 0
    assert made not in desk.things()


def test_without_a_sweep_only_what_a_sweep_has_shown_is_told(desk: Desk) -> None:
    desk.runs(NET)
    made = unknown(desk)
    calls = len(desk.world.calls)
    assert desk("doctor", "--no-sweep").code == 0
    assert len(desk.world.calls) == calls
    desk.advance(60)
    assert made in desk("doctor", "--no-sweep").out
    assert "1 real thing carries the marks of this process" in desk("status", "web").out
    assert "1 unknown thing" in desk("status").out


def test_an_unknown_thing_is_deleted_after_it_is_shown_and_asked_for(desk: Desk) -> None:
    desk.runs(NET)
    made = unknown(desk)
    ended = desk("doctor", "web", "--delete", made)
    assert ended.code == 2, "there is no terminal to answer at"
    assert "marks: Other, object old-object" in ended.err
    assert made in desk.things()
    ended = desk("doctor", "web", "--delete", made, "--yes")
    assert (ended.code, ended.out) == (0, f"Simulated::Network {made} is deleted.\n")
    assert made not in desk.things()
    assert desk("doctor").code == 0
    assert desk("doctor", "web", "--delete", made, "--yes").code == 4


def test_what_the_provider_refuses_to_delete_is_told_with_its_words(desk: Desk) -> None:
    desk.runs(NET)
    made = unknown(desk)
    desk.fault("delete", "Other", FaultKind.DENIED)
    ended = desk("doctor", "web", "--delete", made, "--yes")
    assert ended.code == 1
    assert f"{made} is not deleted: delete was denied. Permit it" in ended.err
    assert made in desk.things()


def test_an_unknown_thing_is_adopted_by_the_resource_that_its_marks_name(desk: Desk) -> None:
    desk.runs(NET)
    real = desk.real("Net").physical_id
    made = unknown(desk, "10.0.0.0/16", name="Net")
    ended = desk("doctor", "web", "--adopt", made, "--yes")
    assert ended.code == 2, "another one stands there"
    assert "--delete" in ended.err
    desk.world.cloud.vanish(real)
    desk.advance(120)
    assert f"Net is not made: Simulated::Network {made}" in desk.status()["last_message"]
    assert desk("doctor", "web", "--adopt", made, "--yes").code == 0
    desk.settle()
    assert (desk.status()["resources"]["Net"]["id"], desk.status()["unknown_things"]) == (made, 0)
    assert desk("doctor").code == 0


def test_a_thing_of_an_unknown_process_is_named_by_its_fid(desk: Desk) -> None:
    desk.runs(NET)
    made = unknown(desk, fid="elsewhere")
    ended = desk("doctor")
    assert "names process elsewhere, which this Conductor does not know" in ended.out
    assert "Another Tenuto may manage it" in ended.out
    assert made in desk("doctor", "elsewhere").out
    refused = desk("doctor", "elsewhere", "--adopt", made, "--yes")
    assert (refused.code, desk.things()[made].owner is not None) == (2, True)
    assert "there is no resource to give it to" in refused.err
    assert desk("doctor", "elsewhere", "--delete", made, "--yes").code == 0
    assert made not in desk.things()


def test_only_who_may_kill_may_delete_and_only_who_may_update_may_adopt(desk: Desk) -> None:
    desk.runs(NET)
    made, other = unknown(desk), unknown(desk, "10.2.0.0/16", fid="elsewhere")
    policy = desk.file(
        "policy.yaml",
        "TenutoPolicy: 1\nUsers: [ann, bob]\nGrants:\n"
        '  - {To: ann, Commands: [status], Accounts: ["*"]}\n'
        '  - {To: bob, Commands: [status, kill], Accounts: ["*"], Aliases: ["web"]}\n',
    )
    desk.does("policy", "set", policy)
    ann, bob = desk.user("ann"), desk.user("bob")
    desk("doctor")
    assert [one["id"] for one in ann("--json", "doctor").document["things"]] == [made]
    assert ann("doctor", "web", "--delete", made, "--yes").code == 6
    assert ann("doctor", "web", "--adopt", made, "--yes").code == 6
    assert bob("doctor", "elsewhere", "--delete", other, "--yes").code in (4, 6)
    assert bob("doctor", "web", "--delete", made, "--yes").code == 0
    assert sorted(set(desk.things()) & {made, other}) == [other]


def test_options_that_contradict_each_other_are_wrong_usage(desk: Desk) -> None:
    for words in (
        ("doctor", "web", "--adopt", "a", "--delete", "b"),
        ("doctor", "--delete", "b"),
        ("doctor", "web", "--no-sweep", "--delete", "b"),
        ("doctor", "web", "--type", "T"),
    ):
        assert desk(*words).code == 2, words


def test_a_place_that_cannot_be_observed_is_told(desk: Desk) -> None:
    desk.runs(NET)
    desk.fault("sweep", "addresses", FaultKind.FORBIDDEN)
    ended = desk("doctor")
    assert ended.code == 0
    assert "Not observed: cannot observe addresses in default/sim-1" in ended.out


def test_what_was_made_twice_is_told_by_status_and_explain_while_it_stands(desk: Desk) -> None:
    desk.runs(NET)
    real = desk.real("Net")
    duplicate = desk.world.cloud.add(HOME, NETWORK, {"CidrBlock": "10.0.0.0/16"})
    desk.things()[duplicate].owner = real.owner
    desk.advance(31)
    assert desk.status()["resources"]["Net"]["duplicates"] == [duplicate]
    assert f"{duplicate} was made beside it and is still to be deleted" in desk("status", "web").out
    told = (
        f"A creation that was carried out twice made {duplicate} beside {real.physical_id}: it is deleted before the "
    )
    assert told in desk("explain", "web").out
    assert desk("doctor").code == 0, "it is known"
    desk.does("kill", "web")
    desk.settle()
    assert duplicate not in desk.things()
