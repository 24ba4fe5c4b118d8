"""The typing of a page about one host: its Conductor is started by the page, and its agent by the test."""

from pathlib import Path

from installation import Installation
from passable import plain_user

GUIDES = Path(__file__).parents[2] / "docs/guide"


def follow_page(
    installation: Installation, page: str, *, alias: str, driver: str, joined_before: str, machines_in: str
) -> None:
    """Type a page whose process something attacks, and see that its host holds nothing at the end.

    The host keeps its machines in the folder `machines_in`.
    """
    live, state, machines = installation.live, installation.folder / "h1", installation.folder / "h1.machines"

    known: dict[Path, str] = {}

    def processes() -> dict[Path, str]:
        return {path: path.read_text() for path in (machines / machines_in).glob("*/pid")}

    def is_told() -> bool:
        """Whether the attack is told, or set right already: a busy host may begin a machine anew between two plans."""
        is_anew = any(known.get(path, pid) != pid for path, pid in processes().items())
        return is_anew or "drift" in live.tenuto("plan", alias).out or "drift.found" in live.tenuto("events", alias).out

    def wait() -> None:
        live.until(is_told, "the attack is seen")
        known.update(processes())

    installation.follow(
        GUIDES / page,
        instead={"/var/lib/tenuto-node": str(state), "127.0.0.1:8687": live.listen_nodes},
        before={
            joined_before: lambda: live.join("h1", driver=driver, options=("--user", plain_user())),
            "kill -9 $(cat": lambda: known.update(processes()),
            f"tenuto plan {alias}": wait,
            f"tenuto kill {alias}": lambda: live.until(
                lambda: live.status(alias)["converged"], "what was attacked is set right"
            ),
        },
        skipped={
            "useradd": "the agent of the test becomes a user that is on every machine",
            "apt-get install": "the tests are skipped where these are not there",
            "tenuto node agent": "it stays in the foreground; started above, with a token of its own",
        },
    )
    assert not list((machines / machines_in).iterdir())
    assert not list((machines / "networks").iterdir())
    assert live.status(alias) is None
