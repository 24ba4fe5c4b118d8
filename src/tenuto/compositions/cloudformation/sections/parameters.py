"""The Parameters section: declarations, the values that they get, and those of them that may be folded.

Four kinds leave here. An ordinary value is folded into the composition. A `NoEcho` value stays a `Ref` and travels
apart, sealed; the composition keeps only a slow hash of it, so that a change can be seen and a guess is expensive. A
value that the provider looks up (`AWS::SSM::Parameter::Value<…>`) stays a `Ref` with the key to look up. A secret that
a process keeps from before stays a `Ref` with nothing: only the Conductor has its value, which is not judged again.

A looked-up value that was asked for before, because a condition waits for it, decides like any other. An assertion then
goes with the composition, so that it runs with that value alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tenuto.compositions.cloudformation.functions.undecidable import report_undecidable
from tenuto.compositions.cloudformation.reading import shape
from tenuto.compositions.cloudformation.sections import constraints
from tenuto.compositions.cloudformation.sections.constraints import ParameterType
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Entry, Expression, Fields, Node, Scalar, scalar
from tenuto.compositions.diagnostics.problems import Problems, is_storable, listed
from tenuto.compositions.documents.fingerprints import fingerprint
from tenuto.kit.nearest import did_you_mean
from tenuto.model.composition import Assertion, Parameter
from tenuto.model.diagnostic import Position
from tenuto.model.ids import Json

_KEYS = (
    *("Type", "Default", "NoEcho", "Description", "AllowedValues", "AllowedPattern", "ConstraintDescription"),
    *("MinLength", "MaxLength", "MinValue", "MaxValue"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """The results of the section for the rest of the compilation."""

    names: tuple[str, ...] = ()
    folded: Mapping[str, Json] = field(default_factory=dict)
    """The values of `Ref`: a text, a list of texts, or an expression for an open one."""
    decided: Mapping[str, Json] = field(default_factory=dict)
    """The values with secrets in clear: for conditions and mapping keys, which must be decided now."""
    known: Mapping[str, Json] = field(default_factory=dict)
    """The folded values, and those of the parameter store that decide something: for lists of loops and files. A list
    whose only item is empty has none here: a loop over it has no round, as in CloudFormation."""
    values: Mapping[str, Json] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)
    open: Mapping[str, Parameter] = field(default_factory=dict)
    assertions: tuple[Assertion, ...] = ()
    """One for each looked-up value that decides something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """The value that another template passes to a parameter. `folded` is its text or its expression; `decided` is the
    text where it is known at compile time, also when it must not be written down."""

    folded: Json
    decided: str | None
    position: Position
    is_broken: bool = False
    """True for a value that cannot be told, which was reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The value that a process has had so far: a text, or None for a secret. It counts where the template declares the
    parameter still, goes before its default, and is no mistake where it does not."""

    value: str | None


Given = str | Passed | Kept
"""The value of one parameter, as it is given to a template."""


def compile_parameters(
    section: Fields | None,
    given: Mapping[str, Given],
    problems: Problems,
    *,
    prefix: str = "",
    looked_up: Mapping[str, Json] | None = None,
) -> Parameters:
    """Check the declarations and values. A parameter with a problem still has its name, so that no Ref is unknown.

    An open parameter is called by its name with the `prefix`, which the whole composition has once. `looked_up` are the
    values of the parameter store that are known, by key.
    """
    found = _Found(prefix=prefix, looked_up=looked_up or {})
    entries = section.entries if section else ()
    for entry in entries:
        _declare(entry, given, problems, found)
    names = tuple(entry.name for entry in entries)
    for name in sorted(given.keys() - set(names)):
        value = given[name]
        if isinstance(value, Kept):
            continue
        problems.add(
            codes.UNDECLARED_PARAMETER,
            value.position if isinstance(value, Passed) else None,
            f"{name} is given, and the composition declares {listed(names)}.",
            subject=name,
            hint=did_you_mean(name, names),
        )
    return Parameters(
        names=names,
        folded=found.folded,
        decided=found.decided,
        known={name: [] if value == [""] else value for name, value in {**found.folded, **found.looked}.items()},
        values=found.values,
        secrets=found.secrets,
        open=found.open,
        assertions=tuple(found.assertions),
    )


@dataclass(slots=True)
class _Found:
    prefix: str
    looked_up: Mapping[str, Json]
    """The values of the parameter store by key."""
    looked: dict[str, Json] = field(default_factory=dict)
    """Those of them that parameters have, by the name of the parameter."""
    folded: dict[str, Json] = field(default_factory=dict)
    decided: dict[str, Json] = field(default_factory=dict)
    values: dict[str, Json] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    open: dict[str, Parameter] = field(default_factory=dict)
    assertions: list[Assertion] = field(default_factory=list)


def _declare(entry: Entry, given: Mapping[str, Given], problems: Problems, found: _Found) -> None:
    name = entry.name
    node = shape.fields(entry.value, problems, f"Parameter {name}")
    if node is None:
        return
    node = shape.known_fields(node, _KEYS, problems, codes.UNKNOWN_PARAMETER_KEY, "A parameter")
    kind = _type(entry, node, problems)
    if kind is None:
        return
    secret_node = node.get("NoEcho")
    is_secret = secret_node is not None and shape.flag(secret_node, problems, "NoEcho")
    passed = given.get(name)
    if isinstance(passed, Passed):
        _pass_on(entry, kind, node, passed, is_secret, problems, found)
        return
    if isinstance(passed, Kept):
        if passed.value is None and is_secret:
            _keep_secret(name, kind, problems, found)
            return
        # The template calls a secret of before none, and the client does not know its value.
        passed = passed.value
    at, value = _value(entry, node, passed, problems, is_passed=bool(found.prefix))
    if value is None:
        return
    if not is_storable(value):
        problems.add(codes.NOT_UTF8, at, f"The value of {name} is not UTF-8 text.", subject=name)
        return
    if not constraints.check(name, kind, node, value, at, problems, is_secret=is_secret):
        return
    _keep(entry.key, kind, value, is_secret, problems, found)


def _type(entry: Entry, node: Fields, problems: Problems) -> ParameterType | None:
    type_node = node.get("Type")
    if type_node is None:
        problems.add(codes.PARAMETER_WITHOUT_TYPE, entry.key, f"{entry.name} has no Type.", subject=entry.name)
        return None
    spelled = shape.text(type_node, problems, "The type of a parameter")
    if spelled is None:
        return None
    kind = constraints.parameter_type(spelled)
    if kind is None:
        problems.add(
            codes.UNKNOWN_PARAMETER_TYPE,
            type_node,
            f"There is no parameter type {spelled}.",
            subject=entry.name,
            hint=did_you_mean(spelled, constraints.known_types()),
        )
    return kind


def _pass_on(
    entry: Entry, kind: ParameterType, node: Fields, passed: Passed, is_secret: bool, problems: Problems, found: _Found
) -> None:
    """Bind the parameter to a value of another template. An expression stays one, and is checked as far as it is
    known."""
    if passed.is_broken:
        return
    name = entry.name
    is_open = not isinstance(passed.folded, str)
    text = passed.decided
    if text is not None:
        at = scalar(text, passed.position)
        if not constraints.check(name, kind, node, text, at, problems, is_secret=is_secret or is_open):
            return
        if not is_open:
            _keep(entry.key, kind, text, is_secret, problems, found)
            return
    if kind.is_lookup:
        what = f"The name that {name} looks up in the parameter store"
        report_undecidable(Expression(value=passed.folded, position=passed.position), what, problems)
        return
    found.folded[name] = {"Fn::Split": [",", passed.folded]} if kind.is_list else passed.folded
    known: Json = constraints.members(text) if kind.is_list and text is not None else text
    found.decided[name] = found.folded[name] if text is None else known


def _value(
    entry: Entry, node: Fields, given: str | None, problems: Problems, *, is_passed: bool
) -> tuple[Scalar, str | None]:
    """The value, and the node that an error in it points at: the name of the parameter for a value from outside."""
    if given is not None:
        return entry.key, given
    default = node.get("Default")
    if default is None:
        problems.add(
            codes.PARAMETER_WITHOUT_VALUE,
            entry.key,
            f"{entry.name} has no default, and no value is given.",
            subject=entry.name,
            hint=_how_to_give(entry.name, is_passed=is_passed),
        )
        return entry.key, None
    if isinstance(default, Scalar) and default.value is None:
        return default, ""
    return _scalar(default, entry.key), shape.text(default, problems, f"The default of {entry.name}")


def _how_to_give(name: str, *, is_passed: bool) -> str:
    if is_passed:
        return f"Pass it under the Parameters of the nested template, as `{name}: VALUE`, or add a Default."
    given = f"Give it with --parameter {name}=VALUE, or add a Default."
    return f"{given} An update with --keep-parameters leaves it as the process has it."


def _scalar(node: Node, other: Scalar) -> Scalar:
    return node if isinstance(node, Scalar) else other


def _keep_secret(name: str, kind: ParameterType, problems: Problems, found: _Found) -> None:
    scoped = found.prefix + name
    problems.leave_open(scoped)
    found.open[scoped] = Parameter(name=scoped, is_kept=True)
    found.folded[name] = found.decided[name] = _reference(scoped, kind)


def _reference(scoped: str, kind: ParameterType) -> Json:
    reference: Json = {"Ref": scoped}
    return {"Fn::Split": [",", reference]} if kind.is_list else reference


def _keep(key: Scalar, kind: ParameterType, value: str, is_secret: bool, problems: Problems, found: _Found) -> None:
    name = key.text
    scoped = found.prefix + name
    reference = _reference(scoped, kind)
    plain: Json = constraints.members(value) if kind.is_list else value
    if kind.is_lookup:
        problems.leave_open(scoped, value)
        found.open[scoped] = Parameter(name=scoped, lookup=value)
        found.folded[name] = found.decided[name] = reference
        if value in found.looked_up:
            known = found.looked_up[value]
            plain = constraints.members(known) if kind.is_list and isinstance(known, str) else known
            found.decided[name] = found.looked[name] = plain
            found.assertions.append(_same(scoped, reference, plain, key.position))
    elif is_secret:
        found.open[scoped] = Parameter(name=scoped, fingerprint=fingerprint(scoped, value))
        found.secrets[scoped] = value
        found.folded[name] = reference
        found.decided[name] = plain
    else:
        found.folded[name] = found.decided[name] = found.values[name] = plain


def _same(scoped: str, reference: Json, known: Json, position: Position) -> Assertion:
    """The assertion that the parameter store still has the value by which the composition was decided."""
    return Assertion(
        rule=scoped,
        holds={"Fn::Equals": [reference, known]},
        description="The parameter store has another value now than the one that decided the conditions.",
        position=position,
    )
