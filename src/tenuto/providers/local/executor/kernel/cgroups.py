"""The limits of machines on this host: control groups of version 2, or of version 1 where the host has these.

A group is named by the machine, below one of the installation. Its memory is that of the machine's declaration, its
processor time that of its virtual processors. The reported limits are read from the files, so a limit that others
changed is seen.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from tenuto.providers.local.executor.kernel.processes import send

ROOT = Path("/sys/fs/cgroup")
_PERIOD_US = 100_000
MOST_PROCESSES = 4096
_MIB = 1 << 20


class LimitsError(Exception):
    """This host has no usable control groups. The message says which is missing."""


class Cgroups:
    """The groups of one installation. Raises LimitsError in each method where the host has none."""

    def __init__(self, name: str, root: Path = ROOT) -> None:
        self._name = name
        self._root = root
        self._is_unified = (root / "cgroup.controllers").exists()

    def ensure(self, machine: str, vcpus: int, memory_mib: int) -> None:
        """Make the groups of a machine with its limits."""
        if self._is_unified:
            self._delegate()
            texts = {
                "memory.max": str(memory_mib * _MIB),
                "cpu.max": f"{vcpus * _PERIOD_US} {_PERIOD_US}",
                "pids.max": str(MOST_PROCESSES),
            }
            self._write(self._folder("", machine), texts)
            return
        self._write(self._folder("memory", machine), {"memory.limit_in_bytes": str(memory_mib * _MIB)})
        self._write(
            self._folder("cpu", machine),
            {"cpu.cfs_period_us": str(_PERIOD_US), "cpu.cfs_quota_us": str(vcpus * _PERIOD_US)},
        )
        self._write(self._folder("pids", machine), {"pids.max": str(MOST_PROCESSES)})
        self._write(self._folder("freezer", machine), {})

    def machines(self) -> list[str]:
        """The names of the machines that have groups."""
        try:
            return sorted(entry.name for entry in self._folders("")[0].iterdir() if entry.is_dir())
        except FileNotFoundError:
            return []

    def limits(self, machine: str) -> tuple[int, int]:
        """The virtual processors and MiB that a machine has now; 0 for no limit."""
        try:
            if self._is_unified:
                folder = self._folder("", machine)
                quota, memory = (folder / "cpu.max").read_text().split()[0], (folder / "memory.max").read_text()
            else:
                quota = (self._folder("cpu", machine) / "cpu.cfs_quota_us").read_text()
                memory = (self._folder("memory", machine) / "memory.limit_in_bytes").read_text()
        except FileNotFoundError:
            return 0, 0
        return _number(quota) // _PERIOD_US, _number(memory) // _MIB

    def most_processes(self, machine: str) -> int:
        """The number of processes that a machine may have now; 0 for no limit."""
        folder = self._folder("" if self._is_unified else "pids", machine)
        with suppress(FileNotFoundError):
            return _number((folder / "pids.max").read_text())
        return 0

    def has(self, machine: str, pid: int) -> bool:
        """Whether a process is in each of the groups of a machine."""
        with suppress(FileNotFoundError):
            files = [(folder / "cgroup.procs").read_text() for folder in self._folders(machine)]
            return all(str(pid) in text.split() for text in files)
        return False

    def take(self, machine: str, pids: Iterable[int]) -> None:
        """Put processes into the groups of a machine, which are there. One that is gone is ignored."""
        for folder in self._folders(machine):
            for pid in pids:
                with suppress(ProcessLookupError):
                    (folder / "cgroup.procs").write_text(str(pid))

    def join(self, machine: str) -> None:
        """Put the calling process into the groups of a machine."""
        for folder in self._folders(machine):
            (folder / "cgroup.procs").write_text("0")

    def freeze(self, machine: str, *, is_frozen: bool) -> None:
        """Stop all processes of a machine where they are, or let them go on."""
        if self._is_unified:
            (self._folder("", machine) / "cgroup.freeze").write_text("1" if is_frozen else "0")
        else:
            (self._folder("freezer", machine) / "freezer.state").write_text("FROZEN" if is_frozen else "THAWED")

    def is_frozen(self, machine: str) -> bool:
        """Whether the processes of a machine stand still."""
        with suppress(FileNotFoundError):
            if self._is_unified:
                return (self._folder("", machine) / "cgroup.freeze").read_text().strip() == "1"
            return (self._folder("freezer", machine) / "freezer.state").read_text().strip() != "THAWED"
        return False

    def processes(self, machine: str) -> list[int]:
        """The processes of a machine."""
        folder = self._folders(machine)[0]
        with suppress(FileNotFoundError):
            return [int(line) for line in (folder / "cgroup.procs").read_text().split()]
        return []

    def send(self, machine: str, number: int) -> None:
        """Send a signal to the processes of a machine, and to no other that has the number of one by now."""
        for pid in self.processes(machine):
            send(pid, number, lambda pid=pid: pid in self.processes(machine))  # type: ignore[misc]

    def remove(self, machine: str) -> None:
        """Remove the groups of a machine without processes, and with the last machine those of the installation. Raises
        OSError while some are left."""
        for folder in self._folders(machine):
            with suppress(FileNotFoundError):
                folder.rmdir()
            with suppress(OSError):  # Other machines are in it.
                folder.parent.rmdir()

    def _folders(self, machine: str) -> list[Path]:
        kinds = ("",) if self._is_unified else ("pids", "memory", "cpu", "freezer")
        return [self._folder(kind, machine) for kind in kinds]

    def _folder(self, controller: str, machine: str) -> Path:
        return self._root / controller / self._name / machine

    def _delegate(self) -> None:
        above = self._root / self._name
        with _told("cpu, memory and pids"):
            above.mkdir(exist_ok=True)
            for folder in (self._root, above):
                (folder / "cgroup.subtree_control").write_text("+cpu +memory +pids")

    def _write(self, folder: Path, texts: Mapping[str, str]) -> None:
        with _told(folder.parent.parent.name):
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in texts.items():
                (folder / name).write_text(text)


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Say which control group cannot be had."""
    try:
        yield
    except OSError as error:
        said = error.strerror or str(error)
        raise LimitsError(f"this host has no usable control group of {what} ({said})") from error


def _number(text: str) -> int:
    text = text.strip()
    return int(text) if text.isdecimal() else 0
