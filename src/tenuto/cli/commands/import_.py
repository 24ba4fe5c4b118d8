"""`tenuto import TYPE ID …`."""

import re
from pathlib import Path

import click

from tenuto.cli.options import command as make_command
from tenuto.cli.options import pass_session, yes_option
from tenuto.cli.session import Session
from tenuto.cli.target import find_conductor
from tenuto.compositions.yaml_writer import to_yaml

_TYPE = re.compile(r"\w+(?:::\w+)+")


@make_command("import", "tenuto import AWS::EC2::VPC vpc-0123456789abcdef0 -o existing.yaml")
@click.argument("wanted", metavar="TYPE ID [ID …] [TYPE ID …]", nargs=-1, required=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="The file to write.")
@click.option("--account", help="The account of the resources, by name or id; default: the Conductor's own.")
@click.option("--region", help="Their region; default: the account's (TENUTO_REGION, AWS_REGION; else us-east-1).")
@yes_option
@pass_session
def command(
    session: Session, wanted: tuple[str, ...], output: Path | None, account: str | None, region: str | None
) -> None:
    """Write a composition of resources that exist.

    'run --import' of it adopts them as they are, and changes nothing. Ids are written as 'status' shows them. Name
    everything that belongs together in one call: an id of another resource of the file becomes a reference to it.
    """
    client = find_conductor(session.settings)
    home = client.get("accounts", account)["region"] if account and not region else None
    place = region or home or session.settings.region
    body = {"resources": _pairs(wanted), "account": account, "region": place}
    document = client.post("templates", body={name: value for name, value in body.items() if value is not None})
    if output is None:
        session.emit_file(document["template"], to_yaml(document["template"]))
        return
    if output.exists():
        session.confirm(f"Overwrite {output}?")
    output.write_text(to_yaml(document["template"]), encoding="utf-8")
    count = len(document["template"]["Resources"])
    told = f"Wrote {count} resource{'' if count == 1 else 's'} to {output}. 'tenuto run {output} --import' adopts them."
    session.emit({"file": str(output), "resources": sorted(document["template"]["Resources"])}, lambda _: told)


def _pairs(words: tuple[str, ...]) -> list[str]:
    """Return `TYPE ID` for each id, from types that are followed by their ids."""
    pairs: list[str] = []
    kind = ""
    is_used = True
    for word in words:
        if _TYPE.fullmatch(word):
            if not is_used:
                break
            kind, is_used = word, False
        elif not kind:
            raise click.UsageError(f"Expected a resource type first, such as AWS::EC2::VPC; got {word!r}.")
        else:
            pairs.append(f"{kind} {word}")
            is_used = True
    if not is_used:
        raise click.UsageError(f"Expected an id after {kind}.")
    return pairs
