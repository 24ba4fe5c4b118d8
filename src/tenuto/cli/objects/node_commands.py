"""`tenuto node list`, `show`, `cordon`, `uncordon`, `stop`, `purge` and `delete`: hosts as nodes."""

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session, yes_option
from tenuto.cli.processes.asking import ask_about
from tenuto.cli.render.nodes import render_deleted, render_host, render_hosts
from tenuto.cli.terminal.output_forms import listed, shown
from tenuto.cli.terminal.session import Session
from tenuto.model.ids import JsonMap

_NAME = click.argument("name", metavar="NAME")
_ZONE = click.option("--zone", metavar="ZONE", help="The zone of the host, where several have one of this name.")


@make_command("list", "tenuto node list", "tenuto node list --zone rack-2", names=listed("hosts", "name"))
@click.option("--zone", metavar="ZONE", help="Only the hosts of this zone.")
@pass_session
def list_(session: Session, zone: str | None) -> None:
    """Show the hosts, their states, their capacity and when they last checked in."""
    session.emit(find_conductor(session.settings).get("hosts", **_zone(zone)), render_hosts)


@make_command("show", "tenuto node show h1", names=shown("name"))
@_NAME
@_ZONE
@pass_session
def show(session: Session, name: str, zone: str | None) -> None:
    """Show a host with the machines on it, the things that are not expected there, and its last events."""
    session.emit(find_conductor(session.settings).get("hosts", name, **_zone(zone)), render_host)


@make_command("cordon", "tenuto node cordon h1")
@_NAME
@_ZONE
@pass_session
def cordon(session: Session, name: str, zone: str | None) -> None:
    """Let a host get nothing new. The things there stay, and are kept as before."""
    _cordon(session, name, zone, is_cordoned=True)


@make_command("uncordon", "tenuto node uncordon h1")
@_NAME
@_ZONE
@pass_session
def uncordon(session: Session, name: str, zone: str | None) -> None:
    """Let a host get new things again."""
    _cordon(session, name, zone, is_cordoned=False)


@make_command("stop", "tenuto node stop h1")
@_NAME
@_ZONE
@yes_option
@pass_session
def stop(session: Session, name: str, zone: str | None) -> None:
    """Have the agent of a host end, once its work is done.

    All that runs on the host goes on, and nothing is concluded about it. The host is back when its agent is started
    again. SIGTERM to the agent does the same.
    """
    client = find_conductor(session.settings)
    ask_about(session, client, f"Stop the agent of the host {name}?", "hosts", name, **_zone(zone))
    session.emit(client.post("hosts", name, "stop", body=_zone(zone)), render_host)


@make_command("purge", "tenuto node purge h1")
@_NAME
@_ZONE
@yes_option
@pass_session
def purge(session: Session, name: str, zone: str | None) -> None:
    """Have a host remove the things on it that no object of this Conductor stands for.

    'tenuto node show' lists them. They are left alone otherwise: a database that was restored from a backup does not
    know its newest machines, and they would be gone with their disks. Make sure first that this is not so.
    """
    client = find_conductor(session.settings)
    found = client.get("hosts", name, **_zone(zone))
    if not found["strays"]:
        session.emit({**found, "purged": []}, lambda _: f"Nothing is on the host {name} that is not known.")
        return
    named = ", ".join(found["strays"])
    ask_about(session, client, f"Remove {named} from the host {name}, with all data?", "hosts", name, **_zone(zone))
    session.emit(
        client.post("hosts", name, "purge", body=_zone(zone)),
        lambda done: f"The host {name} removes: {', '.join(done['purged']) or 'nothing any more'}.",
    )


@make_command("delete", "tenuto node delete h2", "tenuto node delete h2 --force")
@_NAME
@_ZONE
@click.option("--force", is_flag=True, help="Also with machines on it: they are gone then, and are made elsewhere.")
@yes_option
@pass_session
def delete(session: Session, name: str, zone: str | None, force: bool) -> None:
    """Take a host out of its zone for good.

    It is refused while machines are there. With --force they are gone, and their processes make others on other hosts,
    under the rule that holds plans which replace much. A host that answers removes them first; one that does not must
    count as lost before, so that no machine ever runs twice. Its name can be enrolled again, as another host.
    """
    client = find_conductor(session.settings)
    question = f"Delete the host {name}{', with all machines on it' if force else ''}?"
    ask_about(session, client, question, "hosts", name, **_zone(zone))
    query = {**_zone(zone), **({"force": "true"} if force else {})}
    session.emit(client.delete("hosts", name, **query), render_deleted)


def _cordon(session: Session, name: str, zone: str | None, *, is_cordoned: bool) -> None:
    body: JsonMap = {**_zone(zone), "cordoned": is_cordoned}
    session.emit(find_conductor(session.settings).post("hosts", name, "cordon", body=body), render_host)


def _zone(zone: str | None) -> dict[str, str]:
    return {"zone": zone} if zone else {}
