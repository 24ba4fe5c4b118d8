"""Secrets that a composition makes, and reads by the names that it gives them.

Theory of operation. A dynamic reference with a name is looked up when a composition is accepted, before anything is
made (`service.intake.fetched_secrets`). CloudFormation looks it up when it makes the resource that has it, and the
secret may be one of the same template. So the name of a secret that the composition declares counts as a reference to
it: what reads the secret is made after it, and a phase reads the value. A resource that the secret itself is built on
cannot come after it; its reference is looked up as any other.
"""

from collections.abc import Mapping
from dataclasses import replace

from tenuto.core.language.expressions import KEPT_SECRET, call_of, join, replacing
from tenuto.core.language.resolve import open_expressions
from tenuto.core.planning.comparing.order import reached
from tenuto.model.composition import Declaration, Parameter
from tenuto.model.ids import Json, LogicalId
from tenuto.model.secret_reference import SECRETS_MANAGER, SecretReference

_SECRET = "AWS::SecretsManager::Secret"


def reading_own_secrets(
    declarations: tuple[Declaration, ...], parameters: Mapping[str, Parameter]
) -> tuple[tuple[Declaration, ...], dict[str, Parameter]]:
    """The declarations, where a secret that one of them makes is read from it, and the parameters without the look-ups
    that this replaces."""
    named = {str(one.properties["Name"]): one.logical_id for one in declarations if _is_named(one)}
    lookups = {name: named[secret] for name in parameters if (secret := _secret_in(name)) in named}
    if not lookups:
        return declarations, dict(parameters)
    needed = {one.logical_id: one.depends_on for one in declarations}
    left: set[str] = set()
    found: list[Declaration] = []
    for one in declarations:
        own: dict[str, LogicalId] = {}
        for name in sorted({opened.name for opened in open_expressions(one.properties)} & lookups.keys()):
            if one.logical_id in reached([lookups[name]], needed):
                left.add(name)
                continue
            own[name] = lookups[name]
            needed[one.logical_id] = tuple(sorted({*needed[one.logical_id], lookups[name]}))
        found.append(_reading(one, own, needed[one.logical_id]) if own else one)
    return tuple(found), {name: one for name, one in parameters.items() if name not in lookups or name in left}


def _is_named(declaration: Declaration) -> bool:
    return declaration.type == _SECRET and isinstance(declaration.properties.get("Name"), str)


def _secret_in(parameter: str) -> str | None:
    """The name of the secret that a parameter looks up; None for another parameter."""
    reference = SecretReference.parse(parameter.removeprefix(SECRETS_MANAGER))
    return reference.secret if reference is not None and parameter.startswith(SECRETS_MANAGER) else None


def _reading(declaration: Declaration, own: Mapping[str, LogicalId], depends_on: tuple[LogicalId, ...]) -> Declaration:
    def read(value: Json) -> Json:
        match call_of(value):
            case ("Ref", str() as name) if name in own:
                rest = name.removeprefix(f"{SECRETS_MANAGER}{_secret_in(name)}")
                return {KEPT_SECRET: join(["", [SECRETS_MANAGER, {"Ref": own[name]}, *([rest] if rest else [])]])}
        return None

    properties = {name: replacing(value, read) for name, value in declaration.properties.items()}
    return replace(declaration, properties=properties, depends_on=depends_on)
