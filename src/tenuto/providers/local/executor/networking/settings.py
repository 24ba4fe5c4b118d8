"""The settings of the kernel in the namespace of a network, by which its router answers machines and sends packets on.

Theory of operation. A namespace begins with settings of its host, such as those of a balancer of load, and a person may
change each of them. A router with one of these otherwise is silent, although its links, addresses and routes are as
ordered. So those by which it would be are compared with each sweep, and set by each order. A kernel without the module
of a setting has no file of it.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from tenuto.providers.local.executor.kernel.programs import ProgramError
from tenuto.providers.local.executor.kernel.within import NETWORK, within
from tenuto.providers.local.rules.networks.spec import NetworkSpec

_Value = TypeVar("_Value")
_ROOT = Path("/proc/sys/net")
_ANSWERS = {"ipv4/icmp_echo_ignore_all": "0", "ipv4/ip_default_ttl": "64"}
_OF_LINKS = {"arp_filter": "0", "arp_ignore": "0", "proxy_arp": "0", "proxy_arp_pvlan": "0"}
_SENDS_ON = {
    "ipv4/ip_forward": "1",
    # A kernel with br_netfilter translates a frame on the bridge and sends it on there, but never back through the port
    # that it came from: a machine would not reach itself by its own floating address.
    "bridge/bridge-nf-call-iptables": "0",
}


def settings_of(network: NetworkSpec) -> Mapping[str, str]:
    """The settings that a network needs here, by their files; none where the host has no address on it."""
    links = sorted({link for link, _ in network.addresses})
    if not links:
        return {}
    sends_on = bool(network.routes)
    # The first one: to change it sets those of all links.
    found = {**_SENDS_ON} if sends_on else {}
    found |= _ANSWERS
    for link in ("all", *links):
        found |= {f"ipv4/conf/{link}/{name}": value for name, value in _OF_LINKS.items()}
    if sends_on:
        found |= {f"ipv4/conf/{link}/forwarding": "1" for link in links}
    return found


def other_settings(network: NetworkSpec) -> list[str]:
    """The settings that are others than they are to be, in words. Raises ProgramError."""
    return [
        f"namespace {network.netns} has net.{name.replace('/', '.')} = {value} instead of {wanted}"
        for name, (value, wanted) in _in(network, _others).items()
    ]


def set_settings(network: NetworkSpec) -> None:
    """Set them as they are to be. Raises ProgramError."""
    _in(network, _set)


def _in(network: NetworkSpec, act: Callable[[Mapping[str, str]], _Value]) -> _Value:
    wanted = settings_of(network)
    try:
        return within(f"/run/netns/{network.netns}", NETWORK, lambda: act(wanted))
    except OSError as failed:
        told = f"the settings of the kernel in {network.netns} cannot be had: {failed.strerror}"
        raise ProgramError(told) from failed


def _others(wanted: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for name, value in wanted.items():
        with suppress(FileNotFoundError):
            if (shown := (_ROOT / name).read_text().strip()) != value:
                found[name] = shown, value
    return found


def _set(wanted: Mapping[str, str]) -> None:
    for name, value in wanted.items():
        with suppress(FileNotFoundError):
            if (_ROOT / name).read_text().strip() != value:
                (_ROOT / name).write_text(value)
