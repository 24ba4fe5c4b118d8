"""The rule with which the CDK asks, in every template, whether an account is prepared for its own deployments.

`CheckBootstrapVersion` compares `BootstrapVersion`, a parameter that CloudFormation looks up in the account, with the
version of the roles and of the bucket through which `cdk deploy` works. Tenuto works through neither, so the answer is
of no use, and an account that was never bootstrapped can run the template: the rule is not asked, and the parameter is
not looked up when nothing else refers to it. A rule of that name that asks for anything else is a rule like others.
"""

from tenuto.compositions.cloudformation.templates.placement import Unit
from tenuto.compositions.diagnostics.nodes import Entry, Fields, Items, Scalar, walk
from tenuto.core.language.assertions import values_of
from tenuto.core.language.resolve import open_expressions
from tenuto.model.composition import Parameter

_RULE = "CheckBootstrapVersion"
_PARAMETER = "BootstrapVersion"


def is_bootstrap_rule(entry: Entry) -> bool:
    """Whether it is the CDK's rule: it has no condition, and each assertion is that the version is none of some."""
    if entry.name != _RULE or not isinstance(entry.value, Fields) or entry.value.names != ("Assertions",):
        return False
    references = [
        found.get("Ref") for found in walk(entry.value) if isinstance(found, Fields) and found.entry("Ref") is not None
    ]
    assertions = entry.value.entries[0].value
    return (
        isinstance(assertions, Items)
        and bool(references)
        and all(isinstance(one, Scalar) and one.text == _PARAMETER for one in references)
    )


def needed_parameters(unit: Unit, rules: Fields | None) -> dict[str, Parameter]:
    """The open parameters of a template without the one that only the CDK's rule refers to."""
    parameters = dict(unit.open)
    if _PARAMETER not in parameters or not parameters[_PARAMETER].lookup:
        return parameters
    if not any(is_bootstrap_rule(entry) for entry in (rules.entries if rules else ())):
        return parameters
    values = [
        *([one.properties, one.metadata] for one in unit.declarations),
        *([one.value, one.export] for one in unit.outputs),
        *(list(values_of(one.holds)) for one in unit.assertions),
    ]
    is_used = any(wait.kind == "Ref" and wait.name == _PARAMETER for wait in open_expressions(values))
    return {name: one for name, one in parameters.items() if is_used or name != _PARAMETER}
