"""`tenuto account`, and what the command line makes of accounts elsewhere."""

from pathlib import Path

import pytest
from front import Front
from terminal import Shell

from tenuto.errors import PermanentError
from tenuto.kit.times import iso_text
from tenuto.model.account import KnownCredentials

PROD = "222222222222"
ARN = f"arn:aws:iam::{PROD}:role/tenuto"
TEMPLATE = """
Conditions:
  IsProd: !Equals [!Ref AWS::AccountId, "222222222222"]
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: !If [IsProd, prod, other]}}
"""


@pytest.fixture
def front() -> Front:
    made = Front()
    made.conductor.identities.update({"default": "111111111111", "prod": PROD})
    return made


@pytest.fixture
def template(tmp_path: Path) -> str:
    path = tmp_path / "web.yaml"
    path.write_text(TEMPLATE)
    return str(path)


def test_an_account_lives_through_the_command_line(tenuto: Shell) -> None:
    assert "Conductor's own settings" in tenuto("account", "list").out
    added = tenuto("account", "add", "prod", "--role-arn", ARN, "--external-id", "x-42", "-y")
    assert added.code == 0
    assert [line.split(maxsplit=1)[0] for line in added.out.splitlines()] == [
        *("Account", "Id", "Provider", "Access", "Processes", "Identity"),
    ]
    assert f"the role {ARN}, assumed from default, with an external id" in added.out
    assert "x-42" not in added.out + added.err
    assert PROD in tenuto("account", "list").out
    assert "assumed-role/tenuto/tenuto" in tenuto("account", "check", "prod").out
    assert "the profile p" in tenuto("account", "update", "prod", "--profile", "p", "-y").out
    assert tenuto("account", "show", PROD, "--json").document["profile"] == "p"
    assert tenuto("account", "remove", "prod", "-y").out == "The account prod is not known any more.\n"
    assert tenuto("account", "show", "prod").code == 4


def test_an_account_whose_credentials_lead_elsewhere_is_told_with_both_accounts(tenuto: Shell, front: Front) -> None:
    problem = "The account default is 111111111111, and its credentials now lead to 999999999999."
    front.conductor.known["default"] = KnownCredentials(problem=problem)
    assert f"default: {problem}" in tenuto("account", "list").out
    assert problem in tenuto("account", "show", "default").out
    assert tenuto("account", "show", "default", "--json").document["problem"] == problem


def test_an_account_tells_when_its_credentials_were_last_confirmed(tenuto: Shell, front: Front) -> None:
    front.conductor.known["default"] = KnownCredentials(confirmed_at=front.clock.now())
    shown = tenuto("account", "show", "default", "--json").document
    assert (shown["confirmed"], shown["problem"]) == (iso_text(front.clock.now()), None)
    assert "Confirmed" in tenuto("account", "show", "default").out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("add", "prod", "--profile", "p", "--role-arn", ARN), 2, "by a profile or by a role"),
        (("add", "prod", "--profile", "p", "--external-id", "x-1"), 2, "go with --role-arn"),
        (("add", "prod", "--profile", ""), 2, "is a variable unset?"),
        (("add", "prod", "--external-id", "x-1"), 2, "belong to a role"),
        (("add", "default", "--profile", "p"), 2, "Choose another name"),
        (("add", "prod", "--role-arn", "tenuto"), 2, "is no role"),
        (("add", "prod"), 0, "Conductor's own AWS settings"),
        (("update", "nobody", "--profile", "p"), 4, "There are: default."),
        (("update", "default"), 2, "Name at least one change"),
        (("update", "default", "--profile", "p"), 5, "restart it"),
        (("remove", "default"), 4, "never used"),
        (("check", ""), 4, "tenuto account list"),
        (("chekc", "default"), 2, "Did you mean check? There are add, list, show, check"),
    ],
)
def test_what_makes_no_sense_is_refused_with_what_would(
    tenuto: Shell, arguments: tuple[str, ...], code: int, said: str
) -> None:
    options = ("-y",) if arguments[0] in ("add", "update", "remove") else ()
    ended = tenuto("account", *arguments, *options)
    assert ended.code == code, ended
    assert said in ended.out + ended.err


def test_nothing_is_changed_without_being_asked(tenuto: Shell, front: Front) -> None:
    ended = tenuto("account", "add", "prod", "--profile", "p")
    assert ended.code == 2
    assert "Add the account prod, entered by the profile p?" in ended.err
    assert front.store.accounts() == ()


def test_a_way_that_does_not_work_is_the_failure_of_the_command(tenuto: Shell, front: Front) -> None:
    front.conductor.failure = PermanentError("account prod: no such profile.", code="ProfileNotFound")
    ended = tenuto("--json", "account", "add", "prod", "--profile", "p", "-y")
    assert ended.code == 1
    assert ended.document["error"]["problem"]["provider_code"] == "ProfileNotFound"
    assert tenuto("account", "add", "prod", "--profile", "p", "--unchecked", "-y").code == 0
    assert "not known yet" in tenuto("account", "show", "prod").out


def test_a_composition_goes_to_the_region_of_its_account_unless_another_is_given(
    tenuto: Shell, front: Front, template: str
) -> None:
    front.commands.accounts.add("prod", {"profile": "p"}, region="eu-west-1")
    environ = tenuto.environ(TENUTO_REGION="us-west-2")
    places = {
        "own": (),
        "prod": ("--account", "prod"),
        "other": ("--account", "prod", "--region", "eu-north-1"),
    }
    front.commands.accounts.check("default")
    for alias, options in places.items():
        assert tenuto("run", template, "-a", alias, *options, "-y", environ=environ).code == 0
    found = {one.alias: str(one.partition) for one in front.queries.processes()}
    assert found == {"own": "default/us-west-2", "prod": "prod/eu-west-1", "other": "prod/eu-north-1"}


def test_the_question_of_run_names_account_id_and_region(tenuto: Shell, front: Front, template: str) -> None:
    front.commands.accounts.add("prod", {"profile": "p"}, region="eu-west-1")
    ended = tenuto("run", template, "--account", "prod")
    assert f"in account prod ({PROD}), region eu-west-1?" in ended.err
    ended = tenuto("apply", template, "-a", "web", "--account", PROD)
    assert f"in account prod ({PROD}), region eu-west-1?" in ended.err


def test_conditions_know_the_account_that_the_conductor_knows(tenuto: Shell, front: Front, template: str) -> None:
    unknown = tenuto("run", template, "-y")
    assert unknown.code == 3
    front.commands.accounts.add("prod", {"profile": "p"})
    assert tenuto("run", template, "-a", "web", "--account", "prod", "-y").code == 0
    process = front.store.process("web")
    composition = front.store.composition(process.composition_digest) if process else None
    assert composition is not None
    assert composition.resources[0].properties["Label"] == "prod"
    # What comes later is compiled for the account of the process, which is not named again.
    front.commands.accounts.check("default")
    assert tenuto("update", "web", template, "-y").code == 0
    applied = tenuto("--json", "apply", template, "-a", "web", "-y").document
    assert applied["composition"]["digest"] == composition.digest


def test_an_unknown_account_is_refused_before_the_file_is_compiled_for_it(tenuto: Shell, template: str) -> None:
    for command in (("run", template), ("apply", template, "-a", "web"), ("run", template, "--dry-run")):
        ended = tenuto(*command, "--account", "nowhere", "-y")
        assert ended.code == 4
        assert "There is no account 'nowhere'. There are: default." in ended.err


def test_existing_things_are_described_in_the_region_of_their_account(tenuto: Shell, front: Front) -> None:
    front.commands.accounts.add("prod", {"profile": "p"}, region="eu-west-1")
    assert tenuto("import", "Simulated::Network", "net-1", "--account", "prod").code == 0
    assert tenuto("import", "Simulated::Network", "net-1", "--account", "nowhere").code == 4
