"""The parts of compositions on the strict cloud, of types without a block: they go through Cloud Control.

One of each kind: with a name that is declared and a hidden member, with a name only, and with an id of the service and
tags that are a mapping.
"""

from collections.abc import Mapping
from random import Random

from tenuto.model.ids import Json, TypeName
from tenuto.providers.aws.types.catalogue import CATALOGUE
from tenuto_testing.simulation.compositions import Drawer, Resources
from tenuto_testing.simulation.strict_drawing import tags

CANARY = TypeName("AWS::Synthetics::Canary")
GROUP = TypeName("AWS::Synthetics::Group")
API = TypeName("AWS::ApiGatewayV2::Api")


def _canary(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    drawn: dict[str, Json] = {
        "Name": f"{owner}-{rng.choice('ab')}",
        "ExecutionRoleArn": "arn:aws:iam::123456789012:role/runs",
        "RuntimeVersion": rng.choice(("syn-python-selenium-5.0", "syn-python-selenium-5.1")),
        "Schedule": {"Expression": "rate(1 hour)"},
        "ArtifactS3Location": "s3://records/visits",
        "Code": {"Handler": "visit.run", "S3Bucket": "code", "S3Key": rng.choice(("one.zip", "other.zip"))},
        **tags(rng),
    }
    if rng.random() < 0.5:
        drawn["SuccessRetentionPeriod"] = rng.choice((3, 30))
    return drawn


def _group(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    return {"Name": f"{owner}-{rng.choice('ab')}", **tags(rng)}


def _api(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    drawn: dict[str, Json] = {"Name": rng.choice(("front", "back")), "ProtocolType": rng.choice(("HTTP", "HTTP"))}
    if rng.random() < 0.4:
        drawn["Description"] = rng.choice(("one", "other"))
    return drawn | ({"Tags": {"stage": rng.choice("ab")}} if rng.random() < 0.5 else {})


_ALL: Mapping[str, tuple[TypeName, Drawer]] = {
    "Can1": (CANARY, _canary),
    "Gro1": (GROUP, _group),
    "Api1": (API, _api),
}
_UNBLOCKED = {slot: one for slot, one in _ALL.items() if CATALOGUE[one[0]].facts.through}
"""Those that have no block: the strict cloud may not serve the calls of a block to its own service."""
DRAWERS: Mapping[TypeName, Drawer] = dict(_UNBLOCKED.values())
SLOTS: Mapping[str, tuple[TypeName, ...]] = {slot: (name,) for slot, (name, _) in _UNBLOCKED.items()}
