"""The meaning of a composition as canonical JSON, and its digest.

Keys are sorted and resources stand by logical id, so the same template gives the same text, however it was spelled.
Where things stood in a file is no part of it.
"""

import hashlib
import json
from typing import Final

from tenuto.model.composition import Assertion, Composition, Declaration, Output, Parameter
from tenuto.model.ids import Json, JsonMap

VERSION: Final = 1


def canonical_json(document: JsonMap) -> str:
    """One line, sorted keys, no spaces, no escapes but those that JSON needs."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(composition: Composition) -> str:
    """The SHA-256 of the meaning of a composition: its canonical JSON without positions and without the digest."""
    return hashlib.sha256(canonical_json(meaning(composition)).encode()).hexdigest()


def meaning(composition: Composition) -> dict[str, Json]:
    """Return everything of a composition but positions and the digest. Assertions are named only where there are any:
    few have some.
    """
    assertions = [_assertion(one) for one in composition.assertions]
    return {
        **({"assertions": assertions} if assertions else {}),
        "version": VERSION,
        "name": composition.name,
        "region": composition.region,
        "description": composition.description,
        "parameters": {name: _parameter(parameter) for name, parameter in sorted(composition.parameters.items())},
        "values": dict(sorted(composition.values.items())),
        "resources": {
            declaration.logical_id: _declaration(declaration)
            for declaration in sorted(composition.resources, key=lambda declaration: declaration.logical_id)
        },
        "outputs": {
            output.name: _output(output) for output in sorted(composition.outputs, key=lambda output: output.name)
        },
    }


def _parameter(parameter: Parameter) -> JsonMap:
    if parameter.is_kept:
        return {"kept": True}
    return {"fingerprint": parameter.fingerprint} if parameter.fingerprint else {"lookup": parameter.lookup}


def _declaration(declaration: Declaration) -> JsonMap:
    return {
        "type": declaration.type,
        "properties": declaration.properties,
        "depends_on": list(declaration.depends_on),
        "deletion_policy": declaration.deletion_policy.value,
        "replace_policy": declaration.replace_policy.value,
        "metadata": declaration.metadata,
    }


def _assertion(assertion: Assertion) -> JsonMap:
    return {"rule": assertion.rule, "holds": assertion.holds, "description": assertion.description}


def _output(output: Output) -> JsonMap:
    return {"value": output.value, "description": output.description, "export": output.export}
