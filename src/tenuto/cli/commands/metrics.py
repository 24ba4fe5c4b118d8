"""`tenuto metrics …`."""

from tenuto.cli import observability
from tenuto.cli.options.groups import group
from tenuto.cli.options.options import command as make_command
from tenuto.cli.terminal import terminal


@make_command("dashboard", "tenuto metrics dashboard > tenuto-board.json")
def dashboard() -> None:
    """Print a board for Grafana, to be imported there."""
    terminal.out(observability.dashboard())


@make_command("alerts", "tenuto metrics alerts > tenuto-rules.yml")
def alerts() -> None:
    """Print alert rules for Prometheus, each with advice."""
    terminal.out(observability.alerts())


command = group("metrics", "Print a Grafana board and Prometheus rules.", dashboard, alerts)
