"""The settings of Tenuto, and the only reader of its environment and its configuration file.

Every option has a type, a unit, a default and a reason. Options of the command line are laid over the environment by
the command's parser (`dataclasses.replace`); the environment is laid over one configuration file: the first of
`tenuto.toml` in the current directory, the user's folder and the system's. The options that the AWS SDK reads for
itself (credentials, `AWS_ENDPOINT_URL`, …) are not repeated here.

The first file hides the others, so that one look tells which values are in effect. One in the current directory is
believed only when no other user could have put it there, and never holds a secret.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import pathsep
from pathlib import Path
from typing import TypeVar

import platformdirs

from tenuto.core.access.accounts import DEFAULT_INTERVAL_S
from tenuto.core.pacing.quotas import DEFAULT_QUOTAS, parse_quotas
from tenuto.core.pacing.retention import DEFAULT_KEPT, parse_rules
from tenuto.errors import UserError
from tenuto.kit import setting_values as values
from tenuto.kit.address import Address
from tenuto.kit.address_pools import AddressPools
from tenuto.kit.config_file import ConfigFileError, Given, Kind, Layers, check_owner, read_config
from tenuto.kit.reach import Networks, Reach, parse_networks
from tenuto.kit.regions import LISTED, Regions
from tenuto.kit.setting_values import NotifyCommand
from tenuto.model.identity import Issuer
from tenuto.model.quotas import Quotas
from tenuto.model.retention import KeepRules

DEFAULT_LISTEN = "127.0.0.1:8686"
"""Loopback only: a user who opens it to a network does so on purpose. Any free port would do."""

DEFAULT_PERIOD_S = 30.0
"""The period of the process model: a job for each process every thirty seconds."""

DEFAULT_PATIENCE_S = 600.0
"""The time that AWS takes to let go of the network interfaces of a load balancer or a NAT gateway is minutes; ten of
them is the longest that is usual. Lambda functions in a VPC may take longer: then the kill is simply given again."""

DEFAULT_FIGHT_LIMIT = 5
"""The number of times that a property is set back: once may be an accident, and a person tries three times; a change
that comes six times is that of a machine."""

DEFAULT_CONNECTIONS = 512
"""Far more than people, pages and followers of events need, and half of the 1,024 open files that most systems allow
at least."""

DEFAULT_REGION = "us-east-1"
"""The region that a composition is compiled for by default; the prompt of `run` shows it before anything happens."""

DEFAULT_PROVIDERS = ("aws",)
"""The provider of most processes. `simulated` needs no account, and others are installed as packages of their own."""

CONFIG_NAME = "tenuto.toml"

OPTIONS: Mapping[str, Kind] = {
    "database": Kind.PLACE,
    "listen": Kind.TEXT,
    "listen_nodes": Kind.TEXT,
    "node_deadline": Kind.NUMBER,
    "public_url": Kind.TEXT,
    "trusted_proxies": Kind.LINES,
    "period": Kind.NUMBER,
    "patience": Kind.NUMBER,
    "providers": Kind.LINES,
    "plugins": Kind.PATHS,
    "validations": Kind.PATHS,
    "notify_commands": Kind.LINES,
    "webhook_allow": Kind.LINES,
    "image_allow": Kind.LINES,
    "floating_pool": Kind.LINES,
    "fight_limit": Kind.NUMBER,
    "identity_interval": Kind.NUMBER,
    "connections": Kind.NUMBER,
    "limits": Kind.LINES,
    "keep": Kind.LINES,
    "tls_cert": Kind.PATH,
    "tls_key": Kind.PATH,
    "audit_log": Kind.SINK,
    "audit_keep": Kind.TEXT,
    "oidc_issuers": Kind.LINES,
    "oidc_client_secret": Kind.PATH,
    "insecure": Kind.FLAG,
    "url": Kind.TEXT,
    "ca_cert": Kind.PATH,
    "credentials": Kind.PATH,
    "region": Kind.TEXT,
    "more_regions": Kind.LINES,
    "api_share": Kind.NUMBER,
    "ignored_tags": Kind.LINES,
    "no_color": Kind.FLAG,
    "debug": Kind.FLAG,
    "cli_log": Kind.PATH,
}
"""The options that a configuration file may set. The variable of each is `TENUTO_` and its name; `NO_COLOR` belongs to
all."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options of Tenuto, made by `from_environment`; frozen, so that nothing changes under a running Conductor."""

    database: str
    """TENUTO_DATABASE: path of the SQLite file, or a database URL. Default: `tenuto.db` among the user's data."""
    listen: Address
    """TENUTO_LISTEN: HOST:PORT of the API."""
    listen_nodes: Address | None
    """TENUTO_LISTEN_NODES: HOST:PORT where the agents of real hosts call. Default: none, and no real hosts."""
    node_deadline_s: float
    """TENUTO_NODE_DEADLINE: seconds after which a host that says nothing is missing; after ten times that it is lost.
    Default: 120."""
    public_url: str
    """TENUTO_PUBLIC_URL: the URL that browsers use, where a proxy or another name stands before the Conductor. Default:
    none."""
    trusted_proxies: Networks
    """TENUTO_TRUSTED_PROXIES: networks and addresses of proxies that say in `X-Forwarded-For` whose request it is.
    Default: none."""
    period_s: float
    """TENUTO_PERIOD: seconds between two jobs of one process."""
    patience_s: float
    """TENUTO_PATIENCE: seconds for which something that others hold is tried again before a person is asked."""
    providers: tuple[str, ...]
    """TENUTO_PROVIDERS: the providers that the Conductor makes, by the names of their entry points, separated by
    spaces. Default: aws."""
    plugins: tuple[Path, ...]
    """TENUTO_PLUGINS: plugin folders, separated like PATH. Default: none."""
    validations: tuple[Path, ...]
    """TENUTO_VALIDATIONS: rules that every compilation asks, files and folders separated like PATH. Default: none."""
    fight_limit: int
    """TENUTO_FIGHT_LIMIT: so often another writer may set a property back before its resource is held. 0 is never."""
    identity_interval_s: float
    """TENUTO_IDENTITY_INTERVAL: seconds for which the answer to whose an account's credentials are is good. Default:
    300 (`core.access.accounts`)."""
    connections: int
    """TENUTO_CONNECTIONS: how many connections the API has at once at most. Default: 512. Fewer where the system allows
    less than twice as many open files."""
    limits: Quotas
    """TENUTO_LIMITS: how much one caller may ask of the Conductor: `NAME=MOST` in each line. Default:
    `core.pacing.quotas`."""
    keep: KeepRules
    """TENUTO_KEEP: the greatest age and number of old rows that are kept: `KIND=LIMITS` in each line. Default:
    `core.pacing.retention`."""
    tls_cert: Path | None
    """TENUTO_TLS_CERT: the API's certificate, PEM, with those of its authorities behind it. Default: plain HTTP."""
    tls_key: Path | None
    """TENUTO_TLS_KEY: the private key of that certificate, PEM, mode 0600."""
    audit_log: Path | None
    """TENUTO_AUDIT_LOG: the file of the audit log, a chain of JSON lines, or a daemon for logs. Default: none."""
    audit_keep_s: float | None
    """TENUTO_AUDIT_KEEP: how long lines of the audit log are kept, such as 400d. Default: forever."""
    oidc_issuers: tuple[Issuer, ...]
    """TENUTO_OIDC_ISSUERS: issuers whose tokens are taken, one in a line: URL, or URL=CLIENT where people sign in.
    Default: none."""
    oidc_client_secret: Path | None
    """TENUTO_OIDC_CLIENT_SECRET: the file, mode 0600, with the secret of that client, where its issuer wants one.
    Default: none."""
    insecure: bool
    """TENUTO_INSECURE: 1 lets a Conductor serve, and the command line send secrets, over plain HTTP on a network."""
    notify_commands: tuple[NotifyCommand, ...]
    """TENUTO_NOTIFY_COMMANDS: programs that are told of events, one in a line. Default: none."""
    webhook_allow: Reach
    """TENUTO_WEBHOOK_ALLOW: networks and hosts, not public, that webhooks may lead to. Default: none."""
    image_allow: Reach
    """TENUTO_IMAGE_ALLOW: networks and hosts, not public, that URLs of images may lead to. Default: none."""
    floating_pool: AddressPools
    """TENUTO_FLOATING_POOL: the blocks of addresses by which machines on hosts are reached from outside, for every zone
    or as ZONE=BLOCK. Default: none, but for simulated hosts."""
    url: str | None
    """TENUTO_URL: the Conductor that the command line talks to. Default: the one in the credentials file."""
    ca_cert: Path | None
    """TENUTO_CA_CERT: certificates, PEM, of the authorities that the Conductor's is accepted from. Default: the
    system's."""
    secret: str | None
    """TENUTO_SECRET: the secret of that Conductor. Default: the one in the credentials file."""
    credentials: Path
    """TENUTO_CREDENTIALS: the file, mode 0600, in which a Conductor leaves its URL and secret."""
    region: str
    """TENUTO_REGION, else the SDK's AWS_REGION and AWS_DEFAULT_REGION: the region that compositions are compiled
    for."""
    more_regions: Regions
    """TENUTO_MORE_REGIONS: regions of AWS that are newer than this version's list, separated by spaces. Default:
    none."""
    api_share: float | None
    """TENUTO_API_SHARE: the share, above 0 and up to 1, of the calls that AWS allows an account which the Conductor
    makes at most; the rest is for others. Default: 0.6 at Amazon, no limit at other endpoints (AWS_ENDPOINT_URL)."""
    ignored_tags: tuple[str, ...]
    """TENUTO_IGNORED_TAGS: keys of tags that others write on resources of AWS and that stay as they are, one in a line;
    `*` stands for any text. Default: none."""
    no_color: bool
    """NO_COLOR: any text turns colour off (no-color.org)."""
    force_color: bool = False
    """FORCE_COLOR: any text but 0 turns colour on where no terminal is, as in a log of CI. NO_COLOR goes before."""
    debug: bool
    """TENUTO_DEBUG: 1 shows tracebacks of unexpected errors."""
    cli_log: Path | None
    """TENUTO_CLI_LOG: the log of all calls of the command line; empty for none. Default: `cli.log` among the user's
    state."""
    config: Path | None = None
    """TENUTO_CONFIG names the configuration file; without it, the first one that is found. None: there is none."""
    is_config_local: bool = False
    """True when it was found in the current directory, which may be another user's."""
    origins: Mapping[str, str] = field(default_factory=dict)
    """The place where the value of each option comes from, for people; an option that is not here has its default."""

    def is_local(self, option: str) -> bool:
        """Whether the value is that of a file in the current directory."""
        return self.is_config_local and self.origins.get(option, "").startswith(f"{self.config},")

    @staticmethod
    def load(environ: Mapping[str, str], places: Sequence[Path] | None = None) -> "Settings":
        """Read the environment and the first configuration file there is. Raises UserError, which names the fault."""
        named = environ.get("TENUTO_CONFIG")
        for place in [Path(named)] if named else config_places() if places is None else places:
            is_local = not named and place.parent == _current_folder()
            try:
                if is_local:
                    check_owner(place)
                given = read_config(place, OPTIONS)
            except FileNotFoundError:
                continue
            except ConfigFileError as wrong:
                raise UserError(f"The configuration cannot be used: {wrong}. Correct the file.") from wrong
            except OSError as failed:
                raise UserError(f"The configuration file {place} cannot be read: {failed.strerror}.") from failed
            settings = Settings.from_environment(environ, _layers(environ, given, place))
            return replace(settings, config=place, is_config_local=is_local)
        if named:
            raise UserError(f"TENUTO_CONFIG names {named}, and there is no such file. Correct it or unset it.")
        return Settings.from_environment(environ)

    @staticmethod
    def from_environment(environ: Mapping[str, str], layers: Layers | None = None) -> "Settings":
        """Read every option. Raises UserError, which names the variable, the fault and the expected value."""
        layers = layers or _layers(environ)
        data = platformdirs.user_data_path("tenuto")
        credentials = layers.text("credentials")
        return Settings(
            database=layers.text("database") or str(data / "tenuto.db"),
            listen=_read(layers, "listen", Address.parse, Address.parse(DEFAULT_LISTEN)),
            listen_nodes=_read(layers, "listen_nodes", Address.parse, None),
            node_deadline_s=_read(layers, "node_deadline", values.parse_node_deadline, values.DEFAULT_NODE_DEADLINE_S),
            public_url=_read(layers, "public_url", values.parse_public_url, ""),
            period_s=_read(layers, "period", values.parse_period, DEFAULT_PERIOD_S),
            patience_s=_read(layers, "patience", values.parse_patience, DEFAULT_PATIENCE_S),
            providers=_read(layers, "providers", values.parse_providers, DEFAULT_PROVIDERS),
            plugins=_paths(layers, "plugins"),
            validations=_paths(layers, "validations"),
            fight_limit=_read(layers, "fight_limit", values.parse_limit, DEFAULT_FIGHT_LIMIT),
            identity_interval_s=_read(layers, "identity_interval", values.parse_identity_interval, DEFAULT_INTERVAL_S),
            connections=_read(layers, "connections", values.parse_connections, DEFAULT_CONNECTIONS),
            limits=_read(layers, "limits", _parse_limits, DEFAULT_QUOTAS),
            keep=_read(layers, "keep", _parse_keep, DEFAULT_KEPT),
            tls_cert=_path(layers, "tls_cert"),
            tls_key=_path(layers, "tls_key"),
            audit_log=_path(layers, "audit_log"),
            audit_keep_s=_read(layers, "audit_keep", values.parse_audit_keep, None),
            oidc_issuers=_read(layers, "oidc_issuers", parse_oidc_issuers, ()),
            oidc_client_secret=_path(layers, "oidc_client_secret"),
            insecure=_read(layers, "insecure", values.parse_switch, default=False),
            notify_commands=_read(layers, "notify_commands", values.parse_notify_commands, ()),
            trusted_proxies=_read(layers, "trusted_proxies", parse_networks, ()),
            webhook_allow=_read(layers, "webhook_allow", Reach.parse, Reach()),
            image_allow=_read(layers, "image_allow", Reach.parse, Reach()),
            floating_pool=_read(layers, "floating_pool", AddressPools.parse, AddressPools()),
            url=layers.text("url") or None,
            ca_cert=_path(layers, "ca_cert"),
            secret=environ.get("TENUTO_SECRET") or None,
            credentials=Path(credentials) if credentials else data / "credentials",
            region=layers.text("region") or DEFAULT_REGION,
            more_regions=_read(layers, "more_regions", Regions.parse, LISTED),
            api_share=_read(layers, "api_share", values.parse_share, None),
            ignored_tags=_read(layers, "ignored_tags", values.parse_ignored_tags, ()),
            no_color=layers.text("no_color") not in ("", "0") or bool(environ.get("NO_COLOR")),
            force_color=environ.get("FORCE_COLOR", "") not in ("", "0"),
            debug=_read(layers, "debug", values.parse_switch, default=False),
            cli_log=_cli_log(layers),
            origins={key: origin for key in OPTIONS if (origin := layers.origin(key))},
        )


def cli_log_path(environ: Mapping[str, str]) -> Path | None:
    """Return the file in which calls are logged while no configuration is known, be it because that cannot be read."""
    return _cli_log(_layers(environ))


def config_places() -> tuple[Path, ...]:
    """Return the places at which a configuration file is looked for; the first one wins."""
    folders = [
        _current_folder(),
        platformdirs.user_config_path("tenuto"),
        platformdirs.site_config_path("tenuto"),
    ]
    return tuple(folder / CONFIG_NAME for folder in folders if folder is not None)


_VARIABLES: Mapping[str, tuple[str, ...]] = {
    "region": ("TENUTO_REGION", "AWS_REGION", "AWS_DEFAULT_REGION"),
    "no_color": ("NO_COLOR",),
}
"""The variables of options for which TENUTO_ and the name is not the only one, or none."""


def _layers(environ: Mapping[str, str], given: Mapping[str, Given] | None = None, file: Path | None = None) -> Layers:
    variables = {key: _VARIABLES.get(key, (f"TENUTO_{key.upper()}",)) for key in OPTIONS}
    return Layers(environ=environ, variables=variables, given=given or {}, file=file)


def parse_oidc_issuers(text: str) -> tuple[Issuer, ...]:
    """Parse issuers, one in a line; raises ValueError."""
    return tuple(Issuer(url=url, client=client) for url, client in values.parse_issuers(text))


def _parse_limits(text: str) -> Quotas:
    return parse_quotas(line for line in text.splitlines() if line.strip())


def _parse_keep(text: str) -> KeepRules:
    return parse_rules(line for line in text.splitlines() if line.strip())


def _paths(layers: Layers, key: str) -> tuple[Path, ...]:
    return tuple(Path(part) for part in layers.text(key).split(pathsep) if part)


def _path(layers: Layers, key: str) -> Path | None:
    text = layers.text(key)
    return Path(text) if text else None


def _cli_log(layers: Layers) -> Path | None:
    """Return the file of the CLI's log. Unlike everywhere else, a variable that is set to nothing means something here:
    no log.
    """
    if layers.environ.get("TENUTO_CLI_LOG") == "":
        return None
    text = layers.text("cli_log")
    return Path(text) if text else platformdirs.user_state_path("tenuto") / "cli.log"


def _current_folder() -> Path | None:
    """Return the current folder; None when it is gone."""
    try:
        return Path.cwd()
    except OSError:
        return None


def _read(layers: Layers, key: str, parse: Callable[[str], _T], default: _T) -> _T:
    text = layers.text(key)
    if not text:
        return default
    try:
        return parse(text)
    except ValueError as wrong:
        origin = layers.origin(key)
        said = f"{origin}={text!r}" if origin.startswith("TENUTO_") else f"{key} = {text!r} ({origin})"
        raise UserError(f"{said} cannot be used: {wrong}. Change it or unset it.") from wrong
