"""Mistakes that users type: each answer says what is wrong, and what to do; none is a traceback."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from terminal import Shell

GOOD = """Parameters:
  Size: {Type: Number, Default: 3, MinValue: 1, MaxValue: 9}
  Stage: {Type: String, Default: test, AllowedValues: [test, prod]}
  Net: {Type: "AWS::EC2::VPC::Id", Default: vpc-12345678}
Resources:
  Main: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}
"""
FILES = {
    "binary.yaml": b"\x7fELF\x02\x01\x01\x00\xff\xfe",
    "data.csv": b"a,b\n1,2\n",
    "doc.pdf": b"%PDF-1.4\n%\xe2\xe3",
    "empty.yaml": b"",
    "good.yaml": GOOD.encode(),
    "iam.json": b'{"Version":"2012-10-17","Statement":[]}',
    "latin.yaml": "Description: Größe\n".encode("latin-1"),
    "script.sh": b"#!/bin/sh\necho hello\n",
    "settings.ini": b"[settings]\na=1\n",
    "tabs.yaml": b"Resources:\n\tQ: {Type: AWS::SQS::Queue}\n",
    "template.zip": b"PK\x03\x04zip",
}
CASES = [
    # files
    ("run", 2, "Missing argument 'FILE'. 'tenuto run --help'"),
    ("run god.yaml", 2, "There is no file god.yaml. Did you mean good.yaml?"),
    ("run nothing-like-it", 2, "There is no file nothing-like-it. Check the path."),
    ("run nofolder/x.yaml", 2, "There is no folder nofolder"),
    ("run https://example.org/web.yaml", 2, "An address is no file. Download the template, and name the file."),
    ("run folder.yaml", 2, "folder.yaml is a folder. Name a file in it, such as folder.yaml/inside.yaml."),
    ("run dangling.yaml", 2, "is a link to nowhere, which does not exist. Name another file."),
    ("run empty.yaml", 3, "The file is empty"),
    ("run binary.yaml", 3, "binary.yaml is a program.\n hint: Give the template itself"),
    ("run doc.pdf", 3, "doc.pdf is a PDF document."),
    ("run template.zip", 3, "template.zip is a ZIP archive."),
    ("run latin.yaml", 3, "hint: Save the file as UTF-8."),
    ("run huge.yaml", 3, "hint: Split the composition in two"),
    ("run script.sh", 3, "It is a script."),
    ("run settings.ini", 3, "It is a file of settings in the form of INI."),
    ("run iam.json", 3, "It is a policy of IAM, and not a template."),
    ("run data.csv", 3, "hint: Start with a line such as `Resources:`."),
    ("run tabs.yaml", 3, "hint: YAML indents with spaces only."),
    # order and number of arguments
    ("run good.yaml good.yaml", 2, "Got unexpected extra argument (good.yaml). 'tenuto run --help'"),
    ("update good.yaml web", 2, "There is no file web, and good.yaml is one. The file comes last."),
    ("update web", 2, "Give a composition FILE, or a saved plan with --plan"),
    ("kill", 2, "Missing argument 'ALIAS|FID'. 'tenuto kill --help'"),
    ("kill web shop", 2, "Got unexpected extra argument (shop). 'tenuto kill --help'"),
    ("apply good.yaml", 2, "Missing option '-a' / '--alias'. 'tenuto apply --help'"),
    ("completion", 2, "Missing argument '{bash|zsh|fish}'. Choose from: bash, zsh, fish. 'tenuto completion --help'"),
    ("property web --set on", 2, "--set goes with the name of one property: alias, lock, enforcement."),
    ("simulated", 2, "tenuto: Name one of the commands of 'tenuto simulated'.\nUsage: tenuto simulated"),
    ("property web enforcement off", 2, "Did you mean --set? 'tenuto property web enforcement --set off'."),
    # options
    ("run good.yaml --paramter Size=3", 2, "Did you mean --parameter? 'tenuto run --help'"),
    ("run good.yaml --wait=soon", 2, "expected seconds, or a number with s, m, h or d, such as 10m. 'tenuto run"),
    ("events --start 2026-13-45", 2, "expected a time such as 2026-01-31T12:00"),
    ("events --type process.killd", 2, "There is no type of events process.killd. There are process.state"),
    ("rnu good.yaml", 2, "Did you mean run?"),
    # parameters
    ("run good.yaml -p Size", 2, "'Size' is not KEY=VALUE, such as Stage=test. 'tenuto run --help'"),
    ("run good.yaml -p =3", 2, "'=3' is not KEY=VALUE"),
    ("run good.yaml -p Size=1 -p Size=2", 2, "Size has two values, 1 and 2. Give one."),
    ("run good.yaml -p Sise=3", 3, "hint: Did you mean Size?"),
    ("run good.yaml -p Size=three", 3, "hint: Give a number, such as 80."),
    ("run good.yaml -p Size=12", 3, "'12' of Size is more than MaxValue, which is 9."),
    ("run good.yaml -p Stage=Prod", 3, "'Prod' of Stage is none of prod, test.\n  hint: Did you mean prod?"),
    ("run good.yaml -p Net=subnet-1", 3, "'subnet-1' of Net does not begin with vpc-.\n  hint: Give the id"),
    # regions, accounts, names
    ("run good.yaml --region us-east", 2, "There is no region us-east. Did you mean us-east-1?"),
    ("run good.yaml --region Frankfurt", 2, "There is no region Frankfurt. Did you mean eu-central-1?"),
    ("run good.yaml --region mars", 2, "There is no region mars. Regions have names such as eu-central-1."),
    ("run good.yaml --account nobody", 4, "There is no account 'nobody'. There are: default. 'tenuto account add'"),
    ("run good.yaml -a my/shop -y", 2, "'my/shop' cannot be an alias: it must begin with a letter"),
    ("run good.yaml -a my/shop", 2, "'my/shop' cannot be an alias: it must begin with a letter"),
    ("kill wbe -y", 4, "There is no process 'wbe'. Did you mean web? 'tenuto status' lists the processes."),
    ("explain web Mian", 4, "Process web has no resource Mian. Did you mean Main? 'tenuto status web' lists"),
    ("retry web Mian -y", 4, "Process web has no resource Mian. 'tenuto status web' lists its resources."),
    ("property web enforcment", 2, "There is no property 'enforcment'. Did you mean enforcement?"),
    ("property web enforcement --set maybe -y", 2, "The property enforcement is 'on' or 'off', not 'maybe'."),
    ("runtime set nothing loud -y", 4, "There is no setting 'nothing'."),
    ("types Simulated::Netwrk", 4, "Of Simulated it manages Simulated::Network and Simulated::Subnet."),
    ("import vpc-123", 2, "Expected a resource type first, such as AWS::EC2::VPC; got 'vpc-123'."),
    # the Conductor
    ("--url shop status", 2, "The URL 'shop' must begin with http:// or https://."),
    (
        "--url http://127.0.0.1:1 status",
        8,
        "No Conductor answers at http://127.0.0.1:1. Start one with 'tenuto conductor'",
    ),
    ("store backup /nowhere/at/all.db", 2, "There is no folder /nowhere/at for the backup. Make it, or name another"),
    ("policy set good.yaml", 3, "hint: Begin it with the line `TenutoPolicy: 1`."),
]


@pytest.fixture
def typed(tenuto: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], tuple[int, str]]:
    """Types a line in a folder of odd files, beside a process `web` with the resource `Main`."""
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "folder.yaml" / "inside.yaml").write_text(GOOD)
    (tmp_path / "dangling.yaml").symlink_to("nowhere")
    with (tmp_path / "huge.yaml").open("wb") as file:
        file.truncate(70_000_000)
    monkeypatch.chdir(tmp_path)
    assert tenuto("run", "good.yaml", "-a", "web", "-y").code == 0

    def type_in(line: str) -> tuple[int, str]:
        ended = tenuto(*line.split())
        return ended.code, ended.err

    return type_in


def test_each_mistake_is_told_with_what_to_do(typed: Callable[[str], tuple[int, str]]) -> None:
    for line, code, said in CASES:
        ended, told = typed(line)
        assert (ended, said in told) == (code, True), f"$ tenuto {line}\n[{ended}] {told}"
        assert "Traceback" not in told
        assert told.startswith(("tenuto: ", "error["))
        assert re.search(r"\.( '[\w .-]+' [\w ]+\.)?\n|\?\n", told), f"no sentence ends: {told}"


def test_they_are_more_than_forty() -> None:
    assert len({line for line, _, _ in CASES}) > 40


def test_a_refused_question_names_a_dry_run_only_where_there_is_one(tenuto: Shell) -> None:
    assert "or --dry-run to look first." in tenuto("kill", "web").err
    assert "Add --yes (-y) to confirm.\n" in tenuto("retry", "web").err


def test_a_file_that_is_no_audit_log_is_told_as_that(tenuto: Shell) -> None:
    other = tenuto.folder / "other"
    other.write_text("root:x:0:0\n")
    ended = tenuto("audit", "list", str(other))
    assert (ended.code, "is no audit log" in ended.err) == (2, True)


def test_a_request_takes_no_process_beside_it(tenuto: Shell) -> None:
    ended = tenuto("history", "web", "--request", "30139dfa5efe4277")
    assert (ended.code, "leave the process and the other options out" in ended.err) == (2, True)
