"""`{{resolve:…}}` inside texts: CloudFormation looks these up while it creates a resource.

Each becomes a lookup parameter of its own, so that the provider looks it up like any other. The values behind
`ssm-secure` and `secretsmanager` are secret: the Conductor seals them, as if they had come as NoEcho parameters. Any
other kind is refused: passed on as it is, it would be taken for the value itself.

A reference to a secret that the same template makes has an open part (`${Secret}` is known only when the process runs).
It becomes the call `Tenuto::Secret`, whose value a phase reads (`model.composition`).
"""

import re
from collections.abc import Sequence

from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Broken, Entry, Expression, Fields, Items, Node, Scalar, located
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.core.language.expressions import KEPT_SECRET, call_of, is_list, join
from tenuto.model.composition import Parameter
from tenuto.model.diagnostic import Position
from tenuto.model.ids import Json
from tenuto.model.secret_reference import SECRETS_MANAGER, SecretReference

_REFERENCE = re.compile(r"\{\{resolve:(ssm|ssm-secure|secretsmanager):([^{}]+)\}\}")
_START = "{{resolve:"
_OPENED = f"{_START}secretsmanager:"
_CLOSED = "}}"
_IN_PIECES = (
    "A part of the dynamic reference is known only when the process runs, and Tenuto looks values up before it makes "
    "anything."
)
_RUN_FIRST = (
    "Write the reference in one piece. Only those to secretsmanager may have such a part: a text with "
    "${SECRET} in Fn::Sub, or the pieces of one Fn::Join with an empty delimiter."
)
_FORM = (
    "{{resolve:secretsmanager:ID:SecretString:KEY:STAGE}} or {{resolve:secretsmanager:ID:SecretString:KEY::VERSION}}"
)


class DynamicReferences:
    """A replacer of dynamic references in trees. `parameters` gathers the lookups."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self.parameters: dict[str, Parameter] = {}

    def replace(self, node: Node) -> Node:
        """The tree with each reference turned into a `Ref`."""
        if isinstance(node, Fields):
            return Fields(
                entries=tuple(Entry(key=entry.key, value=self.replace(entry.value)) for entry in node.entries),
                position=node.position,
            )
        if isinstance(node, Items):
            return Items(items=tuple(self.replace(item) for item in node.items), position=node.position)
        if isinstance(node, Scalar) and isinstance(node.value, str) and _START in node.value:
            return self._located(self._text(node.value, node.position), node.position)
        if isinstance(node, Expression) and _START in str(node.value):
            return self._located(self._value(node.value, node.position), node.position)
        return node

    def _located(self, value: Json, position: Position) -> Node:
        return Broken(position=position) if value is None else located(value, position)

    def _value(self, value: Json, position: Position) -> Json:
        """Return the expression with the references in its texts replaced; None when one of them was refused."""
        if isinstance(value, str):
            return self._text(value, position) if _START in value else value
        if is_list(value):
            members = [self._value(member, position) for member in value]
            return None if any(member is None for member in members) else members
        call = call_of(value)
        if call is None:
            return value
        if call[0] == "Fn::Join" and call[1][0] == "" and is_list(call[1][1]):
            value = _with_secrets(call[1][1])
            call = call_of(value)
            if call is None or call[0] == KEPT_SECRET:
                return value
        argument = self._value(call[1], position)
        if argument is None:
            return None
        return join(argument) if call[0] == "Fn::Join" else {call[0]: argument}

    def _text(self, text: str, position: Position) -> Json:
        rest = _REFERENCE.sub("", text)
        if _START in rest:
            kind = rest.partition(_START)[2].partition(":")[0]
            detail, hint = f"A dynamic reference to {kind} cannot be looked up by Tenuto.", ""
            if kind in ("ssm", "ssm-secure", "secretsmanager"):
                detail, hint = _IN_PIECES, _RUN_FIRST
            self._problems.add(codes.DYNAMIC_REFERENCE, position, detail, hint=hint)
            return None
        parts: list[Json] = []
        end = 0
        for match in _REFERENCE.finditer(text):
            kind, key = match[1], match[2]
            if kind == "secretsmanager" and SecretReference.parse(key) is None:
                detail = f"{match[0]} must have the form {_FORM}."
                self._problems.add(codes.DYNAMIC_REFERENCE, position, detail)
                return None
            name = f"resolve:{kind}:{key}"
            self.parameters[name] = Parameter(name=name, lookup=key if kind == "ssm" else name)
            parts += [text[end : match.start()], {"Ref": name}]
            end = match.end()
        parts.append(text[end:])
        whole = [part for part in parts if part]
        return whole[0] if len(whole) == 1 else join(["", whole])


def _with_secrets(parts: Sequence[Json]) -> Json:
    """The join of these parts, in which each reference to a secret that spans several of them is a call of its own."""
    found: list[Json] = []
    opened: list[Json] = []
    for part in parts:
        rest = part
        if opened:
            before, closed, rest = part.partition(_CLOSED) if isinstance(part, str) else ("", "", "")
            opened.append(before if closed else part)
            if not closed:
                continue
            if not _is_reference(opened):
                return join(["", list(parts)])
            found.append({KEPT_SECRET: join(["", opened])})
            opened = []
        if isinstance(rest, str) and _is_begun(rest):
            before, _, after = rest.rpartition(_OPENED)
            found.append(before)
            opened = [f"{SECRETS_MANAGER}{after}"]
        else:
            found.append(rest)
    if opened:
        return join(["", list(parts)])
    whole = [part for part in found if part != ""]
    return whole[0] if len(whole) == 1 else join(["", whole])


def _is_begun(text: str) -> bool:
    """Whether a reference to a secret begins in the text, and does not end there."""
    return _OPENED in text and _CLOSED not in text.rpartition(_OPENED)[2]


def _is_reference(pieces: Sequence[Json]) -> bool:
    """Whether the pieces have the form of a reference, for any value of the open ones."""
    text = "".join(one if isinstance(one, str) else "x" for one in pieces)
    return SecretReference.parse(text.removeprefix(SECRETS_MANAGER)) is not None
