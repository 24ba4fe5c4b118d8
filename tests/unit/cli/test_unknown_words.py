"""Commands, options and names that do not exist, and what is said of them."""

from pathlib import Path

import pytest
from front import TEMPLATE, Front
from terminal import Shell

from tenuto.cli.entry import run
from tenuto.cli.root import COMMANDS
from tenuto.cli.terminal import unknown_words

POLICY = "TenutoPolicy: 1\nUsers: [ann]\nGrants: [{To: ann, Commands: all, Accounts: [default], Aliases: [shop]}]"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("destroy", "There is no command 'destroy'. Did you mean kill? 'tenuto --help' lists"),
        ("delete web", "Did you mean kill?"),
        ("preview", "Did you mean plan?"),
        ("diff", "Did you mean plan?"),
        ("ps", "Did you mean status?"),
        ("list", "Did you mean status?"),
        ("get", "Did you mean status or show?"),
        ("deploy", "Did you mean apply?"),
        ("up", "Did you mean apply?"),
        ("stop", "Did you mean suspend?"),
        ("start", "Did you mean run or resume?"),
        ("stat", "Did you mean status?"),
        ("proposal", "Did you mean proposals?"),
        ("logs", "Did you mean events or ops?"),
        ("describe", "Did you mean status or show or explain?"),
        ("show", "Missing argument 'ALIAS|FID'"),
        ("help", "'tenuto COMMAND --help' print the help"),
        ("version", "'tenuto --version' prints the version"),
        ("destory", "Did you mean kill?"),
        ("confg", "Did you mean config?"),
        ("reslease", "Did you mean release?"),
        ("STATUS", "Did you mean status?"),
        ("xyzzy", "There is no command 'xyzzy'. 'tenuto --help' lists the commands."),
        ("account delete x", "Did you mean remove? There are add, list"),
        ("validation sohw x", "Did you mean show? There are"),
        ("account destory x", "Did you mean remove? There are add, list"),
        ("account start x", "There is no command 'start'. There are add, list"),
        ("run x.yaml --auto-approve", "There is no option --auto-approve. Did you mean --yes? 'tenuto run --help'"),
        ("run x.yaml --dryrun", "Did you mean --dry-run?"),
        ("run x.yaml --var a=b", "Did you mean --parameter?"),
        ("status --wach", "Did you mean --watch?"),
        ("status --var a=b", "There is no option --var. 'tenuto status --help' lists the options."),
        ("status -z", "There is no option -z. 'tenuto status --help' lists the options."),
        ("--jsn status", "There is no option --jsn. Did you mean --json? 'tenuto --help' lists"),
        ("ui", "'tenuto web' opens the dashboard, and 'tenuto status --watch' follows processes in the terminal."),
        ("DASHBOARD", "'tenuto web' opens the dashboard"),
        ("uo", "There is no command 'uo'. 'tenuto --help' lists the commands."),
        ("sync", "'tenuto plan PROCESS' shows what its next job will do."),
        ("format", "'tenuto compile FILE' checks one."),
        ("scale web", "Did you mean update?"),
        ("rollout", "Did you mean apply?"),
        ("providers", "Did you mean types?"),
        ("account use prod", "Name the account with --account. There are add, list"),
        ("user login", "A user's secret is in TENUTO_SECRET"),
        ("user login", "'tenuto login' signs in at an issuer."),
        ("status --url http://x", "Option --url stands before the command: 'tenuto --url … status'."),
        ("account list --insecure", "Option --insecure stands before the command: 'tenuto --insecure … account list'."),
        ("store restore x", "A backup is put in the place of the database while no Conductor runs."),
        ("policy apply x", "Did you mean set? There are"),
        ("validation run x", "Did you mean check? There are"),
        ("object make red", "Did you mean create? There are"),
        ("notification send x", "Did you mean test? There are"),
        ("run x.yaml --profile prod", "Did you mean --account?"),
        ("conductor --port 80", "Did you mean --listen?"),
        ("conductor --db x", "Did you mean --database?"),
        ("account --hlp", "Did you mean --help? 'tenuto account --help' lists"),
    ],
)
def test_the_words_of_other_tools_and_slips_of_the_finger_are_understood(
    line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(line.split(), {"TENUTO_CLI_LOG": ""}) == 2
    assert said in capsys.readouterr().err


def test_the_table_of_foreign_words_holds_no_command_and_leads_to_commands_only() -> None:
    assert not set(unknown_words._COMMANDS) & set(COMMANDS)
    members = {"add", "check", "generate-secret", "list", "remove", "revoke-secret", "set", "show", "test", "unset"}
    assert {one for commands in unknown_words._COMMANDS.values() for one in commands} <= set(COMMANDS) | members
    words = {word for one in unknown_words._MEMBERS.values() for word in one}
    assert words <= members | {"create", "delete"}
    assert not set(unknown_words._SAYINGS) & (set(COMMANDS) | set(unknown_words._COMMANDS))


def test_names_that_the_conductor_does_not_know_come_with_the_one_that_was_meant(
    tenuto: Shell, front: Front, tmp_path: Path
) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(TEMPLATE)
    assert tenuto("run", str(path), "-a", "shop", "--parameter", "Password=secret", "-y").code == 0
    process = front.store.process("shop")
    assert process is not None
    front.add_object(process, "Net")
    for words, said, code in (
        ("status shopp", "There is no process 'shopp'. Did you mean shop? 'tenuto status' lists", 4),
        ("kill shp -y", "Did you mean shop?", 4),
        ("events shpo", "Did you mean shop?", 4),
        ("explain shop Nte", "has no resource Nte. Did you mean Net?", 4),
        ("retry shop Nte -y", "has no resource Nte. Did you mean Net?", 4),
        ("property shop enforcment", "There is no property 'enforcment'. Did you mean enforcement? There are alias", 2),
        ("property shop lok --set on -y", "Did you mean lock?", 2),
        ("events --type nonsense", "There is no type of events nonsense. There are process.state", 2),
        ("events --type proces.state", "Did you mean process.state?", 2),
        ("events --type state --follow", "There is no type of events state.", 2),
        ("account show defalt", "There is no account 'defalt'. Did you mean default? There are: default", 4),
    ):
        ended = tenuto(*words.split())
        assert (ended.code, said in ended.err) == (code, True), ended


def test_a_process_that_the_caller_may_not_see_is_not_suggested(tenuto: Shell, front: Front, tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(TEMPLATE)
    for alias in ("shop", "bank"):
        assert tenuto("run", str(path), "-a", alias, "--parameter", "Password=secret", "-y").code == 0
    front.services.administration.set_policy(POLICY, file="p.yaml", actor="root")
    secret = front.services.administration.generate_secret("ann", actor="root")
    environ = tenuto.environ(TENUTO_SECRET=secret)
    assert "Did you mean shop?" in tenuto("status", "shopp", environ=environ).err
    assert "Did you mean" not in tenuto("status", "banc", environ=environ).err
    assert "Did you mean bank?" in tenuto("status", "banc").err
