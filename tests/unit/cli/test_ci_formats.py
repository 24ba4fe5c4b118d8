"""Plans and diagnostics in the forms of CI, with names that try to be more than names."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from front import Front, submission
from ruamel.yaml import YAML
from terminal import Shell

from tenuto.cli.render.ci_formats import (
    LARGEST_COMMENT,
    diagnostics_in,
    plan_github,
    plan_gitlab,
    plan_markdown,
    plan_sarif,
)
from tenuto.model.ids import JsonMap

CI = Path(__file__).parents[3] / "ci"
EVIL = "Disk\n::error::x<img src=x> [a](http://b) @team ```"


def operation(name: str = "Disk", op: str = "replace", **more: Any) -> JsonMap:
    change = {"path": "Zone", "before": "a", "after": "b", "forces_replacement": op == "replace"}
    made = {"op": op, "type": "AWS::EC2::Volume", "logical_id": name, "id": "vol-1", "reason": "", "depends_on": []}
    made |= {"destructive": op in ("replace", "delete"), "changes": [change]}
    return made | {"source": {"file": "net,1.yaml", "line": 7}} | more


def plan(*operations: JsonMap) -> JsonMap:
    verbs = ("create", "modify", "replace", "delete", "adopt", "release", "refresh")
    summary = {verb: sum(one["op"] == verb for one in operations) for verb in verbs} | {"unchanged": 3}
    process = {"alias": "shop", "fid": "f", "state": "Running"}
    return {"command": "update", "process": process, "summary": summary, "operations": list(operations)}


def test_a_comment_shows_what_destroys_and_folds_the_rest() -> None:
    text = plan_markdown(plan(operation("Net", "modify"), operation()))
    assert text.splitlines()[0] == "<!-- tenuto:shop -->"
    assert text.index("± replace Disk") < text.index("<details>") < text.index("~ modify Net")
    assert "1 replace, 1 modify, 3 unchanged" in text


def test_a_comment_is_cut_between_operations_and_counts_what_is_missing() -> None:
    text = plan_markdown(plan(*(operation(f"Net{number}", "modify") for number in range(2000))))
    assert len(text) <= LARGEST_COMMENT
    shown = text.count("~ modify Net")
    assert f"{2000 - shown} more operations do not fit" in text
    assert text.count("```") % 2 == 0


def test_a_name_is_no_markup_and_no_command() -> None:
    document = plan(operation(EVIL))
    shown = plan_markdown({**document, "process": {"alias": EVIL, "fid": "f", "state": "Running"}})
    assert shown.splitlines()[0].startswith("<!-- tenuto:Disk_")
    head = shown.split("```", 1)[0]
    assert "<img" not in head
    assert "[a]" not in head
    assert "@team" not in head
    assert "::error::" in shown, "it is told"
    assert "\n::error::" not in shown, "and begins no line, also inside of a block"
    lines = plan_github(document).splitlines()
    assert all(line.startswith(("::warning ", "::notice ")) for line in lines)
    assert "file=net%2C1.yaml,line=7" in lines[0]


def test_gitlab_counts_a_replacement_on_both_sides() -> None:
    assert json.loads(plan_gitlab(plan(operation(), operation("New", "create")))) == {
        "create": 2,
        "update": 0,
        "delete": 1,
    }


def test_sarif_has_what_destroys_at_its_line() -> None:
    [run] = json.loads(plan_sarif(plan(operation(), operation("Net", "modify"))))["runs"]
    [result] = run["results"]
    assert result["ruleId"] == "plan-replace"
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 7}
    assert {"id": "plan-replace"} in run["tool"]["driver"]["rules"]


DIAGNOSTIC = {
    "severity": "error", "code": "T201", "summary": "There is no such thing", "detail": "Vcp.", "hint": "Vpc?",
    "subject": "", "position": {"file": "a.yaml", "line": 3, "column": 5},
}  # fmt: skip


def test_diagnostics_are_told_at_their_places() -> None:
    assert diagnostics_in("github", [DIAGNOSTIC]).startswith("::error file=a.yaml,line=3,col=5,title=T201::")
    [quality] = json.loads(diagnostics_in("gitlab", [DIAGNOSTIC]))
    assert (quality["severity"], quality["location"]) == ("critical", {"path": "a.yaml", "lines": {"begin": 3}})
    [run] = json.loads(diagnostics_in("sarif", [DIAGNOSTIC]))["runs"]
    assert run["results"][0]["level"] == "error"
    assert "T201" in diagnostics_in("markdown", [DIAGNOSTIC])
    assert json.loads(diagnostics_in("gitlab", [])) == []


@pytest.fixture
def front() -> Front:
    made = Front()
    made.commands.run(submission(), alias="web")
    return made


def test_a_plan_of_a_file_is_shown_in_a_form_and_kept_nowhere(tenuto: Shell) -> None:
    file = tenuto.folder / "web.yaml"
    file.write_text("Resources:\n  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}\n")
    told = tenuto("plan", "web", str(file), "--region", "eu-west-1", "-o", "markdown")
    assert told.code == 0, told
    assert told.out.startswith("<!-- tenuto:web -->")
    assert tenuto("history", "web", "--json").document["jobs"] == []
    file.write_text("Resources:\n  Net: {Type: Simulated::Network, Properties: {CidrBlock: !Ref No}}\n")
    broken = tenuto("plan", "web", str(file), "--region", "eu-west-1", "-o", "github")
    assert (broken.code, broken.out.startswith("::error file=")) == (3, True), broken


def test_compile_tells_ci_what_is_wrong(tenuto: Shell) -> None:
    file = tenuto.folder / "web.yaml"
    file.write_text("Resources:\n  Net: {Type: AWS::EC2::VPC, Properties: {CidrBlock: !Ref No}}\n")
    broken = tenuto("compile", str(file), "-o", "gitlab")
    assert broken.code == 3
    assert json.loads(broken.out)[0]["location"]["path"] == str(file)
    file.write_text("Resources:\n  Net: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16}}\n")
    assert json.loads(tenuto("compile", str(file), "-o", "gitlab").out) == []


@contextmanager
def a_forge(comments: list[dict[str, Any]]) -> Iterator[str]:
    """The comments of a pull request, as GitHub's API has them."""

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"null")
            if self.command == "POST":
                comments.append({"id": len(comments) + 1, "body": body["body"]})
            if self.command == "PATCH":
                comments[int(self.path.rpartition("/")[2]) - 1]["body"] = body["body"]
            content = json.dumps(comments).encode()
            self.send_response(200 if self.headers["Authorization"] == "Bearer t" else 401)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = _serve  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_pull_request_has_one_comment_however_often_it_is_planned(tmp_path: Path) -> None:
    comments: list[dict[str, Any]] = [{"id": 1, "body": "of a person"}]
    file = tmp_path / "plan.md"
    with a_forge(comments) as url:
        for name in ("one", "two"):
            file.write_text(plan_markdown(plan(operation(name))))
            subprocess.run(
                [sys.executable, str(CI / "github/comment.py"), "7", str(file)], check=True, timeout=60,
                env={**os.environ, "GITHUB_API_URL": url, "GITHUB_REPOSITORY": "o/r", "GITHUB_TOKEN": "t"},
            )  # fmt: skip
    assert [one["body"].splitlines()[0] for one in comments] == ["of a person", "<!-- tenuto:shop -->"]
    assert "replace two" in comments[1]["body"]


def test_the_action_and_the_component_use_commands_that_there_are() -> None:
    action: Any = YAML(typ="safe").load((CI / "github/action.yml").read_text())
    scripts = [step["run"] for step in action["runs"]["steps"]]
    inputs, job = YAML(typ="safe").load_all((CI / "gitlab/template.yml").read_text())
    text = "\n".join([*scripts, *job["tenuto"]["script"]])
    for words in (
        'tenuto compile "$FILE" -o github',
        'tenuto compile "$FILE" -o gitlab',
        "-o markdown >",
        "-o gitlab >",
    ):
        assert words in text
    assert "${{ inputs" not in "\n".join(scripts), "a value that is put into a script could be a command"
    assert set(inputs["spec"]["inputs"]) == {"process", "file", "url", "options", "stage"}
    assert job["tenuto"]["artifacts"]["access"] == "developer"
