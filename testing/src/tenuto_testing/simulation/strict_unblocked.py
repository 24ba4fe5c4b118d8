"""What compositions are made of on the strict cloud of types without a block: they go through Cloud Control.

One of each kind: with a name that is declared and a hidden member, with a name only, and with an id of the service and
tags that are a mapping.
"""

from collections.abc import Mapping
from random import Random

from tenuto.model.ids import Json, TypeName
from tenuto_testing.simulation.compositions import Drawer, Resources
from tenuto_testing.simulation.strict_drawing import tags

FUNCTION = TypeName("AWS::Lambda::Function")
CLUSTER = TypeName("AWS::ECS::Cluster")
API = TypeName("AWS::ApiGatewayV2::Api")


def _function(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    drawn: dict[str, Json] = {
        "FunctionName": f"{owner}-{rng.choice('ab')}",
        "Role": "arn:aws:iam::123456789012:role/runs",
        "Runtime": "python3.12",
        "Handler": rng.choice(("index.run", "main.run")),
        "Code": {"ZipFile": rng.choice(("pass", "return"))},
        **tags(rng),
    }
    if rng.random() < 0.5:
        drawn["Timeout"] = rng.choice((3, 30))
    return drawn


def _cluster(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    providers = {"CapacityProviders": ["FARGATE", "FARGATE_SPOT"]} if rng.random() < 0.5 else {}
    return {"ClusterName": f"{owner}-{rng.choice('ab')}", **providers, **tags(rng)}


def _api(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    drawn: dict[str, Json] = {"Name": rng.choice(("front", "back")), "ProtocolType": rng.choice(("HTTP", "HTTP"))}
    if rng.random() < 0.4:
        drawn["Description"] = rng.choice(("one", "other"))
    return drawn | ({"Tags": {"stage": rng.choice("ab")}} if rng.random() < 0.5 else {})


DRAWERS: Mapping[TypeName, Drawer] = {FUNCTION: _function, CLUSTER: _cluster, API: _api}
SLOTS: Mapping[str, tuple[TypeName, ...]] = {"Fun1": (FUNCTION,), "Clu1": (CLUSTER,), "Api1": (API,)}
