"""`${NAME}` in a text that no `Fn::Sub` surrounds: it stays as it is written, which is seldom meant.

Theory of operation. Only a name of the template counts: a parameter, a resource, an attribute of one, or a pseudo
parameter. `${aws:username}` of a policy and the variables of a shell are others. A shell may have a variable of the
same name; then it sets it, and the text shows that. Some properties are texts in a language that has the same form and
values of its own; nothing is said of those, nor of parts that a condition leaves out.
"""

import re
from collections.abc import Iterable, Iterator

from tenuto.compositions.cloudformation.functions.scope import Scope
from tenuto.compositions.cloudformation.functions.substitution import variables
from tenuto.compositions.cloudformation.sections.resources import Source
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Fields, Items, Node, Scalar
from tenuto.compositions.diagnostics.problems import Problems

_SUB = "Fn::Sub"
_OTHER_LANGUAGES = frozenset(
    {"BuildSpec", "DefinitionBody", "DefinitionString", "RequestTemplates", "ResponseTemplates"}
)
"""Properties of CodeBuild, Step Functions and API Gateway."""


def check_unsubstituted(
    sources: Iterable[Source], absent: frozenset[str], outputs: Fields | None, scope: Scope, problems: Problems
) -> None:
    """Warn of every name of the template that stands in `${…}` in a plain text. `absent` resources are left out."""
    places = [source.fields.get("Properties") for source in sources if source.name not in absent]
    for place in (*places, outputs):
        for text in _texts(place) if place is not None else ():
            _check(text, scope, problems)


def _texts(node: Node) -> Iterator[Scalar]:
    """Every text in it that is not an argument of `Fn::Sub`, in the order of the file."""
    if isinstance(node, Scalar):
        if isinstance(node.value, str):
            yield node
    elif isinstance(node, Items):
        for item in node.items:
            yield from _texts(item)
    elif isinstance(node, Fields):
        for entry in node.entries:
            if entry.name != _SUB and entry.name not in _OTHER_LANGUAGES:
                yield from _texts(entry.value)


def _check(text: Scalar, scope: Scope, problems: Problems) -> None:
    names = dict.fromkeys(one.name for one in variables(text.text))
    for name in names:
        if _is_known(name, scope) and not _sets(text.text, name):
            spelled = f"${{{name}}}"
            at = problems.found(spelled, text, text.position) or text.position
            detail = f"{spelled} is not replaced: only Fn::Sub puts the value of {name} into a text."
            problems.add(codes.NOT_SUBSTITUTED, at, detail, subject=name, hint=_hint(spelled))


def _is_known(name: str, scope: Scope) -> bool:
    return name in scope.names or name.partition(".")[0] in scope.resources


def _sets(text: str, name: str) -> bool:
    """Whether a shell gives the variable a value."""
    return re.search(rf"(?<![\w$]){re.escape(name)}=", text) is not None


def _hint(spelled: str) -> str:
    return f"Write !Sub before the text. If it shall hold {spelled} as it is, write !Sub and ${{!{spelled[2:]}."
