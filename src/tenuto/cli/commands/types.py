"""`tenuto types`."""

import click

from tenuto.bootstrap.catalogue import installed_facts, installed_table
from tenuto.cli.exits import CommandEnd, Exit, UnreachableError
from tenuto.cli.options import command as make_command
from tenuto.cli.options import pass_session
from tenuto.cli.render_types import render_type, render_types
from tenuto.cli.session import Session
from tenuto.cli.target import find_conductor
from tenuto.compositions.managed import others_of
from tenuto.compositions.provided import default_schemas
from tenuto.lifecycles.diagrams import render_section
from tenuto.model.ids import JsonMap
from tenuto.service.catalogue_view import types_document


@make_command(
    "types",
    "tenuto types",
    "tenuto types ec2",
    "tenuto types AWS::DynamoDB::Table",
    "tenuto types Cloud.Node --diagram",
)
@click.argument("word", required=False)
@click.option("--diagram", is_flag=True, help="Draw the lifecycle of the one type that is named, as Markdown.")
@pass_session
def command(session: Session, word: str | None, diagram: bool) -> None:
    """Show the resource types that can be managed.

    WORD is a part of their names, in any case, or the whole name of one type: then its properties
    are shown, what replaces it, what is refused, and what Ref and Fn::GetAtt give. Where no Conductor
    answers, the types that come with Tenuto are shown, and stderr says so. The picture is that of the table
    in this installation.
    """
    found = _types(session)
    exact = next((one for one in found if word is not None and one["name"].casefold() == word.casefold()), None)
    if diagram:
        session.emit(_drawn(exact), lambda document: str(document["markdown"]))
        return
    if exact is not None:
        schema = default_schemas(session.settings.region).find(exact["name"])
        properties = sorted(schema.properties - schema.read_only) if schema is not None else []
        session.emit({**exact, "properties": properties}, render_type)
        return
    fitting = [one for one in found if word is None or word.casefold() in one["name"].casefold()]
    if not fitting and word is not None:
        raise CommandEnd(Exit.NOT_FOUND, _nothing(word, [one["name"] for one in found]), {"code": "not-found"})
    session.emit({"types": fitting}, render_types)


def _drawn(exact: JsonMap | None) -> JsonMap:
    if exact is None:
        raise click.UsageError("--diagram draws the lifecycle of one type: give its whole name.")
    name = str(exact["lifecycle"])
    table = installed_table(name)
    if table is None:
        message = f"The lifecycle {name} of {exact['name']} is not in this installation. Install its provider here."
        raise CommandEnd(Exit.NOT_FOUND, message, {"code": "not-found"})
    return {"lifecycle": name, "markdown": render_section(table).rstrip()}


def _types(session: Session) -> list[JsonMap]:
    """Return the types of the Conductor, which may have more providers; without a Conductor, those of this
    installation.
    """
    try:
        return list(find_conductor(session.settings).get("types")["types"])
    except UnreachableError:
        session.say("No Conductor was asked: these are the types that come with Tenuto.")
        facts, refused = installed_facts()
        for error in refused:
            session.say(f"Warning: {error}")
        return list(types_document(facts)["types"])


def _nothing(word: str, names: list[str]) -> str:
    if "::" not in word:
        return f"No managed type has {word!r} in its name. 'tenuto types' lists all {len(names)}."
    return f"Tenuto does not manage {word}.{others_of(word, names)}"
