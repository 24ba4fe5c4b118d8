"""Tables, times, progress and settings."""

from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some
from rich.console import Console
from rich.live import Live
from rich.text import Text

from tenuto.cli.processes.progress import LiveProgress, PlainProgress, process_line
from tenuto.cli.render.catalogue import render_nodes, render_properties
from tenuto.cli.render.history import render_events, render_history, render_ops
from tenuto.cli.render.process import render_process, render_processes
from tenuto.cli.terminal.columns import columns
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.tables import message_cell, shortened, table, told_whole
from tenuto.cli.terminal.terminal import Drawing
from tenuto.cli.terminal.times import seconds_between, short_time
from tenuto.errors import UserError
from tenuto.kit.address import Address
from tenuto.model.ids import JsonMap
from tenuto.service.views.plan_text import bill_text
from tenuto.settings import Settings

CELLS = some.lists(some.tuples(some.text(), some.text(), some.text()), min_size=1)


def test_a_table_leaves_blank_columns_out_and_cuts_nothing_without_a_limit() -> None:
    long = "x" * 300
    assert table(("A", "B", "C"), [("1", "", long), ("2", "", "")]).splitlines() == [
        "A  C",
        f"-  {'-' * 300}",
        f"1  {long}",
        "2",
    ]
    assert table(("A",), []) == ""


def test_a_message_is_whole_where_a_row_is_a_block_and_cut_with_a_sign_elsewhere() -> None:
    text = "word " * 40 + "'tenuto property shop lock --set off'"
    assert message_cell(text, 60) == text
    assert message_cell(text, 200) == shortened(text) == f"{text[:99]}…"


def test_the_bill_counts_other_apis_only_where_a_name_would_not_do() -> None:
    def bill(apis: int) -> JsonMap:
        found = [{"api": f"ec2:Api{number}", "calls": 2, "least_s": 0} for number in range(apis)]
        return {"calls": 2 * apis, "least_s": 0, "apis": found}

    assert bill_text(bill(5)).endswith("2 ec2:Api3, 2 ec2:Api4")
    assert bill_text(bill(6)).endswith("2 ec2:Api3, 4 to 2 other APIs")


def test_what_a_node_noticed_of_its_clock_stands_below_the_table() -> None:
    node = {"name": "ada:8686", "state": "created", "since": None, "leads": False, "checked_in": None, "version": ""}
    clock = {"at": "2026-01-31T18:00:00.000Z", "message": "The system clock went back by 3600 s."}
    quiet = render_nodes({"nodes": [{**node, "clock": None}]})
    told = render_nodes({"nodes": [{**node, "clock": clock}]})
    assert told.splitlines()[: len(quiet.splitlines())] == quiet.splitlines()
    blank, line = told.splitlines()[len(quiet.splitlines()) :]
    assert blank == ""
    assert line.startswith("ada:8686, ")
    assert line.endswith(": The system clock went back by 3600 s.")


def test_a_history_that_was_asked_for_further_back_than_what_is_kept_says_so() -> None:
    since = "2026-01-31T18:00:00.000Z"
    for render, empty in ((render_history, {"commands": [], "jobs": []}), (render_ops, {"ops": []})):
        told = render({**empty, "complete_since": since})
        assert told.startswith(f"{render({**empty, 'complete_since': None})}\n\nComplete since ")
        assert "may have been removed" in told
    assert "may have been removed" in render_events({"events": [], "complete_since": since})


@given(rows=CELLS, width=some.integers(30, 120))
def test_a_table_fits_its_width_and_has_a_line_for_every_row(rows: list[tuple[str, ...]], width: int) -> None:
    lines = table(("First", "Second", "Third"), rows, width=width, is_redrawn=True).split("\n")
    if any(any(cell.split() for cell in row) for row in rows):
        assert len(lines) == len(rows) + 2
        assert max(map(columns, lines)) <= width


def test_where_little_room_would_cut_a_cell_each_row_is_a_block() -> None:
    """Two APIs that began alike were the same cut text in a terminal of sixty columns."""
    rows = [("ec2:DescribeSecurityGroupRules", "100%"), ("ec2:DescribeSecurityGroups", "100%")]
    assert table(("API", "Pace"), rows, width=60).splitlines()[2] == "ec2:DescribeSecurityGroupRules  100%"
    assert table(("API", "Pace"), rows, width=30).splitlines() == [
        *("API   ec2:DescribeSecurityGroupRules", "Pace  100%", ""),
        *("API   ec2:DescribeSecurityGroups", "Pace  100%"),
    ]


def test_an_end_is_told_of_the_property_that_ends() -> None:
    shown = render_properties(
        {"fid": "f", "alias": "web", "lock": False, "enforcement": False, "enforcement_until": "2026-01-31T18:00:00Z"}
    )
    told = {line.split()[0]: line.split()[1:] for line in shown.splitlines()[2:]}
    assert told["lock"] == ["off"]
    assert told["enforcement"][:2] == ["off", "until"]


def test_times_of_today_are_short() -> None:
    now = datetime(2026, 1, 31, 18, 0, tzinfo=UTC).astimezone()
    moment = datetime(2026, 1, 31, 17, 30, 5, tzinfo=UTC)
    assert short_time(moment.isoformat(), now) == moment.astimezone().strftime("%H:%M:%S")
    assert short_time("2025-01-01T12:00:00Z", now).startswith("2025-01-01 ") or short_time(
        "2025-01-01T12:00:00Z", now
    ).startswith(("2024-12-31", "2025-01-02"))
    assert short_time(None) == ""


def test_how_long_something_took() -> None:
    assert seconds_between("2026-01-01T00:00:00Z", "2026-01-01T00:00:01.500Z") == "1.5 s"
    assert seconds_between("2026-01-01T00:00:00Z", "2026-01-01T00:03:00Z") == "3.0 min"
    assert seconds_between("2026-01-01T00:00:00Z", None) == ""


def shown(message: str | None = None, **statuses: str) -> JsonMap:
    resources = {
        name: {"state": "Allocation", "status": status, "message": message, "leaving": [], "type": "T"}
        for name, status in statuses.items()
    }
    counts = {status: list(statuses.values()).count(status) for status in sorted(set(statuses.values()))}
    return {
        "fid": "f", "alias": "web", "state": "Running", "last_message": None, "counts": counts, "resources": resources
    }  # fmt: skip


def test_plain_progress_tells_counts_when_they_change_and_every_message_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    progress = PlainProgress(Session(Settings.from_environment({})))
    for document in (
        shown(A="ready", B="planned"),
        shown(A="ready", B="planned"),
        shown(A="ready", B="running"),
        shown("no quota", A="sleeping", B="sleeping"),
        shown("no quota", A="ready", B="sleeping"),
        shown("no quota", A="ready", B="failed"),
    ):
        progress.show(document)
    assert capsys.readouterr().err.splitlines() == [
        "web Running: 1 planned, 1 ready",
        "web Running: 1 ready, 1 running",
        "web Running: 2 sleeping",
        "  A: sleeping: no quota",
        "web Running: 1 ready, 1 sleeping",
        "web Running: 1 failed, 1 ready",
    ]


def test_a_long_message_is_cut_in_a_table_and_told_whole_in_the_detail() -> None:
    long = "no quota " * 100
    document = shown() | {
        "account": "default", "region": "us-east-1", "created": None, "updated": None,
        "lock": True, "enforcement": False,
        "next_command": None, "goes_on_with": None, "converged": False, "outputs": {},
        "composition": {"name": "web", "digest": "d"},
        "last_message": long, "last_job": None,
    }  # fmt: skip
    listed = render_processes({"processes": [document]})
    assert max(map(len, listed.splitlines())) < 200
    assert "locked, not enforced" in listed
    assert listed.rstrip().endswith("…")
    assert long.strip() in render_process(document)


def test_flags_are_not_shown_when_everything_is_as_it_is_by_default() -> None:
    document = shown() | {
        "account": "default", "region": "us-east-1", "created": None, "updated": None,
        "lock": False, "enforcement": True,
        "next_command": None, "converged": True, "last_job": None,
    }  # fmt: skip
    assert "Flags" not in render_processes({"processes": [document]})


@pytest.mark.parametrize("width", [44, 60, 80, 100, 200])
def test_a_live_table_fits_the_screen_and_shows_every_status_whole(width: int) -> None:
    screen = Console(width=width, height=20, file=StringIO(), force_terminal=True, no_color=True)
    many = {f"AVeryLongNameOfAResource{number}": "planned" for number in range(40)}
    document = shown("a message of some length " * 5, Last="failed", **many)
    with Live(console=screen, auto_refresh=False) as live:
        LiveProgress(Drawing(live, screen)).show(document)
        screen.print(live.renderable)
    assert isinstance(screen.file, StringIO)
    lines = [Text.from_ansi(line).plain.rstrip() for line in screen.file.getvalue().splitlines()]
    assert max(map(len, lines)) <= width
    first = next(number for number, line in enumerate(lines) if "Status" in line) + 2
    assert lines[first].startswith("Last")
    assert "failed" in lines[first]
    assert all("Allocation" in line and "planned" in line for line in lines[first + 1 : first + 12])
    assert lines[first + 12] == "… and 29 more"


def test_a_process_in_one_line_ends_with_its_message() -> None:
    assert process_line({**shown(), "last_message": "no quota"}) == "web Running: no resources — no quota"


def test_settings_have_defaults_and_are_read_by_name() -> None:
    plain = Settings.from_environment({})
    assert (plain.listen.url, plain.period_s, plain.region) == ("http://127.0.0.1:8686", 30.0, "us-east-1")
    assert plain.credentials.name == "credentials"
    assert Path(plain.database).name == "tenuto.db"
    given_all = Settings.from_environment(
        {
            "TENUTO_DATABASE": "memory:",
            "TENUTO_LISTEN": "[::1]:9000",
            "TENUTO_PERIOD": "2.5",
            "TENUTO_API_SHARE": "0.25",
            "TENUTO_PLUGINS": "/a:/b",
            "AWS_DEFAULT_REGION": "eu-west-1",
            "NO_COLOR": "1",
            "TENUTO_DEBUG": "0",
        }
    )
    assert given_all.database == "memory:"
    assert given_all.listen == Address(host="::1", port=9000)
    assert given_all.listen.url == "http://[::1]:9000"
    assert given_all.period_s == 2.5
    assert (given_all.api_share, plain.api_share) == (0.25, None)
    assert given_all.plugins == (Path("/a"), Path("/b"))
    assert (given_all.region, given_all.no_color, given_all.debug) == ("eu-west-1", True, False)


@pytest.mark.parametrize(
    ("name", "value"),
    [("TENUTO_LISTEN", "8686"), ("TENUTO_LISTEN", "host:port"), ("TENUTO_LISTEN", "h:99999"), ("TENUTO_PERIOD", "0"),
     ("TENUTO_IGNORED_TAGS", "k" * 129),
     ("TENUTO_API_SHARE", "0"), ("TENUTO_API_SHARE", "1.1"), ("TENUTO_API_SHARE", "half"),
     ("TENUTO_CONNECTIONS", "3"), ("TENUTO_CONNECTIONS", "20000"), ("TENUTO_CONNECTIONS", "8.5"),
     ("TENUTO_PERIOD", "nan"), ("TENUTO_PERIOD", "inf"), ("TENUTO_PERIOD", "soon")],
)  # fmt: skip
def test_a_setting_that_cannot_be_used_is_named_with_what_was_expected(name: str, value: str) -> None:
    with pytest.raises(UserError, match=name):
        Settings.from_environment({name: value})


def test_what_a_table_shortens_of_a_halted_process_is_told_whole_below_it() -> None:
    message = f"Logs (AWS::S3::Bucket): {'very ' * 30}full (BucketNotEmpty, request r-1)."
    whole = told_whole([("web", message), ("db", "short")])
    assert whole == f"web: {message}"
    assert max(map(len, told_whole([("web", message)], width=40).splitlines())) <= 40


def test_a_type_is_cut_at_its_front_since_its_end_tells_it_from_others() -> None:
    words = "a message of many words" * 2
    rows = [(name, f"Tenuto::Compute::{name}", words) for name in ("Network", "NetworkInterface")]
    shown = table(("Resource", "Type", "Message"), rows, width=60, is_redrawn=True).splitlines()
    assert "::Compute::Network  " in shown[2]
    assert "…:NetworkInterface  " in shown[3] or "e::NetworkInterface  " in shown[3]
    assert shown[3].endswith("w…"), "a message is cut at its end"


@pytest.mark.parametrize("width", [70, 80])
def test_a_table_is_blocks_where_its_lines_would_break_or_lose_most_of_their_cells(width: int) -> None:
    headings = ("Resource", "Type", "Id", "State", "Drift", "Message")
    row = ("Web", "Tenuto::Compute::Instance", "c9610e06-2819-483a-b94f-f30c7c3b188d", "created", "PowerState", "gone")
    shown = table(headings, [row], width=width, whole=("Id", "State"))
    assert max(map(len, shown.splitlines())) <= width
    assert all(cell in shown for cell in row), shown
