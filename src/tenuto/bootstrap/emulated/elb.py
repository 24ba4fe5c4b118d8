"""Protocols between a classic load balancer and its instances: moto takes those of the callers for both."""

from collections.abc import Iterable, Mapping
from typing import Any

from moto.elb.models import ELBBackend, FakeListener, LoadBalancer

_KEPT = "tenuto_protocol"
_make: Any = LoadBalancer.__init__
_listen: Any = ELBBackend.create_load_balancer_listeners


def _keep(balancer: LoadBalancer, ports: Iterable[Mapping[str, Any]]) -> None:
    told = {str(one.get("load_balancer_port") or one["LoadBalancerPort"]): one for one in ports}
    for listener in balancer.listeners:
        given = told.get(str(listener.load_balancer_port), {})
        protocol = given.get("instance_protocol") or given.get("InstanceProtocol")
        if protocol:
            setattr(listener, _KEPT, protocol.upper())


def _made(self: LoadBalancer, *given: Any, **more: Any) -> None:
    _make(self, *given, **more)
    _keep(self, more.get("ports") or ())


def _listening(self: ELBBackend, name: str, ports: list[dict[str, Any]]) -> Any:
    balancer = _listen(self, name, ports)
    if balancer:
        _keep(balancer, ports)
    return balancer


def add() -> None:
    """Keep them."""
    FakeListener.instance_protocol = property(  # type: ignore[assignment]
        lambda self: getattr(self, _KEPT, None) or self.protocol
    )
    LoadBalancer.__init__ = _made  # type: ignore[method-assign]
    ELBBackend.create_load_balancer_listeners = _listening  # type: ignore[method-assign]
