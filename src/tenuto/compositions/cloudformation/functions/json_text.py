"""`Fn::ToJsonString`: a value as JSON text, lowered to a join where parts of it are still open.

The keys keep the order of the file, as CloudFormation keeps it. Open parts are put in by the residual function of the
same name, which quotes a text and writes a list or a mapping out: only when the process runs is it known which it is.
"""

import json
from collections.abc import Iterator

from tenuto.compositions.diagnostics.nodes import Expression, Fields, Items, Node, to_json
from tenuto.core.language.expressions import join, to_json_string
from tenuto.model.ids import Json


def json_text(node: Node) -> Json:
    """The text, or an expression of it. Raises ResolveError when it would be too long."""
    return join(["", list(_parts(node))])


def _parts(node: Node) -> Iterator[Json]:
    if isinstance(node, Fields):
        for number, entry in enumerate(node.entries):
            yield f"{',' if number else '{'}{json.dumps(entry.name, ensure_ascii=False)}:"
            yield from _parts(entry.value)
        yield "}" if node.entries else "{}"
    elif isinstance(node, Items):
        for number, item in enumerate(node.items):
            yield "," if number else "["
            yield from _parts(item)
        yield "]" if node.items else "[]"
    else:
        yield to_json_string(to_json(node) if not isinstance(node, Expression) else node.value)
