"""The stories of the drivers `ns` and `qemu`: real machines on this machine, which meet and outlive their agent."""

import subprocess
import time
from collections.abc import Callable

from tenuto.bootstrap.demo.folder import HOST
from tenuto.bootstrap.demo.linux_host import LinuxHost
from tenuto.bootstrap.demo.local_story import RED, ZONE, TenantTeller
from tenuto.bootstrap.demo.telling import PATIENCE_S, Say, unheard
from tenuto.bootstrap.system import System
from tenuto.errors import TenutoError
from tenuto.lifecycles.agent_operation import AGENT_OPERATION
from tenuto.model.command import ProcessState
from tenuto.model.enrolled_host import host_key
from tenuto.model.ids import Fid, JsonMap
from tenuto.ports.record_kinds import HOST as ENROLLED
from tenuto.providers.local.objects import OPERATION
from tenuto.service.objects.host_enrolment import HostEnrolment
from tenuto.service.views.process_view import is_converged

ALIAS = "pair"
FILE, VIRTUAL_FILE = "pair.yaml", "virtual-pair.yaml"
A, B, NETWORK = "A", "B", "Net"
ADDRESS = "10.1.0.10"
"""The address of A."""
_PING_S = 10
_ENDED = (AGENT_OPERATION.ready, AGENT_OPERATION.failed)


class LinuxStory(TenantTeller):
    """The story, told once. Each claim it makes is looked up in the kernel first; a false one raises TenutoError."""

    _machines = "Both are processes in namespaces of this machine."
    _nothing_left = "Nothing is left: no process, no namespace, no bridge, no rule."

    def __init__(
        self, system: System, host: LinuxHost, enrolment: HostEnrolment, say: Say, *, file: str = FILE
    ) -> None:
        super().__init__(system, say, file=file, alias=ALIAS)
        self._host = host
        self._enrolment = enrolment

    def tell(self) -> None:
        """Tell the story, from an empty host to an empty host. At each end, also a failure, its things are deleted."""
        self._join()
        self._create_namespace()
        try:
            fid = self._build()
            self._scene(f"{self._machines} B pings A:")
            self._ping(fid)
            self._scene("A machine crashes, and a colleague deletes the bridge of the network, by hand:")
            self._damage(fid)
            self._scene("Then the agent of this host crashes, and its service manager starts it again:")
            self._kill_agent(fid)
            self._scene("What is not needed any more is taken down, in the order that its dependencies ask for:")
            self._kill(fid)
        except BaseException:
            self._clear()
            raise
        if left := self._host.left():
            raise TenutoError(f"left on the host: {', '.join(left)}")
        self._scene(self._nothing_left)

    def _join(self) -> None:
        self._typed(f"tenuto node enroll {HOST} > token")
        token = self._enrolment.enroll(ZONE, HOST, actor="root")["token"]
        self._typed(f"tenuto node agent --join token --state {HOST} --driver {self._host.driver}")
        self._host.start(str(token))
        self._host_until(f"the first check-in of {HOST}", self._has_joined)
        self._tell(f"{HOST} has joined: this machine, with the driver {self._host.driver}")

    def _has_joined(self) -> bool:
        host = self._system.store.record(ENROLLED, host_key(ZONE, HOST))
        return host is not None and host.joined_at is not None

    def _ping(self, fid: Fid) -> None:
        words = ("nsenter", "--target", str(self._host.pid(self._the(fid, B).object_id)), "--net")
        self._typed(f"{' '.join(words)} ping -c 1 {ADDRESS}")
        done = subprocess.run(
            (*words, "ping", "-c", "1", "-W", str(_PING_S), ADDRESS), capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise TenutoError(f"{B} does not reach {A}: {done.stdout or done.stderr}")
        self._tell(next(line for line in done.stdout.splitlines() if "received" in line))

    def _damage(self, fid: Fid) -> None:
        known = len(self._repairs(fid))
        before = self._objects(fid)
        machine = self._the(fid, A).object_id
        pid = self._host.pid(machine)
        [network] = self._host.networks()
        # One after the other: a sweep between the two would find the one fault and repair the other unseen.
        self._break(fid, A, "kill", "-9", str(pid))
        self._break(fid, NETWORK, "ip", "-n", network, "link", "delete", "br0")
        if self._host.pid(machine) == pid:
            raise TenutoError(f"{A} was not started anew")
        self._scene("The Conductor saw both at its next sweeps and repaired them. Its plans:")
        self._tell_repairs(fid, known)
        self._check_kept(fid, before)
        self._scene("And B reaches A again:")
        self._ping(fid)

    def _break(self, fid: Fid, name: str, *words: str) -> None:
        """Do a damage by hand, and wait for the repair of the damaged thing."""
        known = len(self._repairs(fid))
        self._typed(" ".join(words))
        subprocess.run(words, check=True, capture_output=True)
        self._host_until(f"the repair of {name}", lambda: name in self._repaired(fid, known) and self._is_well(fid))

    def _kill_agent(self, fid: Fid) -> None:
        """Machines are no children of the agent: they run on, and the next agent finds them."""
        before = self._objects(fid)
        pids = {name: self._host.pid(self._the(fid, name).object_id) for name in (A, B)}
        self._typed(f"kill -9 {self._host.kill()}")
        self._host_until(f"the loss of {HOST}", lambda: "does not answer" in self._explained(fid, A))
        self._typed(f"tenuto explain {ALIAS} {A}")
        self._tell(self._explained(fid, A))
        self._typed(f"tenuto node agent --state {HOST} --driver {self._host.driver}")
        self._host.start()
        self._host_until(
            f"the return of {HOST}", lambda: "does not answer" not in self._explained(fid, A) and self._is_well(fid)
        )
        if pids != {name: self._host.pid(self._the(fid, name).object_id) for name in (A, B)}:
            raise TenutoError("a machine was started again with its agent")
        self._check_kept(fid, before)
        self._tell("The machines ran on: the same processes as before. Nothing was made a second time.")

    def _is_well(self, fid: Fid) -> bool:
        process = self._system.store.process(fid)
        return process is not None and is_converged(process)

    def _host_until(self, awaited: str, is_done: Callable[[], object]) -> None:
        """Wait for it, as long as the agent is alive or was killed on purpose."""

        def look() -> object:
            self._host.check()
            return is_done()

        self._until(awaited, look)

    def _clear(self) -> None:
        """Delete the things that an interrupted story has made."""
        self._say = unheard(self._say)
        process = self._system.store.process(ALIAS)
        if process is not None and process.state is not ProcessState.GONE:
            self._say(f"\nThe story is interrupted; {ALIAS} is deleted from {RED}.")
            self._system.commands.kill(ALIAS)
            self._host.keep_running()
            self._watch(process.fid, lambda found: found.state is ProcessState.GONE)


class VirtualStory(LinuxStory):
    """The story with virtual machines, whose guests are asked."""

    _machines = "Both have a kernel of their own, in QEMU."
    _nothing_left = "Nothing is left: no QEMU, no disk, no namespace, no bridge, no rule."

    def __init__(self, system: System, host: LinuxHost, enrolment: HostEnrolment, say: Say) -> None:
        super().__init__(system, host, enrolment, say, file=VIRTUAL_FILE)

    def _ping(self, fid: Fid) -> None:
        """Run the command in the guest of B, by an agent operation. A guest that was started anew boots for a while."""
        words = ["ping", "-c", "1", "-W", str(_PING_S), ADDRESS]
        self._typed(f"tenuto instance exec {ALIAS}/{B} -- {' '.join(words)}")
        end = time.monotonic() + PATIENCE_S
        while True:
            result = self._ran(fid, words)
            if result["Code"] == 0:
                break
            if time.monotonic() > end:
                raise TenutoError(f"{B} does not reach {A}: {result['Out']}{result['Err']}")
        self._tell(next(line for line in str(result["Out"]).splitlines() if "received" in line))

    def _ran(self, fid: Fid, words: list[str]) -> JsonMap:
        fields = {"Instance": self._the(fid, B).object_id, "Commands": [{"Exec": words}], "DeadlineSeconds": 60}
        objects = self._system.objects
        made = objects.create(OPERATION, fields=fields, account=RED, region=ZONE).item
        self._host_until(f"the answer of {B}", lambda: objects.find(made.object_id).state in _ENDED)
        found = objects.find(made.object_id)
        if found.state != AGENT_OPERATION.ready:
            raise TenutoError(f"{B} carried nothing out: {found.message}")
        objects.delete(made.object_id)
        self._host_until("the end of the operation", lambda: objects.find(made.object_id).state == AGENT_OPERATION.gone)
        result: JsonMap = found.attributes["Results"][0]
        return result
