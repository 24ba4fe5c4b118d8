"""`tenuto types`."""

from collections.abc import Mapping

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import names_of, pass_session
from tenuto.cli.render.types import render_fitting, render_type, render_types
from tenuto.cli.terminal.exits import CommandEnd, Exit, UnreachableError
from tenuto.cli.terminal.output_forms import either, listed, shown
from tenuto.cli.terminal.session import Session
from tenuto.model.cloud_node import CLOUD_NODE, IN_TEMPLATES
from tenuto.model.ids import JsonMap, TypeName
from tenuto.model.resource import ResourceType
from tenuto.service.views.catalogue_view import type_document, types_document


@make_command(
    "types",
    "tenuto types",
    "tenuto types ec2",
    "tenuto types AWS::DynamoDB::Table",
    "tenuto types Cloud.Node --diagram",
    names=either("types", listed("types", "name"), shown("name", "lifecycle")),
)
@click.argument("word", required=False, shell_complete=names_of("types"))
@click.option("--diagram", is_flag=True, help="Draw the lifecycle of the one type that is named, as Markdown.")
@pass_session
def command(session: Session, word: str | None, diagram: bool) -> None:
    """Show the resource types that can be managed.

    WORD is a part of their names, in any case, or the whole name of one type: then its properties are shown, those
    whose change replaces it, those that are refused, and the values of Ref and Fn::GetAtt. Where no Conductor answers,
    the types of the installed providers are shown, and stderr says so. Types without a block of their own go through
    Cloud Control; they are shown for a WORD. The picture is that of the table in this installation.
    """
    from tenuto.compositions.checks.provided import default_schemas

    types = _Types(session)
    names = types.names()
    if word is not None and word.casefold() == IN_TEMPLATES.casefold():
        word = CLOUD_NODE
    whole = next((one for one in names if word is not None and one.casefold() == word.casefold()), None)
    exact = types.one(whole) if whole is not None else None
    if diagram:
        session.emit(_drawn(exact), lambda document: str(document["markdown"]), keeps_lines=True)
        return
    if exact is not None:
        schema = default_schemas(session.settings.region).find(exact["name"])
        properties = sorted(schema.properties - schema.read_only) if schema is not None else []
        session.emit({**exact, "properties": properties}, render_type)
        return
    document = types.fitting(word)
    if word is not None and not document["types"] and not document["more"]:
        raise CommandEnd(Exit.NOT_FOUND, f"{_nothing(word, names)}{types.asked()}", {"code": "not-found"})
    session.emit(document, render_types if word is None else render_fitting)


def _drawn(exact: JsonMap | None) -> JsonMap:
    from tenuto.bootstrap.tools.catalogue import installed_table
    from tenuto.lifecycles.diagrams import render_section

    if exact is None:
        raise click.UsageError("--diagram draws the lifecycle of one type: give its whole name.")
    name = str(exact["lifecycle"])
    table = installed_table(name)
    if table is None:
        message = f"The lifecycle {name} of {exact['name']} is not in this installation. Install its provider here."
        raise CommandEnd(Exit.NOT_FOUND, message, {"code": "not-found"})
    return {"lifecycle": name, "markdown": render_section(table).rstrip()}


class _Types:
    """The types of the Conductor, which may have more providers; without a Conductor, those of this installation."""

    def __init__(self, session: Session) -> None:
        from tenuto.bootstrap.tools.catalogue import installed_facts

        self._facts: Mapping[TypeName, ResourceType] | None = None
        try:
            self._client = find_conductor(session.settings)
            self._document = self._client.get("types")
        except UnreachableError:
            session.say("No Conductor was asked: these are the types of the installed providers.")
            self._facts, refused = installed_facts()
            self._document = types_document(self._facts)
            for error in refused:
                session.say(f"Warning: {error}")

    def asked(self) -> str:
        """Tell which Conductor was asked, with its providers: it may be started without the one that is looked for."""
        if self._facts is not None:
            return ""
        providers = sorted({str(one["provider"]) for one in self._document["types"]})
        return f" The Conductor that was asked has types of {', '.join(providers) or 'no provider'}."

    def names(self) -> list[str]:
        """Every name, also of those without a block of their own."""
        return [one["name"] for one in self._document["types"]] + [
            name for one in self._document.get("more", ()) for name in one["names"]
        ]

    def one(self, name: str) -> JsonMap:
        """One of these in full."""
        listed = next((one for one in self._document["types"] if one["name"] == name), None)
        if listed is not None:
            return dict(listed)
        return (
            type_document(self._facts[TypeName(name)]) if self._facts is not None else self._client.get("types", name)
        )

    def fitting(self, word: str | None) -> JsonMap:
        """The document of the types that have the word in their names; all of them without a word."""
        folded = (word or "").casefold()
        more = [
            {**one, "names": [name for name in one["names"] if folded in name.casefold()]}
            for one in self._document.get("more", ())
        ]
        return {
            "types": [one for one in self._document["types"] if folded in one["name"].casefold()],
            "more": [one for one in more if one["names"]],
        }


def _nothing(word: str, names: list[str]) -> str:
    from tenuto.compositions.checks.managed import others_of

    if "::" not in word:
        return f"No managed type has {word!r} in its name. 'tenuto types' lists all {len(names)}."
    return f"Tenuto does not manage {word}.{others_of(word, names)}"
