"""`tenuto import TYPE ID …`, and `tenuto import --stack NAME`."""

import re
from pathlib import Path

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.compositions import stack_import
from tenuto.cli.compositions.stack_import import StackPlace
from tenuto.cli.options.files import NewFile
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import names_of, pass_session, yes_option
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.steady_clock import SteadyClock

_TYPE = re.compile(r"\w+(?:::\w+)+")


@make_command(
    "import",
    "tenuto import AWS::EC2::VPC vpc-0123456789abcdef0 -o existing.yaml",
    "tenuto import --stack shop -o shop",
    "tenuto import --stack shop --let-go",
)
@click.argument("wanted", metavar="[TYPE ID [ID …] …]", nargs=-1)
@click.option(
    "-o", "--output", type=NewFile(dir_okay=True), help="The file to write; with --stack, the folder (its name)."
)
@click.option("--stack", metavar="NAME", help="A CloudFormation stack, in place of resources.")
@click.option("--let-go", is_flag=True, help="With --stack: delete the stack, and keep what a process has adopted.")
@click.option("--keep-exports", is_flag=True, help="With --let-go: leave the stack as a shell with its exports.")
@click.option("--role-arn", metavar="ARN", help="With --let-go: the role that CloudFormation deletes the stack with.")
@click.option(
    "--account",
    shell_complete=names_of("accounts"),
    help="The account of the resources, by name or id; default: the Conductor's own.",
)
@click.option("--region", help="Their region; default: the account's (TENUTO_REGION, AWS_REGION; else us-east-1).")
@yes_option
@pass_session
def command(
    session: Session,
    wanted: tuple[str, ...],
    output: Path | None,
    stack: str | None,
    let_go: bool,
    keep_exports: bool,
    role_arn: str | None,
    account: str | None,
    region: str | None,
) -> None:
    """Write a composition of resources that exist.

    'run --import' of it adopts them as they are, and changes nothing. Ids are written as 'status' shows them. Name
    everything that belongs together in one call: an id of another resource of the file becomes a reference to it.

    With --stack, the template of a running CloudFormation stack is written with the ids of its resources, beside its
    parameters and a report; the stack is only read. Once a process has adopted them, --let-go marks every resource of
    the stack as retained, and deletes the stack. Each step may be given again after an interruption.
    """
    from tenuto.compositions.yaml_writer import to_yaml

    _check(wanted, output, stack, let_go=let_go, keep_exports=keep_exports, role_arn=role_arn)
    client = find_conductor(session.settings)
    home = client.get("accounts", account)["region"] if account and not region else None
    place = region or home or session.settings.region
    if stack is not None:
        of_stack = StackPlace(name=stack, account=account, region=place)
        if let_go:
            stack_import.let_go(session, client, SteadyClock(), of_stack, keeps_exports=keep_exports, role=role_arn)
        else:
            stack_import.write_stack(session, client, of_stack, output or Path(stack))
        return
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


def _check(
    wanted: tuple[str, ...],
    output: Path | None,
    stack: str | None,
    *,
    let_go: bool,
    keep_exports: bool,
    role_arn: str | None,
) -> None:
    if (stack is None) == (not wanted):
        raise click.UsageError("Name resources (TYPE ID …), or a stack with --stack, and not both.")
    if stack is None and let_go:
        raise click.UsageError("--let-go goes with --stack.")
    if (keep_exports or role_arn) and not let_go:
        raise click.UsageError("--keep-exports and --role-arn go with --let-go.")
    if let_go and output is not None:
        raise click.UsageError("--let-go writes no file: leave -o out.")
    if stack is None and output is not None and output.is_dir():
        raise click.UsageError(f"{output} is a folder. Name a file.")


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
