"""The settings of Tenuto, and the only reader of its environment.

Every option has a type, a unit, a default and a reason. Options of the command line are laid over what the
environment says by whoever parses them (`dataclasses.replace`). What the AWS SDK reads for itself (credentials,
`AWS_ENDPOINT_URL`, …) is not repeated here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import pathsep
from pathlib import Path
from typing import TypeVar

import platformdirs

from tenuto.errors import UserError

DEFAULT_LISTEN = "127.0.0.1:8686"
"""Loopback only: whoever opens it to a network does so on purpose. Any free port would do."""

DEFAULT_PERIOD_S = 30.0
"""From the process model: a job for each process every thirty seconds."""

DEFAULT_PATIENCE_S = 600.0
"""What AWS takes to let go of the network interfaces of a load balancer or a NAT gateway is minutes; ten of them is
the longest that is usual. Lambda functions in a VPC may take longer: then the kill is simply given again."""

MINIMUM_PERIOD_S = 0.1
"""Below this a Conductor does nothing but look; raise it if stores or providers get slower."""

DEFAULT_REGION = "us-east-1"
"""What a composition is compiled for when nobody says; the prompt of `run` shows it before anything happens."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where the API listens."""

    host: str
    port: int

    @staticmethod
    def parse(text: str) -> "Address":
        """`HOST:PORT`, `[V6]:PORT`; raises ValueError."""
        host, separator, port = text.rpartition(":")
        if not separator or not host or not port.isdigit() or int(port) > 65535:
            raise ValueError("expected HOST:PORT, such as 127.0.0.1:8686")
        return Address(host=host.removeprefix("[").removesuffix("]"), port=int(port))

    @property
    def url(self) -> str:
        """The base URL under which a client on this machine reaches it."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All options. Made by `from_environment`; frozen, so that nothing changes under a running Conductor."""

    database: str
    """TENUTO_DATABASE: path of the SQLite file, or a database URL. Default: `tenuto.db` among the user's data."""
    listen: Address
    """TENUTO_LISTEN: HOST:PORT of the API."""
    period_s: float
    """TENUTO_PERIOD: seconds between two jobs of one process."""
    patience_s: float
    """TENUTO_PATIENCE: seconds for which something that others hold is tried again before somebody is asked."""
    plugins: tuple[Path, ...]
    """TENUTO_PLUGINS: plugin folders, separated like PATH. Default: none."""
    validations: tuple[Path, ...]
    """TENUTO_VALIDATIONS: rules that every compilation asks, files and folders separated like PATH. Default: none."""
    url: str | None
    """TENUTO_URL: the Conductor that the command line talks to. Default: the one in the credentials file."""
    secret: str | None
    """TENUTO_SECRET: the secret of that Conductor. Default: the one in the credentials file."""
    credentials: Path
    """TENUTO_CREDENTIALS: the file, mode 0600, in which a Conductor leaves its URL and secret."""
    region: str
    """TENUTO_REGION, else the SDK's AWS_REGION and AWS_DEFAULT_REGION: what compositions are compiled for."""
    api_share: float | None
    """TENUTO_API_SHARE: the share, above 0 and up to 1, of the calls that AWS allows an account which the Conductor
    makes at most; the rest is for others. Default: 0.6 at Amazon, no limit at other endpoints (AWS_ENDPOINT_URL)."""
    no_color: bool
    """NO_COLOR: any text turns colour off (no-color.org)."""
    debug: bool
    """TENUTO_DEBUG: 1 shows tracebacks of unexpected errors."""

    @property
    def database_path(self) -> Path | None:
        """The SQLite file; None when the database is not a file."""
        path = self.database.removeprefix("sqlite:///")
        return None if path == "memory:" or "://" in path else Path(path)

    @staticmethod
    def from_environment(environ: Mapping[str, str]) -> "Settings":
        """Read every option. Raises UserError, naming the variable, what is wrong and what was expected."""
        data = platformdirs.user_data_path("tenuto")
        credentials = environ.get("TENUTO_CREDENTIALS")
        return Settings(
            database=environ.get("TENUTO_DATABASE") or str(data / "tenuto.db"),
            listen=_read(environ, "TENUTO_LISTEN", Address.parse, Address.parse(DEFAULT_LISTEN)),
            period_s=_read(environ, "TENUTO_PERIOD", parse_period, DEFAULT_PERIOD_S),
            patience_s=_read(environ, "TENUTO_PATIENCE", parse_patience, DEFAULT_PATIENCE_S),
            plugins=_paths(environ, "TENUTO_PLUGINS"),
            validations=_paths(environ, "TENUTO_VALIDATIONS"),
            url=environ.get("TENUTO_URL") or None,
            secret=environ.get("TENUTO_SECRET") or None,
            credentials=Path(credentials) if credentials else data / "credentials",
            region=next(
                (found for name in _REGION_NAMES if (found := environ.get(name))),
                DEFAULT_REGION,
            ),
            api_share=_read(environ, "TENUTO_API_SHARE", parse_share, None),
            no_color=bool(environ.get("NO_COLOR")),
            debug=environ.get("TENUTO_DEBUG", "") not in ("", "0"),
        )


_REGION_NAMES = ("TENUTO_REGION", "AWS_REGION", "AWS_DEFAULT_REGION")


def parse_period(text: str) -> float:
    """Seconds between jobs; raises ValueError."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = float("nan")
    if not MINIMUM_PERIOD_S <= seconds < float("inf"):
        raise ValueError(f"expected seconds, at least {MINIMUM_PERIOD_S}")
    return seconds


def parse_patience(text: str) -> float:
    """Seconds; raises ValueError."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = float("nan")
    if not 0 <= seconds < float("inf"):
        raise ValueError("expected seconds, 0 or more")
    return seconds


def _paths(environ: Mapping[str, str], name: str) -> tuple[Path, ...]:
    return tuple(Path(part) for part in environ.get(name, "").split(pathsep) if part)


def parse_share(text: str) -> float | None:
    """A share of the account's calls; raises ValueError."""
    try:
        share = float(text)
    except ValueError:
        share = float("nan")
    if not 0 < share <= 1:
        raise ValueError("expected a share above 0 and up to 1, such as 0.6")
    return share


def _read(environ: Mapping[str, str], name: str, parse: Callable[[str], _T], default: _T) -> _T:
    text = environ.get(name)
    if not text:
        return default
    try:
        return parse(text)
    except ValueError as wrong:
        raise UserError(f"{name}={text!r} cannot be used: {wrong}. Change it or unset it.") from wrong
