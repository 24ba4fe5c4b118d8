"""One host whose machines share its kernel.

Theory of operation. The requests to the executor follow from all orders that the host holds (`orders`). An order for
one thing carries out the networks that it touches, and then the thing.

The shown properties are read from the kernel at each observation. A property has the value of now; `Deviations` names
all other differences from the order, host by host. A network has an order at its gateway alone, so the part of a
network on another host is told of by the machines there that need it, and their orders set it right. A thing that this
host cannot tell of is told as such, and hides none of the others, which may be those of other namespaces.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Protocol

from tenuto.errors import TransientError
from tenuto.kit.documents import from_document
from tenuto.kit.first_names import first_of
from tenuto.kit.state_folder import StateFolder
from tenuto.model.ids import Json, JsonMap, ObjectId
from tenuto.providers.local.driver import Problem, Seen, Send, Spec
from tenuto.providers.local.drivers.ns.orders import Orders, networks_of, numbers_by
from tenuto.providers.local.drivers.ns.powering import PowerOperations
from tenuto.providers.local.executor.requests import (
    MOST_QUESTIONS,
    EnsureMachine,
    EnsureNetwork,
    HoldLease,
    Kept,
    MachineShown,
    NetworkAnswer,
    PingNetwork,
    Question,
    ReleaseLease,
    RemoveMachine,
    RemoveNetwork,
    Request,
    ShowKept,
    ShowMachine,
    ShowMany,
    ShowNetwork,
)
from tenuto.providers.local.objects import OPERATION
from tenuto.providers.local.rules.machines import homes
from tenuto.providers.local.rules.machines.operations import (
    Command,
    Ping,
    Reboot,
    UnusableCommandError,
    commands_of,
    was_pinged,
)
from tenuto.providers.local.rules.machines.power import (
    ALWAYS,
    OFF,
    ON,
    POWER_WORDS,
    PROPERTY,
    RESTART,
    Power,
    is_running,
    refused_power,
    was_powered,
)
from tenuto.providers.local.rules.networks.spec import UnusableValueError
from tenuto.providers.local.types import INSTANCE, NETWORK

NAME = homes.DRIVER
_Key = ObjectId | int
"""A thing, or the number of a network."""
_REFUSED = "refused"
_NAMED = 3
"""The most things that a trouble names."""
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

    def __init__(
        self,
        executor: Asks,
        folder: StateFolder,
        *,
        host: str,
        address: str,
        mtu: int,
        conductor: Sequence[str] = (),
    ) -> None:
        """`address` is where other hosts reach this one; `mtu` is the largest packet of a network. `conductor` are the
        addresses of the Conductor, which machines do not reach. Raises TransientError where the executor cannot list
        its things.
        """
        self._executor = executor
        self._host = host
        there = from_document(Kept, self._shown(ShowKept()))
        self._foreign = there.foreign
        self._orders = Orders(folder, host=host, address=address, mtu=mtu, there=there, conductor=conductor)
        self._held_back: set[int] = set()
        """The networks that still have a machine which is to be on none."""
        self._deferred: set[int] = set()
        """The networks that were to be held while an order was lost."""
        self._operations: KeepsOperations = PowerOperations(folder, self._reset, self._switch, self._echo)

    def meet(self, hosts: Mapping[str, str]) -> None:
        self._orders.meet(hosts)

    def isolate(self, object_ids: Sequence[ObjectId]) -> str:
        left = self._orders.isolate(frozenset(object_ids)) | self._held_back
        refused = {vni: one.message for vni, one in self._hold(left).items()}
        in_doubt = f"an order on the host {self._host} is lost, and its networks stay as they are until it comes again"
        refused |= dict.fromkeys(left & self._deferred, in_doubt)
        self._held_back = set(refused)
        self._orders.note_isolated()
        return "; ".join(dict.fromkeys(refused.values()))

    def doubt(self) -> str:
        lost = sorted(self._orders.lost)
        if not lost:
            return ""
        return (
            f"it has lost the orders for {first_of(lost, _NAMED)}, and leaves the networks that it had as they "
            "are until their processes give them again, or 'tenuto node purge' removes what no object stands for"
        )

    def foreign(self) -> str:
        if not self._foreign:
            return ""
        return (
            f"others have put {first_of(self._foreign, _NAMED)} among the folders of its machines and networks. The "
            "host leaves that alone; move it elsewhere"
        )

    def send_by(self, send: Send) -> None:
        """Ignore the way: nothing here has a content that is sent."""

    def ensure(self, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        problems = {one.object_id: why for one in specs if one.type == OPERATION and (why := self._begin(one))}
        specs = [spec for spec in specs if spec.type != OPERATION]
        # An order that is refused is not kept: the order before it says how the machine is to be.
        problems |= {spec.object_id: self._told(spec, why) for spec in specs if (why := self._unusable(spec))}
        specs = [spec for spec in specs if spec.object_id not in problems]
        unusable = self._orders.unusable(specs)
        problems |= {one.object_id: self._told(one, self._cannot(why)) for one, why in unusable}
        specs = [spec for spec in specs if spec.object_id not in problems]
        left: set[int] = set()
        for spec in specs:
            if (before := self._orders.get(spec.object_id)) is not None:
                left.update(networks_of(before))
        self._orders.keep(specs)
        wanted = {vni for spec in specs for vni in networks_of(spec)}
        refused = self._hold(wanted)
        for spec in specs:
            problem = next((refused[vni] for vni in networks_of(spec) if vni in refused), None)
            if problem is None and spec.type == INSTANCE:
                problem = self._problem(lambda spec=spec: self._order_for(spec))
            if problem is not None:
                problems[spec.object_id] = self._told(spec, problem)
            elif spec.type == INSTANCE:
                self._orders.note_made(spec)
        # A network that a machine was taken out of goes last: its cable is out by then.
        self._hold(left - wanted)
        return problems

    def _unusable(self, spec: Spec) -> Problem | None:
        """The reason why a machine cannot be as it is ordered, by its values alone."""
        if spec.type == INSTANCE:
            try:
                self._order_for(spec)
            except UnusableValueError as error:
                return self._cannot(error)
        return None

    def _cannot(self, why: object) -> Problem:
        """The problem of an order that this host can never carry out."""
        return Problem(message=f"{self._host} cannot do this: {why}", is_final=True)

    def _told(self, spec: Spec, problem: Problem) -> Problem:
        """A problem as it is told: never a final one of a machine that was made, since its failure would remove it."""
        return replace(problem, is_final=problem.is_final and not self._orders.was_made(spec))

    def remove(self, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        problems: dict[ObjectId, Problem] = {}
        for object_id in object_ids:
            self._operations.forget(object_id)
            spec = self._orders.get(object_id)
            problem = self._end(spec) if spec is not None else self._end_by_id(object_id)
            if problem is not None:
                problems[object_id] = problem
        return problems

    def observe(self) -> Sequence[Seen]:
        with suppress(TransientError):  # Folders of others are no reason to tell nothing of the things.
            self._foreign = from_document(Kept, self._shown(ShowKept())).foreign
        orders = self._orders.all()
        told_already = {vni for spec in orders if spec.type == NETWORK for vni in networks_of(spec)}
        needed = {vni for spec in orders if spec.type == INSTANCE for vni in networks_of(spec)}
        here = sorted(needed - told_already)
        found = self._found(
            [
                *((vni, vni, partial(self._part, vni)) for vni in here),
                *(
                    (min(networks_of(spec), default=0), spec.object_id, partial(self._question, spec))
                    for spec in orders
                ),
            ]
        )
        parts = {
            vni: [f"network {vni}: {one}" for one in _deviations(found[vni])]
            for vni in here
            if not self._orders.is_in_doubt(vni)
        }
        things = [
            self._with_parts(spec, seen, parts)
            for spec in orders
            if (seen := self._seen_as(spec, found.get(spec.object_id))) is not None
        ]
        return [*things, *map(self._unreadable, sorted(self._orders.lost)), *self._operations.seen()]

    def _unreadable(self, object_id: ObjectId) -> Seen:
        """A thing whose order is lost: it may be here, so this host does not prove that it is gone."""
        told = (
            f"the order for it on the host {self._host} is lost, so the host cannot tell how it is. What runs there "
            f"runs on. Restore specs/{object_id} in the state directory of its agent, and start the agent again; or "
            "kill its process, which removes it"
        )
        return Seen(
            object_id=object_id,
            account="",
            owner=None,
            properties={},
            attributes={},
            silence=told,
            is_order_lost=True,
        )

    def _part(self, vni: int) -> Question:
        """The question about the host's part of a network. Raises UnusableValueError."""
        return ShowNetwork(network=self._orders.network(vni))

    def _question(self, spec: Spec) -> Question | None:
        """The question about a thing; None for one that is seen in its network and its machine."""
        if spec.type == NETWORK:
            (vni,) = networks_of(spec)
            return self._part(vni)
        return ShowMachine(machine=self._orders.machine(spec)) if spec.type == INSTANCE else None

    def _found(self, asked: Sequence[tuple[int, _Key, Callable[[], Question | None]]]) -> dict[_Key, Any]:
        """The answers to questions by their keys; that to one which cannot be asked is a refusal. Questions with one
        number, that of a network, stand together: its links are read once for it and for its machines."""
        found: dict[_Key, Any] = {}
        questions: list[tuple[_Key, Question]] = []
        for _, key, made in sorted(asked, key=lambda one: one[0]):
            try:
                question = made()
            except UnusableValueError as error:
                found[key] = {_REFUSED: str(error)}
                continue
            if question is not None:
                questions.append((key, question))
        answers = self._answers([question for _, question in questions])
        return found | dict(zip((key for key, _ in questions), answers, strict=True))

    def _answers(self, questions: Sequence[Question]) -> list[Any]:
        """The answers to questions, in their order. Raises TransientError when the host answers none of them."""
        parts = (questions[at : at + MOST_QUESTIONS] for at in range(0, len(questions), MOST_QUESTIONS))
        return [answer for part in parts for answer in self._shown(ShowMany(questions=tuple(part)))]

    def _seen_as(self, spec: Spec, found: Any) -> Seen | None:
        """A thing as the answer to its question shows it; None for one that is not here."""
        if why := _refusal(found):
            # The contents that it needs stay on this host by its attributes.
            return replace(self._seen(spec, {}, []), silence=f"the host {self._host} cannot tell how it is: {why}")
        if spec.type == NETWORK:
            return self._seen_network(spec, from_document(NetworkAnswer, found))
        return self._seen_machine(spec, found) if spec.type == INSTANCE else self._seen_interface(spec)

    def _with_parts(self, spec: Spec, seen: Seen, parts: Mapping[int, Sequence[str]]) -> Seen:
        """A machine with the deviations of the networks that are here for it."""
        if spec.type != INSTANCE or not (told := [one for vni in networks_of(spec) for one in parts.get(vni, ())]):
            return seen
        own = (seen.properties.get("Deviations") or {}).get(self._host, ())
        return replace(seen, properties={**seen.properties, "Deviations": {self._host: [*own, *told]}})

    def hold(self, until: float) -> None:
        self._shown(HoldLease(until=until))

    def let_go(self) -> None:
        self._shown(ReleaseLease())

    def specs(self) -> Sequence[Spec]:
        """The orders that this host holds."""
        return self._orders.all()

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
        spec = self._orders.get(object_id)
        if spec is None or not is_running(self._power_of(spec)):
            return "its machine does not run"
        answers = (self._switch(object_id, word) for word in (OFF, ON))
        return next((one for one in answers if isinstance(one, str)), "")

    def _switch(self, object_id: ObjectId, word: str) -> JsonMap | str:
        """Follow a power command: its result, or why that was refused. The order for the machine stays."""
        spec = self._orders.get(object_id)
        if spec is None or spec.type != INSTANCE:
            return "its machine is not here"
        if why := refused_power(word, self._power_of(spec)):
            return why
        # A command also starts a machine that an order would leave off.
        switched = replace(spec, properties={**spec.properties, PROPERTY: POWER_WORDS[word], RESTART: ALWAYS})
        if (problem := self._problem(lambda: self._order_for(switched))) is not None:
            return problem.message
        return was_powered(word, str(spec.properties[PROPERTY]))

    def _echo(self, object_id: ObjectId, command: Ping) -> JsonMap | str:
        """Ask an address on a network of this host for echoes: the result, or why there is none."""
        spec = self._orders.get(object_id)
        if spec is None or spec.type != NETWORK:
            return f"the network is not on the host {self._host}"
        (vni,) = networks_of(spec)
        try:
            order = self._orders.network(vni)
            answer = self._executor.ask(PingNetwork(network=order, address=command.address, count=command.count))
        except UnusableValueError as error:
            return str(error)
        return f"on {self._host} {answer['refused']}" if "refused" in answer else was_pinged(command, answer["done"])

    def _power_of(self, spec: Spec) -> str:
        """The real power of a machine, which may differ from the one that is compared."""
        found = self._shown(ShowMachine(machine=self._orders.machine(spec)))
        return str(found["power"]) if found else OFF

    # Requests to the executor.

    def _end(self, spec: Spec) -> Problem | None:
        """Remove a thing from this host and forget it."""
        if spec.type == INSTANCE:
            problem = self._problem(lambda: self._removal_of(spec))
            if problem is not None:
                return problem
        self._orders.set_aside(spec)
        refused = self._hold(set(networks_of(spec)))
        if problem := next((refused[vni] for vni in networks_of(spec) if vni in refused), None):
            self._orders.put_back(spec)
            return problem
        self._orders.remove(spec.object_id)
        return None

    def _end_by_id(self, object_id: ObjectId) -> Problem | None:
        """Remove a thing of which this host has no order. A machine whose order is lost may run, and has its id as the
        name of all that is here of it. A network has its number, which was chosen by its id."""
        for request in self._removals_by_id(object_id):
            problem = self._problem(lambda request=request: request)
            if problem is not None:
                return problem
        for vni in sorted(one for one in numbers_by(object_id) if not self._orders.is_needed(one)):
            if (problem := self._without(vni)) is not None:
                return problem
        self._orders.remove(object_id)
        # Also the networks that waited for the last order that was lost. A refusal is seen by the next sweep.
        self._hold(self._orders.left_over())
        return None

    def _removals_by_id(self, object_id: ObjectId) -> Sequence[Request]:
        """The requests that remove a machine of any kind."""
        return (RemoveMachine(object_id=object_id),)

    def _hold(self, numbers: set[int]) -> dict[int, Problem]:
        """Bring the host's parts of some networks about, and remove those that nothing here needs any more. Those of
        which an order that is lost may say more are left until that is given again."""
        wanted = numbers | self._deferred
        self._deferred = {vni for vni in wanted if self._orders.is_in_doubt(vni)}
        problems: dict[int, Problem] = {}
        for vni in sorted(wanted - self._deferred):
            if self._orders.is_needed(vni):
                problem = self._problem(lambda vni=vni: EnsureNetwork(network=self._orders.network_to_make(vni)))
            else:
                problem = self._without(vni)
            if problem is not None:
                problems[vni] = problem
        return problems

    def _without(self, vni: int) -> Problem | None:
        """Remove the host's part of a network."""
        problem = self._problem(lambda: RemoveNetwork(vni=vni))
        if problem is None:
            self._orders.forget_network(vni)
        return problem

    def _problem(self, request: Any) -> Problem | None:
        """Make a request; the reason why it was refused, if it was."""
        try:
            answer = self._executor.ask(request())
        except UnusableValueError as error:
            return self._cannot(error)
        if "refused" in answer:
            return Problem(
                message=f"on {self._host} {answer['refused']}",
                is_final=bool(answer["is_final"]),
                is_full=bool(answer.get("is_full")),
            )
        return None

    # The things as the kernel shows them.

    def _shown(self, request: Request) -> Any:
        """The answer to a question. Raises TransientError when there is none: then nothing is concluded."""
        answer = self._executor.ask(request)
        if "refused" in answer:
            raise TransientError(f"The host {self._host} does not tell: {answer['refused']}.", code="HostSilent")
        return answer["done"]

    def _seen_network(self, spec: Spec, answer: NetworkAnswer) -> Seen:
        (vni,) = networks_of(spec)
        order = self._orders.network(vni)
        told = list(answer.deviations)
        if self._orders.is_in_doubt(vni):
            return self._seen(spec, dict(spec.properties), [])
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
        if problem := homes.disks_problem(NAME, spec.properties):
            raise UnusableValueError(problem)
        return EnsureMachine(machine=self._orders.machine(spec))

    def _removal_of(self, spec: Spec) -> Request:
        """The request that removes a machine."""
        return RemoveMachine(object_id=spec.object_id)

    def _seen_machine(self, spec: Spec, found: Any) -> Seen | None:
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


def _refusal(answer: Any) -> str:
    """The reason why a question was not answered; empty where it was."""
    return str(answer[_REFUSED]) if isinstance(answer, Mapping) and _REFUSED in answer else ""


def _deviations(answer: Any) -> Sequence[str]:
    """The deviations of the host's part of a network, by the answer about it."""
    return (why,) if (why := _refusal(answer)) else from_document(NetworkAnswer, answer).deviations


def _needs_no_agent(command: Command) -> bool:
    return isinstance(command, Power | Ping) or command == Reboot(how="reset")
