"""Expressions of a composition, evaluated with the answers of the resources of its process: those of its outputs, and
those of the properties of one resource."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tenuto.core.language.resolve import Environment, ResolveError, is_importing, is_resolved, resolve, resolved
from tenuto.core.planning.comparing.references import Addresses, environment
from tenuto.model.composition import Composition, Declaration
from tenuto.model.delta import Unknown
from tenuto.model.ids import Json, JsonMap
from tenuto.model.outcome import NOWHERE, Context
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.service.common.values import masked, secret_names


def surroundings(
    process: Process,
    objects: Iterable[ManagedObject],
    context: Context | None,
    exports: Mapping[str, Json] | None = None,
) -> Environment:
    """The answers that expressions of the process are evaluated with. Without a `context`, where the provider cannot or
    shall not be asked, expressions that need the account stay open, and the others do not suffer."""
    answering = Addresses.of(objects).all_answering
    found = environment(process, answering, context or NOWHERE, exports or {})
    if context is not None:
        return found
    return replace(found, references={name: one for name, one in found.references.items() if name != "AWS::AccountId"})


def has_importing_outputs(composition: Composition) -> bool:
    """Whether any output shows an export of another process: to ask for all exports costs, and few need them."""
    return any(is_importing(output.value) for output in composition.outputs)


def evaluated_outputs(composition: Composition, answers: Environment) -> dict[str, Json]:
    """Every output by name. A value that is not known yet says so; a value from a secret is masked."""
    secrets = secret_names(composition)
    outputs: dict[str, Json] = {}
    for output in composition.outputs:
        try:
            value = resolve(masked(output.value, secrets), answers)
            # An attribute may be a reference to a secret that the provider keeps.
            value = resolve(masked(value, secrets), answers)
        except ResolveError as impossible:
            outputs[output.name] = f"(cannot be evaluated: {impossible})"
            continue
        outputs[output.name] = value if is_resolved(value) else Unknown.AFTER_APPLY.value
    return outputs


def evaluated_properties(declaration: Declaration, answers: Environment) -> JsonMap:
    """The declared properties of a resource by name. One that cannot be evaluated yet is as declared."""
    return {name: resolved(value, answers) for name, value in declaration.properties.items()}
