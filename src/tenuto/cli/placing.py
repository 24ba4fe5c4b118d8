"""Where a composition goes: the account that was named, as the Conductor knows it."""

from dataclasses import replace

from tenuto.cli.client import Client
from tenuto.cli.compiling import Source
from tenuto.cli.exits import ApiProblem, UnreachableError

_DEFAULT = "default"


def placed(client: Client, source: Source) -> Source:
    """The source with the account's id and, unless a region was given, its region.

    Raises ApiProblem for an account that the Conductor does not know. That it does not answer is not said here: what is
    wrong with the file comes first.
    """
    try:
        account = client.get("accounts", source.account or _DEFAULT)
    except UnreachableError:
        return source
    except ApiProblem as refused:
        if refused.code == "permission":
            # The command itself will say what is not permitted.
            return source
        raise
    return replace(source, account_id=account["account_id"], region=source.region or account["region"])


def place_text(source: Source, region: str) -> str:
    """For questions: account, its id when it is known, and region."""
    known = f" ({source.account_id})" if source.account_id and source.account_id != source.account else ""
    return f"account {source.account or _DEFAULT}{known}, region {region}"
