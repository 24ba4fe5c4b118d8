"""Buttons that lose data take the name of the process, and the note after a button is true."""

from browser import Browser
from desk import NET, Desk

from tenuto.web.notes import NOTES


def suspended_before_data_is_lost(desk: Desk) -> None:
    desk.runs(NET, *(f"  B{n}: {{Type: Simulated::Bucket, Properties: {{Name: bucket-{n}}}}}" for n in range(2)))
    desk.does("suspend", "web")
    renamed = (f"  B{n}: {{Type: Simulated::Bucket, Properties: {{Name: other-{n}}}}}" for n in range(2))
    desk.does("update", "web", desk.template(NET, *renamed))


def test_a_resume_that_loses_data_takes_the_name(desk: Desk, browser: Browser) -> None:
    suspended_before_data_is_lost(desk)
    assert desk.document("plan", "web")["loses_data"]
    shown = browser.get("/processes/web/plan")
    assert "Type web : it loses data, or deletes much" in shown.words
    fields = {"token": shown.field("token", "/processes/web/resume"), "digest": shown.field("digest")}
    for name in ({}, {"name": "wob"}):
        refused = browser.post("/processes/web/resume", {**fields, **name})
        assert refused.status == 422
        assert "Type web to confirm. Nothing was done." in refused.words
        assert desk.status()["state"] == "Suspended"
    assert browser.post("/processes/web/resume", {**fields, "name": "web"}).status == 303
    assert desk.status()["state"] == "Running"


def test_a_resume_that_loses_nothing_takes_no_name(desk: Desk, browser: Browser) -> None:
    desk.runs()
    desk.does("suspend", "web")
    shown = browser.get("/processes/web/plan")
    assert "Type web" not in shown.words
    fields = {"token": shown.field("token", "/processes/web/resume"), "digest": shown.field("digest")}
    assert browser.post("/processes/web/resume", fields).status == 303


def test_a_suspended_process_has_no_retry_and_one_that_is_sent_says_when_it_is_tried(
    desk: Desk, browser: Browser
) -> None:
    desk.runs(NET, "  Sub: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref Net, CidrBlock: 10.9.1.0/24}}")
    assert desk.status()["state"] == "Suspended"
    for path in ("/processes/web", "/processes/web/resources/Sub"):
        assert "/processes/web/retry" not in browser.get(path).text
    token = browser.get("/processes/web").field("token")
    done = browser.post("/processes/web/retry", {"token": token})
    words = browser.get(done.headers["location"]).words
    assert "tried again when the suspended process is resumed" in words
    assert "tried again now" not in words


def test_a_note_is_shown_where_it_is_true_alone(desk: Desk, browser: Browser) -> None:
    """The word stands in the URL, which can be sent to others, written by hand, and loaded again."""
    desk.runs()
    for word, told in (("killing", "The deletion begins"), ("suspended", "no new work begins")):
        for path in ("/processes/web", "/processes", "/"):
            assert told not in browser.get(f"{path}?done={word}").words
    desk.does("suspend", "web")
    assert "no new work begins" in browser.get("/processes/web?done=suspended").words
    desk.does("resume", "web")
    desk.does("kill", "web")
    assert "The deletion begins" in browser.get("/processes/web?done=killing").words
    desk.settle()
    assert "The deletion begins" not in browser.get("/processes/web?done=killing").words


def test_a_note_that_tells_a_state_is_shown_in_that_state_alone(desk: Desk, browser: Browser) -> None:
    desk.runs()

    def shown() -> set[str]:
        return {word for word in NOTES if NOTES[word].text in browser.get(f"/processes/web?done={word}").words}

    asked = {"checked", "retried", "proposed"}
    assert shown() == asked | {"enforced", "unlocked"}
    desk.does("property", "web", "enforcement", "--set", "off")
    assert shown() == asked | {"unlocked"}, "no time was chosen"
    desk.does("property", "web", "enforcement", "--set", "off", "--until", "1h")
    desk.does("property", "web", "lock", "--set", "on")
    assert shown() == asked | {"locked", "not-enforced"}
    desk.does("property", "web", "lock", "--set", "off")
    desk.does("suspend", "web")
    assert shown() == {"checked", "retried-later", "proposed", "unlocked", "not-enforced", "suspended"}
    desk.does("resume", "web")
    assert shown() == asked | {"unlocked", "not-enforced", "resumed"}


def test_a_note_about_a_proposal_is_that_of_its_state(desk: Desk, browser: Browser) -> None:
    desk.runs()
    desk.does("kill", "web", "--propose", "-m", "not needed")

    def shown() -> set[str]:
        return {word for word in NOTES if NOTES[word].text in browser.get(f"/proposals/1?done={word}").words}

    assert shown() == {"proposed"}
    desk.does("reject", "1")
    assert shown() == {"proposal-withdrawn"}
    for word, note in NOTES.items():
        assert note.text not in browser.get(f"/events?done={word}").words


def test_an_open_page_asks_for_its_note_and_gets_none_once_it_is_untrue(desk: Desk, browser: Browser) -> None:
    desk.runs()
    done = browser.press("/processes/web", "/processes/web/lock", value="on").headers["location"]
    assert f'data-part="note" data-done="locked" data-live="{desk.status()["fid"]}"' in browser.get(done).text
    assert browser.get(f"{done}&part=note").words == "Locked: no command is taken until it is unlocked."
    desk.does("property", "web", "lock", "--set", "off")
    assert browser.get(f"{done}&part=note").words == ""
    assert "Locked" not in browser.get(done).words
