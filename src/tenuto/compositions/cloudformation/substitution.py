"""`Fn::Sub`: a text with `${…}` in it, lowered to a join."""

import re
from collections.abc import Callable

from tenuto.compositions import codes
from tenuto.compositions.cloudformation.references import References
from tenuto.compositions.nodes import Broken, Entry, Expression, Fields, Items, Node, Scalar, describe, located
from tenuto.compositions.problems import Problems
from tenuto.core.expressions import join
from tenuto.model.diagnostic import Position
from tenuto.model.ids import Json

_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_NAME = re.compile(r"[A-Za-z0-9_.:]+")
_LITERAL_HINT = "Write ${!NAME} when the text shall hold ${NAME} as it is."


class Substitution:
    def __init__(
        self, references: References, evaluate: Callable[[Node, bool], Node | None], problems: Problems
    ) -> None:
        self._references = references
        self._evaluate = evaluate
        self._problems = problems

    def substitute(self, argument: Node, position: Position, live: bool) -> Node:
        """Both forms: a text, or a text and a mapping of local names."""
        template, entries = _parts(argument)
        if template is None:
            return Broken(position=position)
        local = {entry.name: self._evaluate(entry.value, live) for entry in entries}
        self._check_used(template, entries)
        parts: list[Json] = []
        is_whole = True
        end = 0
        for match in _VARIABLE.finditer(template.text):
            parts.append(template.text[end : match.start()])
            end = match.end()
            if match[1].startswith("!"):
                parts.append(f"${{{match[1][1:]}}}")
                continue
            node = self._variable(match[1].strip(), match[0], template, local, live)
            if isinstance(node, Scalar | Expression):
                parts.append(node.text if isinstance(node, Scalar) else node.value)
            else:
                is_whole = is_whole and node is None
        if not live or not is_whole:
            return Broken(position=position)
        return located(join(["", [*parts, template.text[end:]]]), position)

    def _variable(
        self, name: str, spelled: str, template: Scalar, local: dict[str, Node | None], live: bool
    ) -> Node | None:
        """The value of one `${…}`: a scalar or an expression; None for nothing at all; else broken."""
        at = self._problems.find(spelled, template)
        if not _NAME.fullmatch(name):
            detail = f"{spelled} does not hold a name."
            self._problems.add(codes.BAD_SUBSTITUTION, at, detail, hint=_LITERAL_HINT)
            return Broken(position=at)
        if name in local:
            value = local[name]
        elif "." in name:
            resource, _, attribute = name.partition(".")
            value = self._references.attribute(resource, attribute, at, live)
        else:
            value = self._references.name(name, at, live, hint=_LITERAL_HINT)
        if isinstance(value, Items | Fields):
            detail = f"{name} is {describe(value)}, and only a text can be put into a text."
            self._problems.add(codes.BAD_SUBSTITUTION, at, detail, hint="Join the items with Fn::Join.")
            return Broken(position=at)
        return value

    def _check_used(self, template: Scalar, entries: tuple[Entry, ...]) -> None:
        used = {name.strip() for name in _VARIABLE.findall(template.text)}
        for entry in entries:
            if entry.name not in used:
                detail = f"The text does not hold ${{{entry.name}}}."
                self._problems.add(codes.UNUSED_VARIABLE, entry.key, detail, subject=entry.name)


def _parts(argument: Node) -> tuple[Scalar | None, tuple[Entry, ...]]:
    if isinstance(argument, Scalar):
        return argument, ()
    if isinstance(argument, Items):
        template, variables = argument.items
        if isinstance(template, Scalar) and isinstance(variables, Fields):
            return template, variables.entries
    return None, ()
