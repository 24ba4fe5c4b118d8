"""The importers of an export, told by name to those who may see them, and by number to others."""

from browser import Browser
from desk import Desk

from tenuto.providers.simulated.faults import FaultKind

NET = "  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: main}}"
BASE = f"""Resources:
{NET}
Outputs:
  Id: {{Value: !Ref Net, Export: {{Name: the-net}}}}
"""
MOVED = BASE.replace("10.0.0.0/16", "10.1.0.0/16")
BARE = f"Resources:\n{NET}\n"
APP = """Resources:
  Web: {Type: Simulated::Group, Properties: {NetworkId: !ImportValue the-net, Ingress: [{Protocol: tcp, Port: 443}]}}
"""
POLICY = """TenutoPolicy: 1
Users: [ann, bob]
Grants:
  - {To: ann, Commands: all, Accounts: ["*"], Aliases: [base, blue]}
  - {To: bob, Commands: all, Accounts: ["*"], Aliases: [base]}
"""
NAMED = "imported by blue (Web), crimson (Web)"
SOME = "imported by blue (Web) and 1 other process that you may not see"
NONE = "imported by 2 processes that you may not see"


def importers(desk: Desk) -> dict[str, tuple[Desk, str]]:
    """A network with two importers, and three readers with what each may know."""
    desk.does("run", desk.file("base.yaml", BASE), "-a", "base")
    desk.settle()
    for alias in ("blue", "crimson"):
        desk.does("run", desk.file("app.yaml", APP), "-a", alias)
    desk.settle()
    desk.does("policy", "set", desk.file("p.yaml", POLICY))
    return {"root": (desk, NAMED), "ann": (desk.user("ann"), SOME), "bob": (desk.user("bob"), NONE)}


def test_plans_and_refusals_name_importers_to_those_who_may_see_them(desk: Desk, url: str) -> None:
    moved, bare = desk.file("moved.yaml", MOVED), desk.file("bare.yaml", BARE)
    for name, (reader, told) in importers(desk).items():
        shown = reader("update", "base", moved, "--dry-run")
        assert told in " ".join(shown.out.split()), name
        [warning] = reader.document("update", "base", moved, "--dry-run")["warnings"]
        assert told in warning["message"], "the API"
        for refused in (("kill", "base"), ("kill", "base", "--dry-run"), ("release", "base"), ("update", "base", bare)):
            ended = reader("-y", *refused)
            assert (ended.code, told in " ".join(ended.err.split())) == (5, True), (name, refused, ended)
        browser = Browser(url)
        browser.sign_in(reader.secret)
        page = browser.get("/processes/base/kill").words
        assert told in page, name
        if told is NONE:
            assert "blue" not in page + shown.out
            assert "crimson" not in page + shown.out


def test_a_refused_import_names_the_exporter_to_those_who_may_see_it(desk: Desk, url: str) -> None:
    desk.does("run", desk.file("base.yaml", BASE), "-a", "base")
    desk.settle()
    desk.fault("delete", "Net", FaultKind.DENIED)
    desk.does("kill", "base")
    desk.settle()
    desk.does("policy", "set", desk.file("p.yaml", POLICY.replace("[base, blue]", "[blue]")))
    app = desk.file("app.yaml", APP)
    for reader, who, way in (
        (desk, "process base exports it", "cancel the kill first: 'tenuto resume base'"),
        (desk.user("ann"), "a process that you may not see exports it", "or have its kill cancelled first"),
    ):
        ended = reader("-y", "run", app, "-a", "blue")
        told = " ".join(ended.err.split())
        assert (ended.code, who in told, way in told) == (5, True, True), ended
    browser = Browser(url)
    browser.sign_in(desk.secret)
    assert "Suspended in the middle of its kill" in browser.get("/processes/base").words
