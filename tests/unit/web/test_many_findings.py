"""A word that names more than is shown: the page, the command and the document say how many there are."""

from browser import Browser
from desk import NET, Desk

POLICY = """TenutoPolicy: 1
Users: [ann]
Grants:
  - {To: ann, Commands: [status], Accounts: ["*"], Aliases: [own]}
"""


def groups(first: int, count: int) -> list[str]:
    return [
        f"  G{n}: {{Type: Simulated::Group, Properties: {{NetworkId: !Ref Net}}}}" for n in range(first, first + count)
    ]


def test_more_findings_than_are_shown_are_counted(desk: Desk, browser: Browser) -> None:
    desk.runs(NET, *groups(0, 60))
    told = "50 of 60 are shown: narrow the words."
    document = desk.document("find", "grp-")
    assert (len(document["findings"]), document["matching"], document["message"]) == (50, 60, told)
    assert told in " ".join(desk.does("find", "grp-").out.split())
    assert told in browser.get("/find?q=grp-").words
    few = desk.document("find", "Net")
    assert (few["matching"], few["message"]) == (1, None)
    assert "narrow the words" not in browser.get("/find?q=Net").words


def test_what_others_have_takes_no_place_of_what_the_reader_may_see(desk: Desk) -> None:
    desk.runs(NET, *groups(0, 60))
    desk.runs(NET, *groups(0, 3), alias="own")
    desk.does("policy", "set", desk.file("p.yaml", POLICY))
    document = desk.user("ann").document("find", "grp-")
    assert document["matching"] == 3
    assert {one["process"] for one in document["findings"]} == {"own"}
