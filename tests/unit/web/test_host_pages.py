"""Hosts on pages: how each is, what needs a person, and for the owner alone."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from browser import Browser, served_site
from desk import Desk
from kept_hosts import KeptHosts, host_of

from tenuto.service.objects.hosts import Hosts

NASTY = "<script>alert(1)</script>"
POLICY = """TenutoPolicy: 1
Users: [ann]
Grants:
  - {To: ann, Commands: all, Accounts: ["*"]}
"""


@pytest.fixture
def url(desk: Desk) -> Iterator[str]:
    """A site with five hosts, of which three need a person."""
    store, clock = desk.world.store, desk.world.clock
    now = clock.now()
    keeper = KeptHosts(
        host_of("away", "missing", now, lost_in_s=60),
        host_of("dead", "error", now, Isolated=["m-on-no-network"]),
        host_of("full", "created", now, f"its disk has no room {NASTY}", Strays=["m-of-nobody"]),
        host_of("kept", "created", now, Cordoned=True),
        host_of("well", "created", now),
    )
    with served_site(replace(desk.services, nodes=Hosts(store=store, clock=clock, keeper=keeper))) as found:
        yield found


def test_the_overview_tells_what_needs_a_person_the_most_urgent_first(desk: Desk, browser: Browser) -> None:
    desk.runs()
    words = browser.get("/").words
    told = words[words.index("Hosts to look at") :]
    assert told.index("lost") < told.index("dead") < told.index("in trouble") < told.index("full") < told.index("away")
    assert f"its disk has no room {NASTY}" in told
    assert "It does not answer, and counts as lost from" in told
    assert "kept" not in told
    assert "well" not in told
    assert "Everything is as declared." not in words


def test_the_list_tells_how_each_host_is(browser: Browser) -> None:
    shown = browser.get("/nodes")
    rows = {name: shown.text.split(f'id="h-rack-1-{name}"')[1].split("</tr>")[0] for name in ("kept", "well", "away")}
    assert "cordoned" in rows["kept"]
    assert "ready" in rows["well"]
    assert "silent" in rows["away"]
    assert "tenuto node list" in shown.words
    assert NASTY not in shown.text


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/hosts/dead", "On no network, since they failed with their host: m-on-no-network."),
        ("/hosts/full?zone=rack-1", "There, and not known to this Conductor: m-of-nobody."),
        ("/hosts/full", "its disk has no room"),
        ("/hosts/away", "counts as lost from"),
        ("/hosts/kept", "cordoned"),
        ("/hosts/well", "tenuto node show well --zone rack-1"),
    ],
)
def test_a_host_is_told_as_at_the_command_line(browser: Browser, path: str, told: str) -> None:
    shown = browser.get(path)
    assert (shown.status, told in shown.words, NASTY in shown.text) == (200, True, False)
    assert browser.get(f"{path}{'&' if '?' in path else '?'}part=rows").status == 200


@pytest.mark.parametrize("path", ["/hosts/nothing", "/hosts/well?zone=rack-2"])
def test_a_host_that_is_not_there_is_said_so(browser: Browser, path: str) -> None:
    shown = browser.get(path)
    assert shown.status == 404
    assert "There is no host" in shown.words


def test_nobody_but_the_owner_sees_a_host(desk: Desk, url: str, tmp_path: Path) -> None:
    """A user who may do everything in every account."""
    policy = tmp_path / "policy.yaml"
    policy.write_text(POLICY)
    desk.does("policy", "set", str(policy))
    desk.runs()
    ann = Browser(url)
    ann.sign_in(desk.user("ann").secret)
    assert ann.get("/hosts/well").status == 403
    for path in ("/", "/nodes"):
        shown = ann.get(path)
        assert shown.status == 200
        assert "rack-1" not in shown.text
        assert "Hosts" not in shown.words


def test_a_conductor_without_hosts_tells_of_none(desk: Desk) -> None:
    with served_site(desk.services) as url:
        browser = Browser(url)
        browser.sign_in()
        assert "Hosts" not in browser.get("/nodes").words
        assert browser.get("/hosts/well").status == 404


def test_a_zone_without_a_host_says_how_one_joins(desk: Desk) -> None:
    none = Hosts(store=desk.world.store, clock=desk.world.clock, keeper=KeptHosts())
    with served_site(replace(desk.services, nodes=none)) as url:
        browser = Browser(url)
        browser.sign_in()
        assert "No host has joined yet" in browser.get("/nodes").words
