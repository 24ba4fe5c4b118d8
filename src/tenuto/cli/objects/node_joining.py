"""`tenuto node probe`, `tenuto node enroll` and `tenuto node agent`: how a host joins."""

from pathlib import Path

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session
from tenuto.cli.render.nodes import render_probe
from tenuto.cli.terminal.session import Session
from tenuto.model.agent_driver import DRIVERS, PRIVILEGED, USER
from tenuto.model.ids import JsonMap


@make_command("enroll", "tenuto node enroll h1", "tenuto node enroll h2 --zone rack-2")
@click.argument("name", metavar="NAME")
@click.option("--zone", metavar="ZONE", help="The zone that the host belongs to (default: the region of the settings).")
@click.option(
    "--reach",
    metavar="URL",
    help="How the host reaches the Conductor, where that differs from --listen-nodes, such as https://10.0.0.1:8687.",
)
@pass_session
def enroll(session: Session, name: str, zone: str | None, reach: str | None) -> None:
    """Make a token by which a host may join as NAME, and print it.

    The token is good for one hour and for one agent: 'tenuto node agent --join FILE' on the host. It is told once. For
    a host that has joined before, it lets a new agent take its place once the old one is silent.
    """
    body: JsonMap = {"name": name, "zone": zone or session.settings.region}
    if reach:
        body = {**body, "url": reach}
    session.emit(find_conductor(session.settings).post("hosts", body=body), lambda found: str(found["token"]))


@make_command(
    "agent",
    "tenuto node agent --join token --state /var/lib/tenuto-node --driver memory",
    "tenuto node agent --join - --state /var/lib/tenuto-node --driver memory",
    "tenuto node agent --state /var/lib/tenuto-node --driver memory",
)
@click.option(
    "--join",
    metavar="FILE",
    help="The file with the token by which it joins, - for standard input; needed the first time only.",
)
@click.option(
    "--state",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The directory of the agent: its secret, its journal, and what its driver keeps.",
)
@click.option("--driver", required=True, type=click.Choice(DRIVERS), help="The means by which the host runs machines.")
@click.option(
    "--user",
    metavar="USER",
    help=f"The user that it becomes once its driver runs (default: {USER} for ns and qemu, which need root before).",
)
@click.option(
    "--address",
    metavar="ADDRESS",
    help="The IPv4 address at which the zone's other hosts reach this one (default: the one towards the Conductor).",
)
@click.option("--cores", type=click.IntRange(1, 65536), help="The processors that it offers (default: all).")
@click.option(
    "--memory",
    type=click.IntRange(1, 2**31),
    metavar="MIB",
    help="The memory that it offers, in MiB (default: all of the machine).",
)
@click.option(
    "--disk",
    type=click.IntRange(1, 2**31),
    metavar="GIB",
    help="The disk that it offers, in GiB (default: the whole file system of its state directory).",
)
@pass_session
def agent(
    session: Session,
    join: str | None,
    state: Path,
    driver: str,
    user: str | None,
    address: str | None,
    cores: int | None,
    memory: int | None,
    disk: int | None,
) -> None:
    """Run the agent of a host in the foreground.

    It calls the Conductor, carries out its orders, and reports the things on the host. It opens one port at its
    address, for copies of images to other hosts. SIGTERM or Ctrl-C ends it cleanly; all that runs on the host goes on,
    and the Conductor concludes nothing about it until the agent is back.
    """
    from tenuto.bootstrap.tools.node_agent import AgentOptions, run_agent

    options = AgentOptions(
        state=state,
        driver=driver,
        join=join,
        user=user or (USER if driver in PRIVILEGED else ""),
        address=address or "",
        cores=cores,
        memory_mib=memory,
        disk_gib=disk,
        debug=session.settings.debug,
    )
    run_agent(options, announce=session.say)


@make_command("probe", "tenuto node probe", "tenuto node probe --json")
@pass_session
def probe(session: Session) -> None:
    """Try this machine as a host: its drivers, and the speed of KVM.

    Each thing is tried, as root where a driver needs that: the driver ns makes a namespace and deletes it again, and
    KVM runs a loop in a child process, which is ended after five seconds. No Conductor is asked.
    """
    from tenuto.bootstrap.tools.host_probe import probed

    session.emit(probed(), render_probe)
