"""What the phase engine adds to a plugin that does nothing: per object and phase, with all objects in one phase map."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.measuring import cost_of, peak_mb
from tenuto.plugins import PhasePlugin, phase
from tenuto.ports.phase import PhaseRun
from tenuto.storage.open import open_store
from tenuto_testing.phase_world import PhaseWorld

STATES = ("Allocation", "Initialization", "Configuration", "Installation")


def phases(size: int) -> list[dict[str, Any]]:
    """`size` objects through four phases, on a database file."""
    with TemporaryDirectory() as folder:
        store = open_store(str(Path(folder) / "tenuto.db"))
        world = PhaseWorld(*(_nothing(state) for state in STATES), store=store)
        names = [f"node-{number:06}" for number in range(size)]
        born = cost_of(lambda: world.add(*names))
        walked = cost_of(world.settle)
        assert world.get(names[-1]).is_settled
        store.close()
    return [
        {"step": "insert objects", "resources": size, "cpu s": born.cpu_s, "wall s": born.wall_s},
        {
            "step": "four empty phases",
            "resources": size,
            "cpu s": walked.cpu_s,
            "wall s": walked.wall_s,
            "µs/resource/phase": 1_000_000 * walked.cpu_s / size / len(STATES),
            "peak MB": peak_mb(),
        },
    ]


def _nothing(state: str) -> PhasePlugin:
    def handle(run: PhaseRun) -> None:
        run.complete(run.resources)

    return phase(f"nothing.in.{state.lower()}", states=state, types="Cloud.Node")(handle)
