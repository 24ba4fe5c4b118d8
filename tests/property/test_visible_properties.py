"""Whatever a text holds, and wherever it is shown: no control character of it reaches a terminal raw."""

import io
import re
import tempfile
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from front import Front, submission
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tenuto.cli.entry import run
from tenuto.cli.render.history import render_events, render_history
from tenuto.cli.render.plan import render_explanation, render_plan
from tenuto.cli.render.process import render_process, render_processes
from tenuto.cli.terminal.session import Session
from tenuto.kit.visible import has_hidden, visible
from tenuto.model.ids import JsonMap
from tenuto.service.commands import plan_view
from tenuto.service.common.event_page import EventPage
from tenuto.service.views import catalogue_view, history_view, process_view
from tenuto.settings import Settings

PAINT = re.compile(r"\x1b\[[0-3][0-9]?(;1)?m")
HIDDEN = (
    "\x00\x07\x08\x0b\x0c\r\x1b\x1c\x7f\x85\x90\x9b\x9d\xad\u061c\u200b\u200d\u200f\u2028\u202e\u2066\ufeff\U000e0041"
)
TEXTS = st.lists(
    st.one_of(
        st.sampled_from([*HIDDEN, "\x1b]0;x\x07", "\x1b[31m", "\x1b[2J", "\x9b1m", "\n", "\t", "\\", '"']),
        st.text(max_size=5),
    ),
    min_size=1,
    max_size=6,
).map("".join)
FREE = {
    "alias", "last_message", "message", "reason", "subject", "actor", "detail", "id", "logical_id", "before", "after",
    "path", "value", "title", "type", "account", "region", "name", "hint", "held", "source",
}  # fmt: skip
"""Members whose text comes from outside, somewhere or other."""

bounded = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


class Screen(io.StringIO):
    """A terminal that keeps what it is sent."""

    def isatty(self) -> bool:
        return True


def shown(act: Callable[[], object]) -> str:
    """What a terminal is sent, without our own colours."""
    out, err = Screen(), Screen()
    with redirect_stdout(out), redirect_stderr(err):
        act()
    return PAINT.sub("", out.getvalue() + err.getvalue())


def poisoned(value: Any, text: str, name: str = "") -> Any:
    """The document with the text in each member that may hold any, and in the names of resources and outputs."""
    if isinstance(value, Mapping):
        found = {key: poisoned(member, text, key) for key, member in value.items()}
        if name == "resources":
            found |= {f"{key}{text}": member for key, member in found.items()}
        return found | ({f"Out{text}": text} if name == "outputs" else {})
    if isinstance(value, list | tuple):
        return [poisoned(member, text, name) for member in value]
    if name not in FREE:
        return value
    return f"{value}{text}" if isinstance(value, str) else text if value is None else value


def documents() -> dict[str, tuple[JsonMap, Callable[[JsonMap], str]]]:
    front = Front()
    process = front.commands.run(submission(), alias="web")
    view = front.queries.process("web")
    dry = front.commands.dry_runs.update("web", submission(), actor="root")
    found, explanation = front.queries.explain("web", ())
    return {
        "status": ({"processes": [process_view.process_document(process)]}, render_processes),
        "one": (process_view.process_detail_document(view), render_process),
        "plan": (plan_view.plan_document(dry), render_plan),
        "explain": (catalogue_view.explanation_document(found, explanation), render_explanation),
        "history": (history_view.history_document(front.queries.history("web")), render_history),
        "events": (
            history_view.events_document(EventPage(events=front.queries.events(None), older=None), {}),
            render_events,
        ),
    }


@pytest.fixture(scope="module")
def views() -> dict[str, tuple[JsonMap, Callable[[JsonMap], str]]]:
    return documents()


@pytest.mark.parametrize("is_json", [False, True])
@pytest.mark.parametrize("name", ["status", "one", "plan", "explain", "history", "events"])
@bounded
@given(text=TEXTS)
def test_a_view_shows_no_text_raw(
    views: dict[str, tuple[JsonMap, Callable[[JsonMap], str]]], name: str, is_json: bool, text: str
) -> None:
    document, render = views[name]
    session = Session(Settings.from_environment({}))
    session.is_json = is_json
    told = shown(lambda: session.emit(poisoned(document, text), render))
    assert told
    assert not has_hidden(told)


@bounded
@given(text=TEXTS)
def test_a_message_shows_no_text_raw(text: str) -> None:
    session = Session(Settings.from_environment({}))
    assert not has_hidden(shown(lambda: session.say(text)))


@settings(bounded, max_examples=40)
@given(text=TEXTS, name=TEXTS)
def test_compile_errors_and_names_of_files_are_not_shown_raw(text: str, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / (re.sub(r"[/\x00]", "", name)[:40] + ".json")
        quoted = "".join(f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else sign for sign in text)
        for content in (
            f'{{"Resources": {{"A": {{"Type": "{quoted}", "Properties": {{"{quoted}": 1}}}}}}}}',
            f'{{"Resources": {{"{quoted}": {{"Type": "AWS::EC2::VPC", "Properties": {{"{quoted}": "{quoted}"}}}}}}}}',
            text,
        ):
            try:
                path.write_bytes(content.encode("utf-8", "surrogatepass"))
            except (OSError, ValueError):
                return  # no name of a file here
            environ = {"TENUTO_CLI_LOG": "", "TENUTO_CREDENTIALS": str(Path(folder) / "none")}
            for arguments in (["compile", str(path)], ["--json", "compile", str(path)]):
                assert not has_hidden(shown(partial(run, arguments, environ)))


@bounded
@given(text=TEXTS)
def test_usage_errors_show_no_argument_raw(text: str) -> None:
    environ = {"TENUTO_CLI_LOG": "", "TENUTO_CREDENTIALS": "/nowhere/credentials"}
    for arguments in ([text], ["status", text], ["--url", text, "status"], ["events", "--start", text], ["run", text]):
        assert not has_hidden(shown(partial(run, arguments, environ)))


@given(text=TEXTS)
def test_what_is_visible_stays_as_it_is(text: str) -> None:
    once = visible(text)
    assert not has_hidden(once)
    assert visible(once) == once
