"""`tenuto doctor`: from the command line to the store and the cloud, and back."""

from dataclasses import replace

from desk import NET, Desk

from tenuto.ports.store_changes import SaveObject


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
    assert "error A010 An object ahead of the commands of its process: web Net" in ended.out
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
