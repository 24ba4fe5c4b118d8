"""The place of a composition is the account that the user named, as the Conductor knows it."""

from dataclasses import replace

from tenuto.cli.client.client import Client
from tenuto.cli.compositions.compiling import Source
from tenuto.cli.terminal.exits import ApiProblem, UnreachableError
from tenuto.model.ids import Json, JsonMap

_DEFAULT = "default"


def placed(client: Client, source: Source) -> Source:
    """The source with the account's id and, unless a region was given, its region.

    Raises ApiProblem for an account that the Conductor does not know. A Conductor that does not answer is not reported
    here: errors in the file come first.
    """
    account = _asked(client, "accounts", source.account or _DEFAULT)
    if account is None:
        return source
    return replace(
        source,
        account=source.account and account["name"],
        account_id=account["account_id"],
        region=source.region or account["region"],
        is_region_known=source.is_region_known or (not source.region and bool(account["region"])),
    )


def placed_beside(client: Client, source: Source, alias: str) -> Source:
    """Return the source as `placed` does; where a process of this alias exists, for the place of that process."""
    try:
        process = None if source.account else _asked(client, "processes", alias)
    except ApiProblem as absent:
        if absent.code != "not-found":
            raise
        process = None
    if process is None:
        return placed(client, source)
    return placed(client, placed_like(source, process))


def placed_like(source: Source, process: JsonMap) -> Source:
    """The source for the place of a process, unless another region was given, with the parameters that it keeps."""
    from tenuto.compositions.cloudformation.sections.parameters import Kept

    region = source.region or process["region"]
    is_known = region == process["region"]
    found = process.get("parameters", {}) if source.keeps_parameters else {}
    kept = {name: Kept(value=_text(value)) for name, value in found.items()}
    return replace(source, account=process["account"], region=region, is_region_known=is_known, kept=kept)


def _text(value: Json) -> str | None:
    """The value of a parameter as it is given; None for a secret."""
    return ",".join(value) if isinstance(value, list) else None if value is None else str(value)


def _asked(client: Client, *path: str) -> JsonMap | None:
    """The answer of the Conductor; None when there is none, or none for this user."""
    try:
        return client.get(*path)
    except UnreachableError:
        return None
    except ApiProblem as refused:
        if refused.code == "permission":
            # The command itself will report the missing right.
            return None
        raise


def place_text(source: Source, region: str) -> str:
    """Return the place in words for a question: account, its id when it is known, and region."""
    known = f" ({source.account_id})" if source.account_id and source.account_id != source.account else ""
    return f"account {source.account or _DEFAULT}{known}, region {region}"
