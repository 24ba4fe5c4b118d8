"""The outputs of a process, evaluated from what its resources say of themselves."""

from collections.abc import Iterable
from dataclasses import replace

from tenuto.core.language.resolve import ResolveError, is_resolved, resolve
from tenuto.core.planning.comparing.references import environment
from tenuto.model.composition import Composition
from tenuto.model.delta import Unknown
from tenuto.model.ids import Json
from tenuto.model.outcome import Context
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.service.common.values import masked, secret_names


def evaluated_outputs(
    process: Process, composition: Composition, objects: Iterable[ManagedObject], context: Context | None
) -> dict[str, Json]:
    """Every output by name. What is not known yet says so; what comes from a secret is masked.

    `context` is None when the provider cannot be asked.
    """
    surroundings = environment(process, objects, context or Context(account_id=""), {})
    if context is None:
        known = {name: value for name, value in surroundings.references.items() if name != "AWS::AccountId"}
        surroundings = replace(surroundings, references=known)
    secrets = secret_names(composition)
    outputs: dict[str, Json] = {}
    for output in composition.outputs:
        try:
            value = resolve(masked(output.value, secrets), surroundings)
            # An attribute may be a reference to a secret that the provider keeps.
            value = resolve(masked(value, secrets), surroundings)
        except ResolveError as impossible:
            outputs[output.name] = f"(cannot be evaluated: {impossible})"
            continue
        outputs[output.name] = value if is_resolved(value) else Unknown.AFTER_APPLY.value
    return outputs
