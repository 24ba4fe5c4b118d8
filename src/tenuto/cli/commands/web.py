"""`tenuto web [PROCESS]`."""

import webbrowser
from urllib.parse import quote, urlencode

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import optional_process_argument, pass_session
from tenuto.cli.terminal.session import Session


@make_command("web", "tenuto web", "tenuto web vpc", "tenuto web --no-browser")
@optional_process_argument
@click.option("--no-browser", is_flag=True, help="Print the URL and open nothing.")
@pass_session
def command(session: Session, process: str | None, no_browser: bool) -> None:
    """Open the dashboard, signed in.

    The URL holds a code that is good once and for a minute, behind the # where no log and no proxy sees it. It is made
    for the user whose secret the command line has.
    """
    client = find_conductor(session.settings)
    if process:
        client.get("processes", process)
    code = client.post("web", "code")["code"]
    query = urlencode({"next": f"/processes/{quote(process, safe='')}"}) if process else ""
    url = f"{client.url}/login{'?' if query else ''}{query}#code={code}"
    if not no_browser and session.is_terminal and webbrowser.open(url):
        session.emit({"url": f"{client.url}/", "opened": True}, lambda found: f"Opened {found['url']} in the browser.")
        return
    session.emit({"url": url, "opened": False}, lambda found: str(found["url"]))
    if not session.is_json:
        session.say("Open this URL in a browser within a minute: it signs in once.")
