"""The commands that networks have beside those of every type: `tenuto network addresses` and `ping`."""

import click

from tenuto.cli.client.client import Client
from tenuto.cli.client.target import find_conductor
from tenuto.cli.objects.declared import addresses_of, declared_object, render_addresses
from tenuto.cli.objects.instance_commands import operation_result
from tenuto.cli.objects.object_kinds import OBJECT_KINDS
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import name_argument, pass_session
from tenuto.cli.terminal.exits import CommandEnd, Exit
from tenuto.cli.terminal.output_forms import listed
from tenuto.cli.terminal.session import Session
from tenuto.errors import NotFoundError
from tenuto.model.ids import JsonMap

_KIND = next(one for one in OBJECT_KINDS if one.name == "network")


@make_command("addresses", "tenuto network addresses shop/Net", names=listed("addresses", "address"))
@name_argument("reference", _KIND.noun, metavar="PROCESS/RESOURCE|ID", is_in_process=True)
@pass_session
def addresses(session: Session, reference: str) -> None:
    """Show who has which address of a network.

    Its router first, then each network interface with its addresses and the instance that it is of. The network is one
    that a composition declares. Interfaces of processes that you may not see are left out.
    """
    client = find_conductor(session.settings)
    network = _declared(client, reference)
    session.emit({"network": network, "addresses": addresses_of(client, network)}, render_addresses)


@make_command("ping", "tenuto network ping shop/Net 10.1.0.5", "tenuto network ping shop/Net 10.1.0.5 --count 1")
@name_argument("reference", _KIND.noun, metavar="PROCESS/RESOURCE|ID", is_in_process=True)
@click.argument("address", metavar="ADDRESS")
@click.option("--count", type=click.IntRange(1, 5), default=3, metavar="COUNT", help="How often (default: 3).")
@click.option(
    "--deadline",
    type=click.IntRange(1, 24 * 3600),
    default=60,
    metavar="SECONDS",
    help="How long to wait for the host of the network (default: 60).",
)
@pass_session
def ping(session: Session, reference: str, address: str, count: int, deadline: int) -> None:
    """Ask an address on a network for echoes, from the network itself.

    The network's gateway host asks, in the network's own namespace, so this shows whether a machine is on its network,
    also when nothing can reach it from outside. Each answer is waited for one second. Ends with 1 when none comes.
    """
    client = find_conductor(session.settings)
    network = _declared(client, reference)
    result = operation_result(session, client, network, reference, {"Ping": address, "Count": count}, deadline)
    if not result["Received"]:
        raise CommandEnd(Exit.FAILED, _echoes(reference, result), result)
    session.emit(result, lambda found: _echoes(reference, found))


def _echoes(reference: str, found: JsonMap) -> str:
    times = [one for one in found["Milliseconds"] if one is not None]
    if not times:
        return (
            f"{found['Address']} on {reference} does not answer: {found['Sent']} sent, none answered. 'tenuto network "
            f"addresses {reference}' shows who has it; a guest may also refuse to answer."
        )
    told = ", ".join("none" if one is None else f"{one:.1f} ms" for one in found["Milliseconds"])
    return f"{found['Address']} on {reference} answers {len(times)} of {found['Sent']}: {told}"


def _declared(client: Client, reference: str) -> JsonMap:
    network = declared_object(client, _KIND, reference)
    if network is None:
        raise NotFoundError(
            f"No process that you may see declares a network {reference!r}. 'tenuto network list' shows them."
        )
    return network


NETWORK_COMMANDS: tuple[click.Command, ...] = (addresses, ping)
