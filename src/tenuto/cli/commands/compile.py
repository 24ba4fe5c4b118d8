"""`tenuto compile FILE`."""

from tenuto.cli.compiling import Source, compile_options, compile_source
from tenuto.cli.options import command as make_command
from tenuto.cli.options import pass_session
from tenuto.cli.session import Session
from tenuto.compositions.document import canonical_json, to_document
from tenuto.kit.visible import visible_json


@make_command("compile", "tenuto compile vpc.yaml --parameter Stage=test")
@compile_options
@pass_session
def command(session: Session, source: Source) -> None:
    """Print the canonical form of a composition.

    FILE is a CloudFormation template, YAML or JSON. Every error is shown with its place and a
    hint; exit 3 when there is one. Needs no Conductor.
    """
    document = to_document(compile_source(session, source).composition)
    session.emit_file(document, visible_json(canonical_json(document)))
