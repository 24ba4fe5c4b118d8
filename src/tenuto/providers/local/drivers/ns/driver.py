"""One host whose machines share its kernel.

Theory of operation. Every order is kept in a folder before it is carried out, so that a host knows after a restart what
it is to hold. What the executor does follows from all orders together: the part of a network that this host holds is
its own order, where the host is its gateway, and the wiring of the machines and interfaces here. An order for one thing
carries out the networks that it touches, and then the thing.

What is shown is read from the kernel at each observation. A property says what is there now; `Deviations` says what
else differs from the order, host by host.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from ipaddress import IPv4Network
from typing import Any, Protocol

from tenuto.errors import TransientError
from tenuto.kit.documents import dumps, from_document, loads
from tenuto.kit.state_folder import StateFolder
from tenuto.model.ids import Json, JsonMap, ObjectId, TypeName
from tenuto.providers.local.driver import Problem, Seen, Send, Spec, Wire
from tenuto.providers.local.drivers.ns.powering import PowerOperations
from tenuto.providers.local.drivers.ns.resolvers import resolvers
from tenuto.providers.local.executor.requests import (
    EnsureMachine,
    EnsureNetwork,
    HoldLease,
    MachineShown,
    NetworkAnswer,
    NetworkOrder,
    ReleaseLease,
    RemoveMachine,
    RemoveNetwork,
    Request,
    ShowMachine,
    ShowNetwork,
)
from tenuto.providers.local.objects import OPERATION
from tenuto.providers.local.rules.addresses import router_of
from tenuto.providers.local.rules.machine_spec import Cable, MachineSpec
from tenuto.providers.local.rules.names import DOMAIN, NAMES
from tenuto.providers.local.rules.network_spec import Port, UnusableValueError
from tenuto.providers.local.rules.operations import Command, Reboot, UnusableCommandError, commands_of
from tenuto.providers.local.rules.power import (
    OFF,
    ON,
    POWER_WORDS,
    PROPERTY,
    Power,
    is_running,
    refused_power,
    was_powered,
)
from tenuto.providers.local.rules.replacement import is_fenced
from tenuto.providers.local.types import INSTANCE, INTERFACE, NETWORK

NAME = "ns"
_SPECS, _UPLINKS = "specs", "uplinks"
_MADE = "made"
"""The mark of a machine that was made: it has data."""
_NO_COMMANDS = Problem(
    message="machines of the driver ns take no commands but for their power and a reset: there is no agent in them",
    is_final=True,
)


class Asks(Protocol):
    """The way to the executor."""

    def ask(self, request: Request) -> JsonMap:
        """Make a request and return its answer. Raises ExecutorGoneError."""
        ...


class KeepsOperations(Protocol):
    """The operations of the machines of one host."""

    def ensure(self, spec: Spec) -> None:
        """Begin an operation, or go on with one that was begun. Raises UnusableCommandError."""
        ...

    def forget(self, object_id: ObjectId) -> None:
        """Forget an operation."""
        ...

    def seen(self) -> Sequence[Seen]:
        """The operations that are kept, as they are."""
        ...


class NamespaceHost:
    """Implements `providers.local.driver.HostDriver`."""

    name = NAME

    def __init__(self, executor: Asks, folder: StateFolder, *, host: str, address: str, mtu: int) -> None:
        """`address` is where other hosts reach this one; `mtu` is the largest packet of a network."""
        self._executor = executor
        self._folder = folder
        self._host = host
        self._own = {host: address}
        self._hosts = dict(self._own)
        self._mtu = mtu
        self._specs = {spec.object_id: spec for spec in _kept(folder)}
        self._operations: KeepsOperations = PowerOperations(folder, self._reset, self._switch)

    def meet(self, hosts: Mapping[str, str]) -> None:
        self._hosts = {**hosts, **self._own}

    def send_by(self, send: Send) -> None:
        """Ignore the way: nothing here has a content that is sent."""

    def ensure(self, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        problems = {one.object_id: why for one in specs if one.type == OPERATION and (why := self._begin(one))}
        specs = [spec for spec in specs if spec.type != OPERATION]
        # An order that is refused is not kept: the order before it says how the machine is to be.
        problems |= {spec.object_id: self._told(spec, why) for spec in specs if (why := self._unusable(spec))}
        specs = [spec for spec in specs if spec.object_id not in problems]
        left: set[int] = set()
        for spec in specs:
            if (before := self._specs.get(spec.object_id)) is not None:
                left.update(_networks_of(before))
            self._folder.write(_SPECS, spec.object_id, _SPECS, dumps(spec))
            self._specs[spec.object_id] = spec
        wanted = {vni for spec in specs for vni in _networks_of(spec)}
        refused = self._hold(wanted)
        for spec in specs:
            problem = next((refused[vni] for vni in _networks_of(spec) if vni in refused), None)
            if problem is None and spec.type == INSTANCE:
                problem = self._problem(lambda spec=spec: self._order_for(spec))
            if problem is not None:
                problems[spec.object_id] = self._told(spec, problem)
            elif spec.type == INSTANCE:
                self._folder.write(_SPECS, spec.object_id, _MADE, "")
        # A network that a machine was taken out of goes last: its cable is out by then.
        self._hold(left - wanted)
        return problems

    def _unusable(self, spec: Spec) -> Problem | None:
        """The reason why a machine cannot be as it is ordered, by its values alone."""
        if spec.type == INSTANCE:
            try:
                self._order_for(spec)
            except UnusableValueError as error:
                return Problem(message=f"{self._host} cannot do this: {error}", is_final=True)
        return None

    def _told(self, spec: Spec, problem: Problem) -> Problem:
        """A problem as it is told: never a final one of a machine that was made, since its failure would remove it."""
        was_made = self._folder.read(_SPECS, spec.object_id, _MADE) is not None
        return replace(problem, is_final=problem.is_final and not was_made)

    def remove(self, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        problems: dict[ObjectId, Problem] = {}
        for object_id in object_ids:
            self._operations.forget(object_id)
            spec = self._specs.get(object_id)
            if spec is not None and (problem := self._end(spec)) is not None:
                problems[object_id] = problem
        return problems

    def observe(self) -> Sequence[Seen]:
        look = {NETWORK: self._seen_network, INTERFACE: self._seen_interface, INSTANCE: self._seen_machine}
        things = [seen for spec in self._specs.values() if (seen := look[spec.type](spec)) is not None]
        return [*things, *self._operations.seen()]

    def hold(self, until: float) -> None:
        self._shown(HoldLease(until=until))

    def let_go(self) -> None:
        self._shown(ReleaseLease())

    def specs(self) -> Sequence[Spec]:
        """The orders that this host holds."""
        return tuple(self._specs.values())

    # Operations.

    def _begin(self, spec: Spec) -> Problem | None:
        """Begin an operation of a machine without an agent; the reason why it cannot be, if there is one."""
        try:
            if not all(_needs_no_agent(one) for one in commands_of(spec.properties["Commands"])):
                return _NO_COMMANDS
            self._operations.ensure(spec)
        except UnusableCommandError as error:
            return Problem(message=str(error), is_final=True)
        return None

    def _reset(self, object_id: ObjectId) -> str:
        """Start a machine that runs anew; the reason why that was refused, or an empty text."""
        spec = self._specs.get(object_id)
        if spec is None or not is_running(self._power_of(spec)):
            return "its machine does not run"
        answers = (self._switch(object_id, word) for word in (OFF, ON))
        return next((one for one in answers if isinstance(one, str)), "")

    def _switch(self, object_id: ObjectId, word: str) -> JsonMap | str:
        """Follow a power command: its result, or why that was refused. What is ordered of the machine stays."""
        spec = self._specs.get(object_id)
        if spec is None or spec.type != INSTANCE:
            return "its machine is not here"
        if why := refused_power(word, self._power_of(spec)):
            return why
        switched = replace(spec, properties={**spec.properties, PROPERTY: POWER_WORDS[word]})
        if (problem := self._problem(lambda: self._order_for(switched))) is not None:
            return problem.message
        return was_powered(word, str(spec.properties[PROPERTY]))

    def _power_of(self, spec: Spec) -> str:
        """The power of a machine as it is, whatever is compared of it."""
        found = self._shown(ShowMachine(machine=self._machine(spec)))
        return str(found["power"]) if found else OFF

    # Requests to the executor.

    def _end(self, spec: Spec) -> Problem | None:
        """Remove a thing from this host and forget it."""
        if spec.type == INSTANCE:
            problem = self._problem(lambda: self._removal_of(spec))
            if problem is not None:
                return problem
        del self._specs[spec.object_id]
        refused = self._hold(set(_networks_of(spec)))
        if refused:
            self._specs[spec.object_id] = spec
            return next(iter(refused.values()))
        self._folder.remove(_SPECS, spec.object_id)
        return None

    def _hold(self, numbers: set[int]) -> dict[int, Problem]:
        """Bring the host's parts of some networks about, and remove those that nothing here needs any more."""
        problems: dict[int, Problem] = {}
        for vni in sorted(numbers):
            if self._is_needed(vni):
                problem = self._problem(lambda vni=vni: EnsureNetwork(network=self._order(vni)))
            else:
                problem = self._problem(lambda vni=vni: RemoveNetwork(vni=vni))
                if problem is None:
                    self._folder.remove(_UPLINKS, str(vni))
            if problem is not None:
                problems[vni] = problem
        return problems

    def _problem(self, request: Any) -> Problem | None:
        """Make a request; the reason why it was refused, if it was."""
        try:
            answer = self._executor.ask(request())
        except UnusableValueError as error:
            return Problem(message=f"{self._host} cannot do this: {error}", is_final=True)
        if "refused" in answer:
            return Problem(
                message=f"on {self._host} {answer['refused']}",
                is_final=bool(answer["is_final"]),
                is_full=bool(answer.get("is_full")),
            )
        return None

    # The parts of networks and machines that the orders come to.

    def _is_needed(self, vni: int) -> bool:
        """Whether this host holds a part of a network: as its gateway, or for a machine."""
        return any(spec.type in (NETWORK, INSTANCE) and vni in _networks_of(spec) for spec in self._specs.values())

    def _order(self, vni: int) -> NetworkOrder:
        """The host's part of a network."""
        own = next((s for s in self._specs.values() if s.type == NETWORK and vni in _networks_of(s)), None)
        here = {wire.interface: wire for wire in self._wires(INSTANCE) if wire.vni == vni}
        # The interface's own order, at the gateway, says what leads to it from outside.
        known = here | {wire.interface: wire for wire in self._wires(INTERFACE) if wire.vni == vni}
        if own is not None:
            cidr, gateway = str(own.properties["CidrBlock"]), self._host
        else:
            wire = next(iter(here.values()))
            cidr, gateway = wire.cidr, wire.gateway_host
        has_nat = own is not None and own.properties.get("Nat") is not False
        has_dns = own is not None and own.properties.get("Dns") is True
        has_way_out = has_nat or (own is not None and any(wire.outside for wire in known.values()))
        return NetworkOrder(
            vni=vni,
            cidr=cidr,
            gateway_host=gateway,
            mtu=self._mtu,
            has_dhcp=own is not None and own.properties.get("Dhcp") is not False,
            has_nat=has_nat,
            host=self._host,
            hosts=self._hosts,
            ports=tuple(
                Port(
                    object_id=wire.interface,
                    mac=wire.mac,
                    address=wire.address,
                    host=self._host if wire.interface in here else "",
                    floating=wire.floating if own is not None else "",
                    routed=wire.routed if own is not None else (),
                )
                for wire in known.values()
            ),
            uplink=self._uplink(vni) if has_way_out else -1,
            has_dns=has_dns,
            domain=str(own.attributes.get(DOMAIN, "")) if own is not None and has_dns else "",
            names=_names_of(own) if own is not None and has_dns else (),
            resolvers=resolvers() if has_dns and has_nat else (),
        )

    def _wires(self, type_name: TypeName) -> Iterator[Wire]:
        return (wire for spec in self._specs.values() if spec.type == type_name for wire in spec.wiring)

    def _uplink(self, vni: int) -> int:
        """The number of a network's way out: its own for as long as the network is here."""
        kept = self._folder.read(_UPLINKS, str(vni), _UPLINKS)
        if kept is not None:
            return int(kept)
        taken = {self._folder.read(_UPLINKS, name, _UPLINKS) for name in self._folder.names(_UPLINKS)}
        number = next(one for one in range(len(taken) + 1) if str(one) not in taken)
        self._folder.write(_UPLINKS, str(vni), _UPLINKS, str(number))
        return number

    def _machine(self, spec: Spec) -> MachineSpec:
        properties = spec.properties
        return MachineSpec(
            object_id=spec.object_id,
            name=str(properties["Name"]),
            vcpus=int(properties["Vcpus"]),
            memory_mib=int(properties["MemoryMiB"]),
            power=str(properties["PowerState"]),
            cables=tuple(self._cable(wire) for wire in spec.wiring),
            user_data=str(properties.get("UserData", "")),
            ends_with_lease=is_fenced(str(properties.get("Replace", ""))),
        )

    def _cable(self, wire: Wire) -> Cable:
        return Cable(
            interface=wire.interface,
            vni=wire.vni,
            mac=wire.mac,
            address=wire.address,
            prefix=IPv4Network(wire.cidr, strict=False).prefixlen,
            router=router_of(wire.cidr),
            mtu=self._mtu,
        )

    # The things as the kernel shows them.

    def _shown(self, request: Request) -> Any:
        """The answer to a question. Raises TransientError when there is none: then nothing is concluded."""
        answer = self._executor.ask(request)
        if "refused" in answer:
            raise TransientError(f"The host {self._host} does not tell: {answer['refused']}.", code="HostSilent")
        return answer["done"]

    def _seen_network(self, spec: Spec) -> Seen:
        (vni,) = _networks_of(spec)
        order = self._order(vni)
        answer = from_document(NetworkAnswer, self._shown(ShowNetwork(network=order)))
        told = list(answer.deviations)
        if order.rendered().served and not answer.is_served:
            server = f"{' and '.join(('DHCP',) * order.has_dhcp + ('DNS',) * order.has_dns)} server"
            told.append(f"no {server} runs" if answer.is_served is None else f"the {server} has other entries")
        return self._seen(spec, dict(spec.properties), told)

    def _seen_interface(self, spec: Spec) -> Seen:
        return self._seen(spec, dict(spec.properties), [])

    def _order_for(self, spec: Spec) -> Request:
        """The request that brings a machine about. Raises UnusableValueError."""
        if spec.properties.get("Driver", NAME) != NAME:
            raise UnusableValueError(
                f"its machines are those of the driver {NAME}, and not {spec.properties['Driver']}"
            )
        if spec.properties.get("Disks"):
            raise UnusableValueError(f"machines of the driver {NAME} have no disks, but a home: leave Disks out")
        return EnsureMachine(machine=self._machine(spec))

    def _removal_of(self, spec: Spec) -> Request:
        """The request that removes a machine."""
        return RemoveMachine(object_id=spec.object_id)

    def _seen_machine(self, spec: Spec) -> Seen | None:
        found = self._shown(ShowMachine(machine=self._machine(spec)))
        if found is None:
            return None
        machine = from_document(MachineShown, found)
        properties: dict[str, Json] = {
            **spec.properties,
            "PowerState": machine.power,
            "Vcpus": machine.vcpus,
            "MemoryMiB": machine.memory_mib,
            "Interfaces": [str(name) for name in machine.interfaces],
        }
        addresses = [wire.address for wire in spec.wiring if wire.interface in machine.interfaces]
        seen = self._seen(spec, properties, list(machine.problems))
        booted = datetime.fromtimestamp(machine.booted_at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        return replace(seen, attributes={**seen.attributes, "Addresses": addresses, "BootedAt": booted})

    def _seen(self, spec: Spec, properties: dict[str, Json], told: list[str]) -> Seen:
        if told:
            properties["Deviations"] = {self._host: told}
        return Seen(
            object_id=spec.object_id,
            account=spec.account,
            owner=spec.owner,
            properties=properties,
            attributes=dict(spec.attributes),
        )


def _needs_no_agent(command: Command) -> bool:
    return isinstance(command, Power) or command == Reboot(how="reset")


def _networks_of(spec: Spec) -> tuple[int, ...]:
    """The numbers of the networks that an order touches."""
    if spec.type == NETWORK:
        return (int(spec.attributes["Vni"]),)
    return tuple(dict.fromkeys(wire.vni for wire in spec.wiring))


def _names_of(network: Spec) -> tuple[tuple[str, str], ...]:
    """The names that a network serves, by its order."""
    return tuple((str(name), str(address)) for name, address in network.attributes.get(NAMES) or ())


def _kept(folder: StateFolder) -> Iterator[Spec]:
    for name in folder.names(_SPECS):
        text = folder.read(_SPECS, name, _SPECS)
        # A folder without its text is that of an order whose keeping was cut off: it was never carried out.
        if text is not None:
            yield loads(Spec, text)
