"""The parts of a classic load balancer that have calls of their own: listeners, machines, settings, places."""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.blocks.members import Members
from tenuto.providers.aws.blocks.parts import Plain, Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.kind import Work, flag, texts
from tenuto.providers.aws.types.elb_policies import set_on

_LISTENERS = "Listeners"
_MACHINES = "Instances"
_SETTINGS = {
    "AccessLoggingPolicy": "AccessLog",
    "ConnectionDrainingPolicy": "ConnectionDraining",
    "ConnectionSettings": "ConnectionSettings",
    "CrossZone": "CrossZoneLoadBalancing",
}
"""The properties that are settings, each with the word of the service for it."""
_NUMBERS = ("EmitInterval", "IdleTimeout", "Timeout")
_COMPARED = ("InstancePort", "InstanceProtocol", "LoadBalancerPort", "Protocol")


@dataclass(frozen=True, kw_only=True)
class Listeners(Shown):
    """The listeners, each known by its port. One whose protocols change is made anew; a certificate and policies
    change in place."""

    properties = frozenset({_LISTENERS})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {_LISTENERS: [_shown(one) for one in thing.answer.get("ListenerDescriptions") or ()]}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {_LISTENERS: [_sent(one) for one in work.need(_LISTENERS)]}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(_LISTENERS):
            return
        present = {str(one["LoadBalancerPort"]): one for one in work.seen(_LISTENERS) or ()}
        wanted = {str(one["LoadBalancerPort"]): one for one in work.want(_LISTENERS)}
        kept = [port for port, one in present.items() if port in wanted and _is_alike(wanted[port], one)]
        for gone in (int(port) for port in present if port not in kept):
            work.change(service, "DeleteLoadBalancerListeners", LoadBalancerName=work.id, LoadBalancerPorts=[gone])
        missing = [_sent(one) for port, one in wanted.items() if port not in kept]
        if missing:
            work.change(service, "CreateLoadBalancerListeners", LoadBalancerName=work.id, Listeners=missing)
        for port, one in wanted.items():
            before = present[port] if port in kept else {}
            self._refine(work, service, one, before)

    def _refine(self, work: Work, service: str, wanted: JsonMap, present: JsonMap) -> None:
        port, certificate = int(wanted["LoadBalancerPort"]), wanted.get("SSLCertificateId")
        if certificate and present and certificate != present.get("SSLCertificateId"):
            work.change(
                service,
                "SetLoadBalancerListenerSSLCertificate",
                LoadBalancerName=work.id,
                LoadBalancerPort=port,
                SSLCertificateId=certificate,
            )
        names = wanted.get("PolicyNames")
        if names is not None and sorted(texts(names)) != sorted(present.get("PolicyNames") or ()):
            set_on(work, port, texts(names))

    def changes(self, service: str) -> Mapping[str, str]:
        return {_LISTENERS: f"{service}:CreateLoadBalancerListeners"}


def _shown(described: JsonMap) -> dict[str, Json]:
    listener: JsonMap = described["Listener"]
    ports = {name: str(listener[name]) for name in ("InstancePort", "LoadBalancerPort") if name in listener}
    return {**listener, **ports, "PolicyNames": list(described.get("PolicyNames") or ())}


def _sent(declared: JsonMap) -> dict[str, Json]:
    ports = {name: int(declared[name]) for name in ("InstancePort", "LoadBalancerPort")}
    return {name: value for name, value in declared.items() if name != "PolicyNames" and value is not None} | ports


def _is_alike(wanted: JsonMap, present: JsonMap) -> bool:
    """Whether a listener can stay, with another certificate or other policies."""
    return all(
        str(wanted[name]).casefold() == str(present.get(name)).casefold() for name in _COMPARED if wanted.get(name)
    )


@dataclass(frozen=True, kw_only=True)
class Machines(Shown):
    """The machines behind a load balancer. Those that are missing come before others go."""

    properties = frozenset({_MACHINES})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {_MACHINES: [one["InstanceId"] for one in thing.answer.get(_MACHINES) or ()]}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(_MACHINES):
            return
        wanted, present = texts(work.want(_MACHINES)), texts(work.seen(_MACHINES))
        for operation, ids in (
            ("RegisterInstancesWithLoadBalancer", [one for one in wanted if one not in present]),
            ("DeregisterInstancesFromLoadBalancer", [one for one in present if one not in wanted]),
        ):
            if ids:
                named = [{"InstanceId": one} for one in ids]
                work.change(service, operation, LoadBalancerName=work.id, Instances=named)

    def changes(self, service: str) -> Mapping[str, str]:
        return {_MACHINES: f"{service}:RegisterInstancesWithLoadBalancer"}


@dataclass(frozen=True, kw_only=True)
class Settings(Plain):
    """The settings that one call reads and one call changes."""

    properties = frozenset(_SETTINGS)

    def read(self, thing: Thing) -> dict[str, Json]:
        answer = thing.client.read(thing.service, "DescribeLoadBalancerAttributes", LoadBalancerName=thing.id)
        shown: JsonMap = answer.get("LoadBalancerAttributes") or {}
        found = {name: shown[word] for name, word in _SETTINGS.items() if word in shown}
        return {**found, "CrossZone": flag((found.get("CrossZone") or {}).get("Enabled"))}

    def repair(self, work: Work, service: str, words: str) -> None:
        given = {word: _setting(work.want(name)) for name, word in _SETTINGS.items() if work.differs(name)}
        if given:
            work.change(service, "ModifyLoadBalancerAttributes", LoadBalancerName=work.id, LoadBalancerAttributes=given)

    def changes(self, service: str) -> Mapping[str, str]:
        return dict.fromkeys(_SETTINGS, f"{service}:ModifyLoadBalancerAttributes+")


def _setting(value: Json) -> dict[str, Json]:
    """A setting as the call takes it; one that is a truth value is its member."""
    if not isinstance(value, Mapping):
        return {"Enabled": flag(value)}
    found = {name: int(one) if name in _NUMBERS else one for name, one in value.items() if one is not None}
    return {**found, "Enabled": flag(found["Enabled"])} if "Enabled" in found else found


@dataclass(frozen=True, kw_only=True)
class Places(Members):
    """The subnets or zones of a load balancer, which the creation takes as well."""

    def at_birth(self, work: Work) -> dict[str, Json]:
        return work.given(self.name)
