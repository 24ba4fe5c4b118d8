"""The Transform section: the programs that rewrite the template, and the errors that can be told before they do.

`AWS::LanguageExtensions` is text that stands for other text, and is expanded here (`loops`); SAM has a translator
(`serverless`), and that of Secrets Manager stands for one property (`hosted_rotation`). Every other transform is a
program that runs inside CloudFormation, and an error. The other errors in the file are told with it, so that the file
can be corrected in one go, but only as far as the program could not change them: a part that it may add, take away or
rewrite cannot be wrong yet.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.compositions.cloudformation.dialects import hosted_rotation
from tenuto.compositions.cloudformation.dialects.serverless import PREFIX, TRANSFORM
from tenuto.compositions.cloudformation.reading import forms
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Broken, Fields, Items, Node, Scalar, describe
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.model.diagnostic import Diagnostic

LANGUAGE_EXTENSIONS = "AWS::LanguageExtensions"
_NAMES = frozenset({codes.UNKNOWN_NAME.code, codes.UNKNOWN_RESOURCE.code, codes.UNKNOWN_DEPENDENCY.code})
_TYPES = frozenset({codes.UNKNOWN_TYPE.code, codes.TYPE_NOT_SUPPORTED.code, codes.TYPE_NOT_MANAGED.code})
_KEYS_OF_SERVERLESS = {
    codes.UNKNOWN_SECTION.code: frozenset({"Globals"}),
    codes.UNKNOWN_RESOURCE_KEY.code: frozenset({"Connectors", "IgnoreGlobals"}),
}
_SECTIONS_OF_MACROS = ("Parameters", "Mappings", "Conditions", "Resources", "Outputs")
MODULE = "::MODULE"
"""The end of the types that CloudFormation puts other resources in the place of."""
_CERTAIN = ("T0", "T2")
"""The first signs of the codes that say something of the file as a text, and of the parameters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transforms:
    """The transforms that the template asks for. `serverless` are the resources that the serverless transform makes
    others of; None when it is not asked for."""

    has_language_extensions: bool = False
    serverless: tuple[str, ...] | None = None
    has_others: bool = False

    def could_change(self, diagnostic: Diagnostic) -> bool:
        """Whether a transform that was not run could make the problem go away."""
        if self.has_others and not diagnostic.code.startswith(_CERTAIN):
            return diagnostic.code not in (codes.NO_TRANSFORM.code, codes.FUNCTION_NOT_SUPPORTED.code)
        return self.serverless is not None and self._is_serverless(diagnostic, self.serverless)

    def _is_serverless(self, diagnostic: Diagnostic, resources: tuple[str, ...]) -> bool:
        if diagnostic.code == codes.UNKNOWN_DEPENDENCY.code:
            return True
        if diagnostic.code in _NAMES:
            # The names that it makes begin with the name of their source: FunctionRole, ApiProdStage.
            return diagnostic.subject.startswith((*resources, "Serverless"))
        if diagnostic.code in _TYPES:
            return diagnostic.subject in resources
        return diagnostic.subject in _KEYS_OF_SERVERLESS.get(diagnostic.code, ())


def could_bring(resources: Mapping[str, str], diagnostic: Diagnostic) -> bool:
    """Whether a problem is that a name is unknown which a resource would have brought: one of SAM in a template that
    does not ask for it, or a module. `resources` are the types of all resources, by name."""
    if diagnostic.code not in (codes.UNKNOWN_NAME.code, codes.UNKNOWN_RESOURCE.code):
        return False
    bringing = (name for name, kind in resources.items() if kind.startswith(PREFIX) or kind.endswith(MODULE))
    return diagnostic.subject.startswith(tuple(bringing))


def open_transforms(root: Fields, problems: Problems) -> Transforms:
    """Read the section. Every transform but that of the language extensions is reported, each at its name."""
    section = root.entry("Transform")
    node: Node | None = section.value if section else None
    named = node.items if isinstance(node, Items) else (node,) if node is not None else ()
    names = [_name(one, problems) for one in named]
    is_serverless = any(name is not None and name.text == TRANSFORM for name in names)
    foreign = [name for name in names if name is not None and not _is_understood(name.text)]
    for name in foreign:
        detail = f"{name.text} is a program that rewrites the template, and it runs only inside CloudFormation."
        problems.add(codes.NO_TRANSFORM, name, detail, subject=name.text)
    written = root.entry("Fn::Transform")
    if written is not None:
        detail = forms.transform_told(written.value)
        problems.add(codes.FUNCTION_NOT_SUPPORTED, written.key, detail, hint=codes.NO_TRANSFORM.hint)
    return Transforms(
        has_language_extensions=any(name is not None and name.text == LANGUAGE_EXTENSIONS for name in names),
        serverless=_serverless(root) if is_serverless else None,
        has_others=bool(foreign) or _has_macro(root),
    )


def _is_understood(name: str) -> bool:
    return name in (LANGUAGE_EXTENSIONS, TRANSFORM) or hosted_rotation.TRANSFORM.fullmatch(name) is not None


def _name(node: Node, problems: Problems) -> Scalar | None:
    """The name of a transform, which may be given with parameters."""
    spelled = node.get("Name") if isinstance(node, Fields) else node
    if isinstance(spelled, Scalar) and spelled.value is not None:
        return spelled
    if not isinstance(node, Broken):
        detail = f"A transform must be a name, or a mapping with a Name and Parameters, and is {describe(node)}."
        problems.add(codes.WRONG_SHAPE, node, detail)
    return None


def _has_macro(root: Fields) -> bool:
    """Whether a program writes entries of a section, or of the template."""
    levels = [root, *(root.get(name) for name in _SECTIONS_OF_MACROS)]
    return any(level.entry("Fn::Transform") is not None for level in levels if isinstance(level, Fields))


def _serverless(root: Fields) -> tuple[str, ...]:
    resources = root.get("Resources")
    found: list[str] = []
    for entry in resources.entries if isinstance(resources, Fields) else ():
        spelled = entry.value.get("Type") if isinstance(entry.value, Fields) else None
        if isinstance(spelled, Scalar) and spelled.text.startswith(PREFIX):
            found.append(entry.name)
    return tuple(found)
