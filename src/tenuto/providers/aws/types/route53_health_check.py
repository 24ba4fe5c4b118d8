"""AWS::Route53::HealthCheck. Its Ref is its id. It is made without tags, and gets them right afterwards."""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Listed
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.route53_changes import SERVICE
from tenuto.providers.aws.types.route53_tags import tags_of

_CONFIG = "HealthCheckConfig"
_SETTLED = ("MeasureLatency", "RequestInterval", "RoutingControlArn", "Type")
"""The members that only a new check can have."""
_RESET = ("ChildHealthChecks", "FullyQualifiedDomainName", "Regions", "ResourcePath")
"""The members that a call takes back by name; others that are not given stay as they are."""


@dataclass(frozen=True, kw_only=True)
class _Config(Shown):
    """The one property: a creation takes it as it is, a change takes its members as parameters."""

    properties = frozenset({_CONFIG})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {_CONFIG: dict(thing.answer.get(_CONFIG) or {})}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {_CONFIG: work.need(_CONFIG)}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(_CONFIG):
            return
        wanted, present = work.need(_CONFIG), work.seen(_CONFIG) or {}
        given = {name: value for name, value in wanted.items() if name not in _SETTLED}
        reset = [name for name in _RESET if present.get(name) and not wanted.get(name)]
        work.change(
            service, "UpdateHealthCheck", HealthCheckId=work.id, **given, **({"ResetElements": reset} if reset else {})
        )

    def changes(self, service: str) -> Mapping[str, str]:
        return {_CONFIG: f"{service}:UpdateHealthCheck"}


HEALTH_CHECK = block(
    "AWS::Route53::HealthCheck",
    SERVICE,
    key="HealthCheckId",
    listed=Listed(operation="ListHealthChecks", id="Id"),
    create="CreateHealthCheck",
    made="HealthCheck.Id",
    token="CallerReference",
    token_at="CallerReference",
    attributes={"HealthCheckId": "Id"},
    parts=(_Config(),),
    delete="DeleteHealthCheck",
    tags=tags_of("healthcheck", "HealthCheckTags"),
    undeclarable=lambda one: "another service of AWS keeps it" if one.get("LinkedService") else "",
    create_only=" ".join(f"{_CONFIG}.{name}" for name in _SETTLED),
    compare_as={
        f"{_CONFIG}.ChildHealthChecks": Comparison.SET,
        f"{_CONFIG}.Regions": Comparison.SET,
    },
)
TYPES = (HEALTH_CHECK,)
