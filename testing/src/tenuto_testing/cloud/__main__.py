"""`python -m tenuto_testing.cloud`: the strict cloud as a server, for any program that speaks to AWS."""

import signal
import threading

import click

from tenuto.bootstrap.clock import SystemClock
from tenuto_testing.cloud.buckets import Buckets
from tenuto_testing.cloud.cloud import Cloud
from tenuto_testing.cloud.faults import Failure
from tenuto_testing.cloud.pace import Lag, Pace
from tenuto_testing.cloud.quotas import BOUNDLESS, REAL
from tenuto_testing.cloud.server import CloudServer

_FAILURES = [failure.name.lower().replace("_", "-") for failure in Failure]


@click.command()
@click.option("--port", default=0, show_default="one that is free", help="The port on 127.0.0.1.")
@click.option("--seed", default=0, show_default=True, help="Of ids and of everything that is left to chance.")
@click.option("--pace", default=1.0, show_default=True, help="How slow pending states are, in times of AWS's; 0: none.")
@click.option("--lag", default=0.0, show_default=True, help="For how many seconds something new cannot be seen.")
@click.option("--stale", default=0.0, show_default=True, help="For how many seconds a change is not seen.")
@click.option("--flicker", is_flag=True, help="Let each call see another moment within the lag.")
@click.option("--throttle/--no-throttle", default=True, show_default=True, help="Token buckets of AWS's sizes.")
@click.option("--quotas/--no-quotas", default=True, show_default=True, help="AWS's default quotas.")
@click.option("--fault-share", default=0.0, show_default=True, help="The share of calls that fail.")
@click.option("--fault", "faults", multiple=True, type=click.Choice(_FAILURES), help="How they fail; may be repeated.")
@click.option("--fault-actions", default="*", show_default=True, help="Which actions fail: patterns between spaces.")
def main(
    *,
    port: int,
    seed: int,
    pace: float,
    lag: float,
    stale: float,
    flicker: bool,
    throttle: bool,
    quotas: bool,
    fault_share: float,
    faults: tuple[str, ...],
    fault_actions: str,
) -> None:
    """Serve a strict AWS on loopback until interrupted. The first line of the output is its URL."""
    cloud = Cloud(
        SystemClock(),
        seed=seed,
        pace=Pace(times=pace),
        lag=Lag(new_s=lag, changed_s=stale, is_flickering=flicker),
        buckets=Buckets() if throttle else None,
        quotas=REAL if quotas else BOUNDLESS,
    )
    if fault_share:
        chosen = [Failure[name.upper().replace("-", "_")] for name in faults] or list(Failure)
        cloud.faults.by_chance(fault_share, *chosen, actions=fault_actions, seed=seed)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with CloudServer(cloud, port) as server:
        click.echo(server.url)
        stop.wait()


if __name__ == "__main__":
    main()
