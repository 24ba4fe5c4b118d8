"""Parameter groups: a parameter that is declared with the value that it has anyway is none that a user has set."""

from collections.abc import Callable

import pytest
from scripted_world import HERE, World

from tenuto.model.ids import Json, PhysicalId, TypeName
from tenuto.model.observation import Interest
from tenuto.providers.aws.types.catalogue import CATALOGUE

SET, SAME, OTHER = ("work_mem", "4096"), ("rds.force_ssl", "1"), ("checkpoint_timeout", "300")


def answered(operation: str, inner: str) -> tuple[int, str]:
    return 200, f"<{operation}Response><{operation}Result>{inner}</{operation}Result></{operation}Response>"


def parameters(*pairs: tuple[str, str]) -> str:
    shown = "".join(
        f"<Parameter><ParameterName>{name}</ParameterName><ParameterValue>{value}</ParameterValue></Parameter>"
        for name, value in pairs
    )
    return f"<Parameters>{shown}<Parameter><ParameterName>no-value</ParameterName></Parameter></Parameters>"


def mapped(*pairs: tuple[str, str]) -> Json:
    return dict(pairs)


def listed(*pairs: tuple[str, str]) -> Json:
    return [{"ParameterName": name, "ParameterValue": value} for name, value in pairs]


@pytest.mark.parametrize(
    ("name", "word", "group", "path", "shape"),
    [
        ("AWS::RDS::DBParameterGroup", "DBParameter", "DBParameterGroup", "Parameters", mapped),
        ("AWS::RDS::DBClusterParameterGroup", "DBClusterParameter", "DBClusterParameterGroup", "Parameters", mapped),
        ("AWS::ElastiCache::ParameterGroup", "CacheParameter", "CacheParameterGroup", "Properties", mapped),
        ("AWS::Redshift::ClusterParameterGroup", "ClusterParameter", "ParameterGroup", "Parameters", listed),
    ],
)
def test_a_declared_parameter_is_shown_also_where_no_user_has_set_it(
    world: World, name: TypeName, word: str, group: str, path: str, shape: Callable[..., Json]
) -> None:
    facts, question = CATALOGUE[name].facts, f"Describe{word}s"
    member = f"<{word}Group><{group}Name>base</{group}Name></{word}Group>"
    world.endpoint.scripts[f"Describe{word}Groups"] = [
        answered(f"Describe{word}Groups", f"<{group}s>{member}</{group}s>")
    ]

    def asked(*declared: tuple[str, str]) -> tuple[Json, int]:
        """The parameters that a sweep shows where these are declared, and the questions that this took."""
        world.endpoint.scripts[question] = [
            answered(question, parameters(SET)),
            answered(question, parameters(OTHER, SAME, SET)),
        ]
        world.endpoint.calls.clear()
        interest = Interest(names=facts.costly_among({path: shape(*declared)}) - {"Tags"})
        swept = world.provider.sweep(HERE, facts.source, {name: {PhysicalId("base"): interest}})[name]
        shown = swept.items[PhysicalId("base")].properties[path]
        return shown, [action for action, _ in world.endpoint.calls].count(question)

    assert asked(SET) == (shape(SET), 1)
    assert asked(SET, SAME) == (shape(SET, SAME), 2)
    assert asked(SET, SAME, ("no-value", "1")) == (shape(SET, SAME), 2)
