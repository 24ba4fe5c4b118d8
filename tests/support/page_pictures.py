"""Pictures of every page of the dashboard, in two widths and two themes, to be looked at by a person.

Run `python tests/support/page_pictures.py FOLDER [PART OF A NAME …]`. A real Conductor on the simulated provider has
processes that stand, drift, are held and have failed, and the local cloud a host that is silent; the pages of an empty
Conductor are taken before.
"""

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from chromium import CHROMIUM, OPTIONS
from dashboard_picture import BROKEN, SHOP
from live import Live
from playwright.sync_api import Browser, sync_playwright

WIDTHS = (360, 1280)
THEMES = ("light", "dark")
_LONG = json.dumps({"Statement": [{"Sid": "Read", "Effect": "Allow", "Action": "s3:GetObject", "Resource": "b" * 80}]})
_NEXT = SHOP.replace("Port: 443}]", "Port: 443}, {Protocol: tcp, Port: 8443, Cidr: 10.0.0.0/8}]").replace(
    "debian-12", "debian-13"
)
_DEEP = f"""\
Resources:
  Net: {{Type: Simulated::Network, Properties: {{CidrBlock: 10.0.0.0/16, Label: '{_LONG}'}}}}
  Web:
    Type: Simulated::Group
    Properties:
      NetworkId: !Ref Net
      Ingress:
      - {{Protocol: tcp, Port: 443, Cidr: 10.0.0.0/8, Note: from the house}}
      - {{Protocol: tcp, Port: 80, Cidr: 192.168.0.0/16, Note: from the partner}}
  Logs: {{Type: Simulated::Bucket, Properties: {{Name: deep-logs}}}}
Outputs:
  NetId: {{Value: !Ref Net, Description: The network of the shop}}
  Address: {{Value: !GetAtt Web.GroupId}}
"""
_DEEPER = (
    _DEEP.replace("s3:GetObject", "s3:PutObject").replace("Port: 80", "Port: 8080").replace("deep-logs", "deeper-logs")
)
_POLICY = """\
TenutoPolicy: 1
Users: [ann, bob]
Grants:
  - {To: ann, Commands: all, Accounts: ["*"]}
  - {To: bob, Commands: [status, plan, history], Accounts: ["*"], Aliases: [shop]}
Approvals:
  - {Accounts: [production], Commands: [kill], When: always, By: [ann], Count: 1}
"""
_RULE = """\
name: no-ssh
applies_to: Simulated::Group
expression: '!has(properties.Ingress) || properties.Ingress.all(rule, rule.Port != 22)'
message: No group is open for SSH.
"""
_LAN = """\
Resources:
  Lan: {Type: Tenuto::Compute::Network, Properties: {CidrBlock: 10.1.0.0/24}}
  Nic: {Type: Tenuto::Compute::NetworkInterface, Properties: {Network: !Ref Lan}}
  Box: {Type: Tenuto::Compute::Instance, Properties: {Vcpus: 1, MemoryMiB: 512, Interfaces: [!Ref Nic]}}
"""
EMPTY = ("/", "/processes", "/proposals", "/events", "/rates", "/rules", "/notifications", "/find", "/find?q=vpc-1")
PAGES = (
    "/", "/processes", "/processes?q=nothing", "/processes/shop", "/processes/shop?status=failed",
    "/processes/vpn-eu", "/processes/search", "/processes/shop/graph", "/processes/shop/graph?focus=Web&hops=1",
    "/processes/deep", "/processes/deep/plan", "/processes/deep/resources/Net", "/processes/shop/plan",
    "/processes/search/plan", "/processes/vpn-eu/plan", "/processes/deep/kill", "/processes/deep/history",
    "/processes/search/history", "/processes/deep/outputs", "/processes/shop/outputs", "/processes/gone",
    "/processes/search/resources/Web", "/processes/vpn-eu/resources/Sub", "/processes/nothing", "/proposals",
    "/proposals/1", "/proposals/2", "/events", "/events?process=shop", "/phases", "/phases/resource.create", "/rates",
    "/nodes", "/hosts/h1", "/hosts/h2", "/accounts", "/rules", "/access", "/notifications", "/types", "/types?q=net",
    "/types/Simulated::Server", "/find?q=search", "/find?q=nothing-like-it", "/me", "/nothing",
)  # fmt: skip


def take(folder: Path, into: Path, wanted: Sequence[str]) -> None:
    live = Live(
        folder,
        "http://127.0.0.1:9",
        TENUTO_PROVIDERS="simulated,local",
        TENUTO_REGION="sim-1",
        TENUTO_PERIOD="3",
        TENUTO_NODE_DEADLINE="2",
    )
    try:
        live.start()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(OPTIONS))
            _pages(live, browser, EMPTY, into / "empty", wanted)
            _furnish(live)
            _pages(live, browser, PAGES, into, wanted)
            browser.close()
    finally:
        live.stop()


def _furnish(live: Live) -> None:
    """Processes in every state that a page tells of."""

    def file(name: str, text: str) -> str:
        path = live.folder / name
        path.write_text(text)
        return str(path)

    shop, broken, deep = file("shop.yaml", SHOP), file("broken.yaml", BROKEN), file("deep.yaml", _DEEP)
    for name in ("shop", "orders", "search", "billing", "gone"):
        live.tenuto("run", shop, "-a", name, check=True)
    for name in ("vpn-eu", "vpn-us"):
        live.tenuto("run", broken, "-a", name, check=True)
    live.tenuto("run", deep, "-a", "deep", check=True)
    for name in ("billing", "deep", "gone", "search"):
        live.until(lambda name=name: live.status(name)["converged"], f"{name} is built")
    live.tenuto("run", file("lan.yaml", _LAN), "-a", "lan", "--wait=60", check=True)
    live.tenuto("local", "unplug", "h1", check=True)
    live.tenuto("kill", "gone", check=True)
    live.tenuto("suspend", "deep", check=True)
    live.until(lambda: live.tenuto("update", "deep", file("deeper.yaml", _DEEPER)).code == 0, "it is updated")
    live.tenuto("property", "search", "enforcement", "--set", "off", check=True)
    opened = json.dumps([{"Protocol": "tcp", "Port": 443}, {"Protocol": "tcp", "Port": 22}])
    live.tenuto("simulated", "set", live.id("search", "Web") or "", "Ingress", opened, check=True)
    live.tenuto("update", "shop", file("next.yaml", _NEXT), "--propose", "-m", "open 8443 for the partner", check=True)
    live.tenuto("kill", "billing", "--propose", "-m", "not needed any more", check=True)
    live.tenuto("reject", "2", "-m", "it is", check=True)
    live.tenuto("policy", "set", file("policy.yaml", _POLICY), check=True)
    live.tenuto("user", "generate-secret", "ann", check=True)
    live.tenuto("validation", "add", file("rule.yaml", _RULE))
    live.tenuto("notification", "add", "chat", "--webhook", "http://127.0.0.1:9/hook", "--type", "job.finished")
    live.until(lambda: live.tenuto("--json", "status", "--summary").document["drift"]["found"] > 0, "drift is found")


def _pages(live: Live, browser: Browser, pages: Sequence[str], into: Path, wanted: Sequence[str]) -> None:
    into.mkdir(parents=True, exist_ok=True)
    for theme in THEMES:
        context = browser.new_context(base_url=f"http://{live.listen}", color_scheme=theme)  # type: ignore[arg-type]
        page = context.new_page()
        page.goto("/login")
        page.screenshot(path=str(into / f"login-{theme}.png"))
        page.goto("about:blank")
        page.goto(live.tenuto("web", check=True).out.strip())
        page.wait_for_selector("header.top")
        for path in pages:
            name = path.strip("/").replace("/", "-").replace("?", "-") or "overview"
            if wanted and not any(part in name for part in wanted):
                continue
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 800})
                page.goto(path)
                page.screenshot(path=str(into / f"{name}-{theme}-{width}.png"), full_page=True)
        context.close()


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as made:
        take(Path(made), Path(sys.argv[1]), sys.argv[2:])
