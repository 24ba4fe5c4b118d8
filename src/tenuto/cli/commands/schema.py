"""`tenuto schema`: the JSON Schema of a file."""

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session
from tenuto.cli.terminal import terminal
from tenuto.cli.terminal.exits import CommandEnd, Exit
from tenuto.cli.terminal.session import Session
from tenuto.kit.config_file import Kind
from tenuto.kit.nearest import meant
from tenuto.model.cloud_node import CLOUD_NODE, IN_TEMPLATES
from tenuto.model.ids import JsonMap
from tenuto.settings import OPTIONS

if TYPE_CHECKING:
    from tenuto.compositions.checks.schema import TypeSchema

_FILES = ("composition", "policy", "rule", "config", "api")
_VALUES: dict[Kind, JsonMap] = {
    Kind.NUMBER: {"type": "number"},
    Kind.FLAG: {"type": "boolean"},
    Kind.PATHS: {"type": "array", "items": {"type": "string"}},
    Kind.LINES: {"type": "array", "items": {"type": "string"}},
}


@make_command("schema", "tenuto schema composition", "tenuto schema composition --type AWS::EC2::VPC")
@click.argument("what", type=click.Choice(_FILES))
@click.option(
    "--type",
    "types",
    metavar="TYPE",
    multiple=True,
    help="Of compositions: only the properties of this type; may be repeated. Default: of every type with a block.",
)
@pass_session
def command(session: Session, what: str, types: tuple[str, ...]) -> None:
    """Print the JSON Schema of a file, for an editor.

    WHAT is composition, policy, rule or config (tenuto.toml): a schema by which an editor completes and checks the file
    while it is typed. 'tenuto compile' has the last word about a composition. api is the OpenAPI document of the API,
    from the Conductor.
    """
    from tenuto.compositions.schemas.policy import policy_schema
    from tenuto.compositions.schemas.rule import rule_schema

    if types and what != "composition":
        raise click.UsageError("--type is for compositions.")
    match what:
        case "composition":
            document = _composition(session, types)
        case "policy":
            document = policy_schema()
        case "rule":
            document = rule_schema()
        case "config":
            document = config_schema()
        case _:
            document = find_conductor(session.settings).get("openapi.json")
    terminal.out(json.dumps(document, ensure_ascii=False, indent=1))


def _composition(session: Session, wanted: Iterable[str]) -> JsonMap:
    from tenuto.bootstrap.tools.catalogue import installed_facts
    from tenuto.compositions.checks.provided import default_schemas
    from tenuto.compositions.schemas.composition import composition_schema

    source = default_schemas(session.settings.region)
    names = [name for name in source.names() if name != CLOUD_NODE] + [IN_TEMPLATES, CLOUD_NODE]
    found: list[TypeSchema] = []
    for name in wanted:
        schema = source.find(name)
        if schema is None:
            raise CommandEnd(Exit.USAGE, f"There is no type {name}.{meant(name, names)}", {"code": "not-found"})
        found.append(schema)
    if not found:
        facts, _ = installed_facts()
        found = [schema for name in facts if (schema := source.find(name)) is not None]
    return composition_schema(found, names)


def config_schema() -> JsonMap:
    """The schema of `tenuto.toml`."""
    from tenuto.compositions.schemas.composition import DIALECT

    return {
        "$schema": DIALECT,
        "title": "The configuration of Tenuto",
        "type": "object",
        "properties": {
            name: {**_VALUES.get(kind, {"type": "string"}), "description": f"As the variable TENUTO_{name.upper()}."}
            for name, kind in sorted(OPTIONS.items())
        },
        "additionalProperties": False,
    }
