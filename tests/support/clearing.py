"""The end of a host that is this machine: all that its agent ordered is removed, as `clearing.py STATE DRIVER`.

Machines run on when their agent ends, and it is the Conductor that deletes them. A test that fails in between would
leave them to this machine for ever: a QEMU, and what an executor had made around it. It is a program, so it can run in
the namespaces of the host.
"""

import sys
from importlib import import_module
from pathlib import Path

from tenuto.providers.local.drivers.ns.driver import NamespaceHost
from tenuto.providers.local.types import INSTANCE, INTERFACE, NETWORK

_KINDS = ("machines", "virtual", "networks")


def left(state: Path) -> list[str]:
    """What the executor of an agent still keeps."""
    folder = state.with_name(f"{state.name}.machines")
    return [f"{kind}/{one.name}" for kind in _KINDS for one in (folder / kind).glob("*")]


def clear(state: Path, driver: str) -> None:
    """Remove everything that the agent with this state directory has ordered, while no agent runs."""
    made = import_module(f"tenuto.providers.local.drivers.{driver}").make_driver(state, host="h1", address="127.0.0.1")
    assert isinstance(made, NamespaceHost)
    for kind in (INSTANCE, INTERFACE, NETWORK):
        problems = made.remove([spec.object_id for spec in made.specs() if spec.type == kind])
        assert not problems, problems


if __name__ == "__main__":
    clear(Path(sys.argv[1]), sys.argv[2])
