"""`tenuto conductor`."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session
from tenuto.cli.terminal.session import Session
from tenuto.core.pacing.quotas import parse_quotas
from tenuto.core.pacing.retention import parse_rules
from tenuto.kit.address import Address
from tenuto.kit.address_pools import AddressPools
from tenuto.kit.reach import Reach, parse_networks
from tenuto.kit.regions import Regions
from tenuto.kit.setting_values import (
    NotifyCommand,
    parse_audit_keep,
    parse_node_deadline,
    parse_patience,
    parse_period,
    parse_providers,
    parse_public_url,
)
from tenuto.settings import parse_oidc_issuers

_T = TypeVar("_T")
_FILE = click.Path(dir_okay=False, path_type=Path)


@make_command(
    "conductor",
    "tenuto conductor",
    "tenuto conductor --provider simulated",
    "tenuto conductor --provider local --listen-nodes 10.0.0.1:8687",
    "tenuto conductor --listen 127.0.0.1:9000 --period 60 --plugins plugins",
)
@click.option("--database", help="A SQLite file or a database URL (TENUTO_DATABASE).")
@click.option("--listen", metavar="HOST:PORT", help="Where the API listens (TENUTO_LISTEN; default 127.0.0.1:8686).")
@click.option(
    "--listen-nodes",
    metavar="HOST:PORT",
    help="Where the agents of real hosts call, with TLS and a certificate of its own (TENUTO_LISTEN_NODES; default: "
    "none).",
)
@click.option(
    "--public-url",
    metavar="URL",
    help="The URL that browsers use, where a proxy or another name stands before the Conductor (TENUTO_PUBLIC_URL).",
)
@click.option(
    "--trusted-proxy",
    "trusted_proxies",
    multiple=True,
    metavar="NETWORK",
    help="Proxies that say in X-Forwarded-For whose request it is, such as 127.0.0.1; may be repeated "
    "(TENUTO_TRUSTED_PROXIES).",
)
@click.option(
    "--tls-cert",
    type=_FILE,
    metavar="FILE",
    help="The certificate of the API, PEM, with those of its authorities behind it (TENUTO_TLS_CERT).",
)
@click.option("--tls-key", type=_FILE, metavar="FILE", help="Its private key, PEM, mode 0600 (TENUTO_TLS_KEY).")
@click.option(
    "--audit-log",
    type=_FILE,
    metavar="FILE|syslog|journald",
    help="Write a line for each command, sign-in and denial, to a file or to the daemon of this machine; a command "
    "that cannot be written is refused (TENUTO_AUDIT_LOG; default: none).",
)
@click.option(
    "--audit-keep",
    metavar="AGE",
    help="Remove lines of the audit log that are older, such as 400d or 48h (TENUTO_AUDIT_KEEP; default: never).",
)
@click.option(
    "--oidc-issuer",
    "oidc_issuers",
    multiple=True,
    metavar="URL[=CLIENT]",
    help="An issuer whose tokens the policy may name; with a client, people sign in there; may be repeated "
    "(TENUTO_OIDC_ISSUERS).",
)
@click.option(
    "--oidc-client-secret",
    type=_FILE,
    metavar="FILE",
    help="The secret of that client, mode 0600, where the issuer wants one (TENUTO_OIDC_CLIENT_SECRET).",
)
@click.option(
    "--insecure", is_flag=True, help="Listen beyond this machine without TLS: everything is readable (TENUTO_INSECURE)."
)
@click.option(
    "--node-deadline",
    metavar="SECONDS",
    help="After which a host that says nothing is missing; after ten times that it is lost (TENUTO_NODE_DEADLINE; "
    "default 120).",
)
@click.option("--period", metavar="SECONDS", help="Between two jobs of a process (TENUTO_PERIOD; default 30).")
@click.option(
    "--patience",
    metavar="SECONDS",
    help="How long what others hold is tried again before its process is suspended (TENUTO_PATIENCE; default 600).",
)
@click.option(
    "--provider",
    "providers",
    multiple=True,
    metavar="NAME",
    help="A provider whose resources it manages, such as aws or simulated; may be repeated (TENUTO_PROVIDERS; default "
    "aws).",
)
@click.option(
    "--plugins",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder of plugins; may be repeated (TENUTO_PLUGINS).",
)
@click.option(
    "--keep",
    multiple=True,
    metavar="KIND=LIMITS",
    help="How long, and how many, rows of a kind are kept, such as events=30d or plans=7d,1000; may be repeated "
    "(TENUTO_KEEP).",
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="NAME=MOST",
    help="How much one caller may ask, such as requests=50 or plans=none; may be repeated (TENUTO_LIMITS).",
)
@click.option(
    "--notify-command",
    "notify_commands",
    multiple=True,
    metavar="NAME=COMMAND",
    help="A program that gets events as JSON on its input; may be repeated (TENUTO_NOTIFY_COMMANDS).",
)
@click.option(
    "--webhook-allow",
    "webhook_allow",
    multiple=True,
    metavar="NETWORK|HOST",
    help="Where webhooks may lead that is not public, such as 10.0.0.0/8; may be repeated (TENUTO_WEBHOOK_ALLOW).",
)
@click.option(
    "--image-allow",
    "image_allow",
    multiple=True,
    metavar="NETWORK|HOST",
    help="Where URLs of images may lead that is not public, such as 10.0.0.0/8; may be repeated (TENUTO_IMAGE_ALLOW).",
)
@click.option(
    "--floating-pool",
    "floating_pool",
    multiple=True,
    metavar="[ZONE=]BLOCK",
    help="Addresses by which machines on hosts are reached from outside; may be repeated (TENUTO_FLOATING_POOL).",
)
@click.option(
    "--more-region",
    "more_regions",
    multiple=True,
    metavar="REGION",
    help="A region of AWS that is newer than this version's list; may be repeated (TENUTO_MORE_REGIONS).",
)
@pass_session
def command(
    session: Session,
    database: str | None,
    listen: str | None,
    listen_nodes: str | None,
    node_deadline: str | None,
    public_url: str | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    audit_log: Path | None,
    audit_keep: str | None,
    oidc_issuers: tuple[str, ...],
    oidc_client_secret: Path | None,
    insecure: bool,
    period: str | None,
    patience: str | None,
    providers: tuple[str, ...],
    plugins: tuple[Path, ...],
    limits: tuple[str, ...],
    keep: tuple[str, ...],
    notify_commands: tuple[str, ...],
    webhook_allow: tuple[str, ...],
    image_allow: tuple[str, ...],
    trusted_proxies: tuple[str, ...],
    floating_pool: tuple[str, ...],
    more_regions: tuple[str, ...],
) -> None:
    """Run a Conductor with its API in the foreground.

    It serves a dashboard at its URL: 'tenuto web' opens it. Its URL and secret go to the credentials file, where
    the other commands find them. With --provider simulated it needs no account: the cloud is a file beside the
    database. AWS credentials, regions and endpoints come from the SDK's own variables (AWS_PROFILE,
    AWS_ENDPOINT_URL, …). Beyond this machine it listens with TLS only, unless --insecure says otherwise. SIGTERM or
    Ctrl-C ends it cleanly.
    """
    from tenuto.bootstrap.serve import serve

    plain: dict[str, Any] = {
        "database": database,
        "tls_cert": tls_cert,
        "tls_key": tls_key,
        "audit_log": audit_log,
        "oidc_client_secret": oidc_client_secret,
        "insecure": insecure,
        "plugins": plugins,
    }
    settings = replace(session.settings, **{name: value for name, value in plain.items() if value})
    if listen:
        settings = replace(settings, listen=_read("--listen", Address.parse, listen))
    given: tuple[tuple[str, str, Callable[[str], Any], str | None], ...] = (
        ("listen_nodes", "--listen-nodes", Address.parse, listen_nodes),
        ("node_deadline_s", "--node-deadline", parse_node_deadline, node_deadline),
        ("public_url", "--public-url", parse_public_url, public_url),
        ("period_s", "--period", parse_period, period),
        ("patience_s", "--patience", parse_patience, patience),
        ("audit_keep_s", "--audit-keep", parse_audit_keep, audit_keep),
    )
    for name, option, parse, text in given:
        if text:
            settings = replace(settings, **{name: _read(option, parse, text)})
    before = settings
    lists: tuple[tuple[str, str, Callable[[str], Any], tuple[str, ...]], ...] = (
        ("limits", "--limit", lambda text: parse_quotas(text.splitlines(), before.limits), limits),
        ("keep", "--keep", lambda text: parse_rules(text.splitlines(), before.keep), keep),
        ("oidc_issuers", "--oidc-issuer", parse_oidc_issuers, oidc_issuers),
        ("providers", "--provider", parse_providers, providers),
        ("trusted_proxies", "--trusted-proxy", parse_networks, trusted_proxies),
        ("webhook_allow", "--webhook-allow", Reach.parse, webhook_allow),
        ("image_allow", "--image-allow", Reach.parse, image_allow),
        ("floating_pool", "--floating-pool", AddressPools.parse, floating_pool),
        ("more_regions", "--more-region", Regions.parse, more_regions),
    )
    for name, option, parse, texts in lists:
        if texts:
            settings = replace(settings, **{name: _read(option, parse, "\n".join(texts))})
    if notify_commands:
        read = tuple(_read("--notify-command", NotifyCommand.parse, one) for one in notify_commands)
        settings = replace(settings, notify_commands=read)
    serve(settings, announce=session.say)


def _read(option: str, parse: Callable[[str], _T], text: str) -> _T:
    try:
        return parse(text)
    except ValueError as wrong:
        raise click.BadParameter(f"{', '.join(text.splitlines())!r}: {wrong}", param_hint=option) from wrong
