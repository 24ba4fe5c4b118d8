"""`tenuto config`."""

from collections.abc import Iterator
from pathlib import Path

from tenuto.cli.client.target import OF_CREDENTIALS, check_url, conductor_url
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session
from tenuto.cli.terminal.output_forms import listed
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.tables import filled, table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.core.pacing.quotas import quotas_text
from tenuto.core.pacing.retention import rules_text
from tenuto.errors import UserError
from tenuto.kit.address_pools import AddressPools
from tenuto.kit.reach import Reach
from tenuto.kit.regions import Regions
from tenuto.kit.setting_values import NotifyCommand
from tenuto.kit.shown_urls import without_passwords
from tenuto.model.ids import JsonMap
from tenuto.provider_plugins import find_providers, installed_providers
from tenuto.settings import OPTIONS, Settings, config_places

_DAY_S = 86_400.0
_SECONDS = frozenset({"audit_keep", "node_deadline", "period", "patience", "identity_interval"})


@make_command("config", "tenuto config", names=listed("settings", "name"))
@pass_session
def command(session: Session) -> None:
    """Show the settings, and where each comes from.

    A variable of the environment goes before the configuration file, and an option of a command before both. The
    first tenuto.toml that there is holds alone: of the current directory, the user's folder, or the system's. Below
    them stands what names nothing that there is: a URL, a provider, a region.
    """
    settings = session.settings
    document = {
        "file": str(settings.config) if settings.config else None,
        "places": [str(place) for place in config_places()],
        "settings": [_setting(settings, name) for name in OPTIONS],
        "faults": list(_faults(settings)),
    }
    session.emit(document, _render)


def _faults(settings: Settings) -> Iterator[JsonMap]:
    """The settings whose value has the right form and names nothing that there is. Other commands refuse them only
    where they need them."""
    url, _ = conductor_url(settings)
    try:
        if url:
            check_url(url)
    except UserError as wrong:
        yield {"setting": "url", "message": without_passwords(str(wrong))}
    for error in find_providers(installed_providers(), settings.providers).errors:
        yield {"setting": "providers", "message": f"A Conductor does not start with them: {error}"}
    if missing := settings.more_regions.missing(settings.region):
        yield {"setting": "region", "message": f"{missing} Compositions with resources of AWS are refused there."}


def _setting(settings: Settings, name: str) -> JsonMap:
    """The value that is used and where it comes from."""
    if name == "url":
        url, origin = conductor_url(settings)
        return {"name": name, "value": url and without_passwords(url), "origin": origin}
    value = _value(settings, name)
    return {"name": name, "value": value and without_passwords(value), "origin": settings.origins.get(name)}


def _value(settings: Settings, name: str) -> str | None:
    field = f"{name}_s" if name in _SECONDS else name
    texts = {"keep": lambda: rules_text(settings.keep), "limits": lambda: quotas_text(settings.limits)}
    if name == "audit_keep" and settings.audit_keep_s is not None:
        return f"{settings.audit_keep_s / _DAY_S:g}d"
    value = texts[name]() if name in texts else getattr(settings, field)
    match value:
        case Reach() | Regions() | AddressPools():
            return str(value)
        case None:
            return None
        case tuple():
            # Of a program only its name: its words may hold secrets.
            return ", ".join(one.name if isinstance(one, NotifyCommand) else str(one) for one in value)
        case bool():
            return "yes" if value else "no"
        case int() | float():
            return f"{value:g}"
        case str() | Path():
            return str(value)
        case _:
            return f"{value.host}:{value.port}"


def _render(document: JsonMap) -> str:
    file = document["file"]
    if file:
        head = f"Configuration file: {file}"
    else:
        places = "".join(f"\n  {place}" for place in document["places"])
        head = f"There is no configuration file. The first of these would be used:{places}"
    rows = [(one["name"], one["value"] or "", _origin(one["origin"])) for one in document["settings"]]
    width = terminal_width()
    told = (filled(f"{one['setting']}: {one['message']}", width) for one in document["faults"])
    faults = "".join(f"\n\n{one}" for one in told)
    return f"{head}\n\n{table(('Setting', 'Value', 'From'), rows, width=width, whole=('Setting', 'From'))}{faults}"


def _origin(origin: str | None) -> str:
    """Return the source of a value in a few words: the path of the credentials file is a setting of its own."""
    if not origin:
        return "default"
    return OF_CREDENTIALS if origin.startswith(f"{OF_CREDENTIALS} ") else origin
