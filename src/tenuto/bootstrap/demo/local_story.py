"""The stories of the local cloud: the part that both tell, and the one on simulated hosts.

Each has a namespace, machines that are built and damaged, and ends as it began. On simulated hosts a host is unplugged
besides; on this machine (`bootstrap.demo.linux_story`) the agent is killed.
"""

from collections.abc import Sequence
from importlib.resources import files

from tenuto.bootstrap.demo.telling import Say, Teller
from tenuto.bootstrap.system import System
from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.errors import TenutoError
from tenuto.model.command import ProcessState
from tenuto.model.ids import Fid, ObjectId
from tenuto.model.resource import ManagedObject
from tenuto.providers.local.driver import Seen
from tenuto.providers.local.drivers.simulated import SimulatedDriver
from tenuto.providers.local.objects import NAMESPACE
from tenuto.service.commands.plan_view import plan_document
from tenuto.service.intake.composition import Submission
from tenuto.service.views.plan_text import plan_text
from tenuto.service.views.process_view import is_converged

RED = "red"
"""The namespace of the stories."""
ZONE = "zone-1"
ALIAS = "shop"
FILE = "local.yaml"
MACHINE, NETWORK = "Web", "Net"
"""The machine that is killed, whose host is unplugged later; the network that loses a rule."""
LOST_RULE = "the NAT rule is missing"


class TenantTeller(Teller):
    """Base of the stories of the local cloud: of one process in one namespace."""

    def __init__(self, system: System, say: Say, *, file: str, alias: str) -> None:
        super().__init__(system, say)
        self._file = file
        self._alias = alias

    def _create_namespace(self) -> None:
        self._typed(f"tenuto namespace create {RED}")
        self._system.objects.create(NAMESPACE, RED, region=ZONE)
        self._scene(f"The namespace {RED} is a tenant, and the account that processes run in:")

    def _build(self) -> Fid:
        text = files("tenuto").joinpath(f"examples/{self._file}").read_text(encoding="utf-8")
        compiled = compile_text(text, file=self._file, parameters={}, region=ZONE)
        submission = Submission(document=to_document(compiled.composition), secrets=compiled.secrets)
        commands = self._system.commands
        where = f"--alias {self._alias} --account {RED}"
        self._typed(f"tenuto run {self._file} {where} --dry-run")
        self._tell(plan_text(plan_document(commands.dry_runs.run(submission, alias=self._alias, account=RED))))
        self._typed(f"tenuto run {self._file} {where} --wait")
        fid = commands.run(submission, alias=self._alias, account=RED).fid
        self._watch(fid, is_converged)
        self._typed(f"tenuto status {self._alias}")
        for found in self._objects(fid):
            kind = found.type.rpartition("::")[2]
            self._tell(f"{found.logical_id:<8} {kind:<18} {found.state:<9} {_whereabouts(found)}".rstrip())
        return fid

    def _kill(self, fid: Fid) -> None:
        self._typed(f"tenuto kill {self._alias} --wait")
        self._system.commands.kill(self._alias)
        self._watch(fid, lambda process: process.state is ProcessState.GONE)
        self._typed(f"tenuto namespace delete {RED}")
        self._system.objects.delete(RED, NAMESPACE)
        self._until(f"the end of the namespace {RED}", lambda: self._system.store.account(RED) is None)

    def _tell_repairs(self, fid: Fid, known: int) -> None:
        """The plans of the jobs that repaired something, after the first `known` of them."""
        for job in self._repairs(fid)[known:]:
            assert job.plan_id is not None, "only jobs with a plan are repairs"
            self._tell(plan_text(self._system.queries.stored_plan(job.plan_id)))

    def _repaired(self, fid: Fid, known: int) -> frozenset[str]:
        """The names of the things that jobs repaired after the first `known` ones: two faults may be found by two
        sweeps.
        """
        plans = (self._system.queries.stored_plan(job.plan_id) for job in self._repairs(fid)[known:] if job.plan_id)
        return frozenset(str(one["logical_id"]) for plan in plans for one in plan["operations"])

    def _check_kept(self, fid: Fid, before: Sequence[ManagedObject]) -> None:
        """Raise TenutoError unless everything is the same thing as before."""
        anew = [one.logical_id for one in before if self._the(fid, one.logical_id).object_id != one.object_id]
        if anew:
            raise TenutoError(f"made a second time: {', '.join(anew)}")

    def _explained(self, fid: Fid, name: str) -> str:
        _, explanation = self._system.queries.explain(fid, [self._the(fid, name).logical_id])
        return "\n".join(line for lines in explanation.resources.values() for line in lines)

    def _objects(self, fid: Fid) -> tuple[ManagedObject, ...]:
        return tuple(self._system.store.objects(fid))

    def _the(self, fid: Fid, name: str) -> ManagedObject:
        return max((one for one in self._objects(fid) if one.logical_id == name), key=lambda one: one.incarnation)


class LocalStory(TenantTeller):
    """The story, told once. Every claim it makes is looked up on the hosts first; a false one raises TenutoError."""

    def __init__(self, system: System, hosts: SimulatedDriver, say: Say) -> None:
        super().__init__(system, say, file=FILE, alias=ALIAS)
        self._hosts = hosts

    def tell(self) -> None:
        """Tell the story, from empty hosts to empty hosts. Raises TenutoError when anything is left at the end."""
        self._create_namespace()
        fid = self._build()
        self._scene("A machine crashes, and a colleague deletes a firewall rule of the network, by hand:")
        self._damage(fid)
        self._scene("Then the host of that machine loses its power line:")
        self._unplug(fid)
        self._scene("What is not needed any more is taken down, in the order that its dependencies ask for:")
        self._kill(fid)
        self._check_empty()
        self._scene("The hosts are empty, as before. The namespace, the hosts and the store are gone.")

    def _damage(self, fid: Fid) -> None:
        """The next jobs find the damage, tell their plans, and carry them out."""
        known = len(self._repairs(fid))
        web, net = self._the(fid, MACHINE), self._the(fid, NETWORK)
        with self._hosts.turn():
            self._typed(f"tenuto local stop {web.object_id[:8]}")
            self._hosts.stop_machine(web.object_id)
            self._tell(f"{MACHINE}: {self._seen(web.object_id).properties['PowerState']}")
            self._typed(f"tenuto local break {net.object_id[:8]} '{LOST_RULE}'")
            self._hosts.break_thing(net.object_id, LOST_RULE)
            self._tell(f"{NETWORK}: {LOST_RULE}")
        self._until("the repair", lambda: self._is_as_ordered(web, net) and len(self._repairs(fid)) > known)
        self._scene("The Conductor saw both at its next sweep and repaired them. Its plan:")
        self._tell_repairs(fid, known)
        self._scene("And as the hosts show them:")
        self._tell(f"{MACHINE}: {self._seen(web.object_id).properties['PowerState']}")
        self._tell(f"{NETWORK}: as ordered")
        self._check_kept(fid, (web, net))

    def _unplug(self, fid: Fid) -> None:
        """A silent host proves nothing, so nothing is made a second time; when it answers again, all is as before."""
        before = self._objects(fid)
        host = str(self._the(fid, MACHINE).attributes["Host"])
        self._typed(f"tenuto local unplug {host}")
        self._hosts.set_host(ZONE, host, is_up=False)
        self._until(f"the loss of {host}", lambda: host in self._explained(fid, MACHINE))
        self._typed(f"tenuto explain {ALIAS} {MACHINE}")
        self._tell(self._explained(fid, MACHINE))
        self._check_kept(fid, before)
        self._typed(f"tenuto local plug {host}")
        self._hosts.set_host(ZONE, host, is_up=True)
        self._until(f"the return of {host}", lambda: host not in self._explained(fid, MACHINE))
        self._check_kept(fid, before)
        self._tell(f"{host} answers again; nothing was made a second time.")

    def _is_as_ordered(self, web: ManagedObject, net: ManagedObject) -> bool:
        machine, network = self._seen(web.object_id), self._seen(net.object_id)
        return machine.properties["PowerState"] == "on" and not network.properties.get("Deviations")

    def _check_empty(self) -> None:
        left = [spec.object_id for _, things in self._hosts.everything().values() for spec, _ in things]
        if left:
            raise TenutoError(f"left on the hosts: {', '.join(left)}")

    def _seen(self, object_id: ObjectId) -> Seen:
        for _, things in self._hosts.everything().values():
            for spec, seen in things:
                if spec.object_id == object_id:
                    return seen
        raise TenutoError(f"{object_id} is not on its host any more")


def _whereabouts(found: ManagedObject) -> str:
    """Return the host and the addresses of a thing, as far as it has any."""
    host, address = found.attributes.get("Host"), found.attributes.get("Address")
    addresses = found.attributes.get("Addresses") or ([address] if address else [])
    return " ".join([*([f"on {host}"] if host else []), *(str(one) for one in addresses)])
