"""The command that networks have beside those of every type: `tenuto network addresses`."""

import click

from tenuto.cli.declared import addresses_of, declared_object, render_addresses
from tenuto.cli.object_kinds import OBJECT_KINDS
from tenuto.cli.options import command as make_command
from tenuto.cli.options import name_argument, pass_session
from tenuto.cli.output_forms import listed
from tenuto.cli.session import Session
from tenuto.cli.target import find_conductor
from tenuto.errors import NotFoundError

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
    network = declared_object(client, _KIND, reference)
    if network is None:
        raise NotFoundError(
            f"No process that you may see declares a network {reference!r}. 'tenuto network list' shows them."
        )
    session.emit({"network": network, "addresses": addresses_of(client, network)}, render_addresses)


NETWORK_COMMANDS: tuple[click.Command, ...] = (addresses,)
