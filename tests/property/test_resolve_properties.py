from hypothesis import given
from hypothesis import strategies as st

from tenuto.core.language.resolve import Environment, ResolveError, is_resolved, open_expressions, resolve

NAMES = ("A", "B", "C")
KNOWN = {"A": "alpha", "B": "", "C": "x-y-z"}
ZONES = {"here": ("here-a", "here-b", "here-c")}

texts = st.sampled_from(["", "a", "b-c", "-", "7"])
references = st.sampled_from([{"Ref": name} for name in NAMES] + [{"Fn::GetAtt": [name, "Id"]} for name in NAMES])


def _larger(scalars: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    lists = st.one_of(
        st.lists(scalars, max_size=3),
        st.builds(lambda text: {"Fn::Split": ["-", text]}, scalars),
        st.just({"Fn::GetAZs": ""}),
    )
    return st.one_of(
        st.builds(lambda delimiter, members: {"Fn::Join": [delimiter, members]}, texts, lists),
        st.builds(lambda index, members: {"Fn::Select": [index, members]}, st.integers(0, 2), lists),
        st.builds(lambda text: {"Fn::Base64": text}, scalars),
        st.builds(lambda value: {"Fn::ToJsonString": value}, scalars),
    )


scalars = st.recursive(st.one_of(texts, references), _larger, max_leaves=8)
values = st.recursive(
    st.one_of(scalars, st.just({"Ref": "AWS::NoValue"})),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("pqr"), inner, max_size=3)),
    max_leaves=6,
)


def _environment(names: frozenset[str], *, zones: bool) -> Environment:
    return Environment(
        references={name: KNOWN[name] for name in sorted(names)},
        attributes={(name, "Id"): f"{KNOWN[name]}!" for name in sorted(names)},
        zones=ZONES if zones else {},
        region="here",
    )


def _resolved(value: object, environment: Environment) -> object:
    """The value, or the fact that there can be none."""
    try:
        return resolve(value, environment)
    except ResolveError:
        return ResolveError


@given(values, st.frozensets(st.sampled_from(NAMES)), st.booleans())
def test_resolving_twice_is_resolving_once(value: object, names: frozenset[str], zones: bool) -> None:
    environment = _environment(names, zones=zones)
    once = _resolved(value, environment)
    assert once is ResolveError or _resolved(once, environment) == once


@given(values, st.frozensets(st.sampled_from(NAMES)), st.booleans())
def test_folding_then_resolving_is_resolving_at_once(value: object, names: frozenset[str], zones: bool) -> None:
    everything = _environment(frozenset(NAMES), zones=True)
    folded = _resolved(value, _environment(names, zones=zones))
    later = folded if folded is ResolveError else _resolved(folded, everything)
    at_once = _resolved(value, everything)
    # Folding may have dropped a part that nothing needs, and with it what was wrong there.
    assert at_once is ResolveError or later == at_once


@given(values)
def test_nothing_stays_open_when_everything_is_known(value: object) -> None:
    resolved = _resolved(value, _environment(frozenset(NAMES), zones=True))
    assert resolved is ResolveError or (is_resolved(resolved) and open_expressions(resolved) == ())
