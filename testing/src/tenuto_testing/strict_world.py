"""A whole Tenuto in front of the strict cloud: real Conductor, real AWS provider, one thread, virtual time.

It is for AWS the counterpart of `World` for the simulated provider: nothing is replaced but the network. The Conductor
can die after any call that AWS carried out, and so orphans and duplicates come about.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from tenuto.compositions.compile import compile_file
from tenuto.compositions.documents.document import to_document
from tenuto.ports.clock import Clock
from tenuto.ports.provider import OpSink, Provider
from tenuto.providers.aws.client.owner import OBJECT
from tenuto.providers.aws.provider import AwsProvider
from tenuto.service.intake.composition import Submission
from tenuto_testing.cloud.cloud import Cloud, Reply
from tenuto_testing.cloud.in_process import InProcessSession
from tenuto_testing.cloud.standing import standing, tags_of
from tenuto_testing.cloud.wire.messages import HttpRequest
from tenuto_testing.mortality import Fate
from tenuto_testing.world import World

REGION = "us-east-1"
_READING = ("Describe", "Get", "Head", "List")


class StrictWorld(World):
    """A world whose one provider is AWS. `aws` is the cloud; `make` gives it, on the world's clock.

    A blow of the operation `aws` about an action strikes when AWS has carried the call out, before Tenuto knows.
    """

    def __init__(self, make: Callable[[Clock], Cloud]) -> None:
        self._make = make
        self._aws: Cloud | None = None
        super().__init__()

    @property
    def aws(self) -> Cloud:
        if self._aws is None:
            self._aws = self._make(self.clock)
        return self._aws

    def _providers(self, ops: OpSink, clock: Clock) -> list[Provider]:
        session = InProcessSession(_Mortal(self.aws, self.fate))
        return [AwsProvider(session=session, ops=ops, clock=clock, workers=1)]

    def run(self, template: Path, alias: str, parameters: Mapping[str, str] = MappingProxyType({})) -> None:
        """Give the command that a person would."""
        self.system.commands.run(submission(template, parameters), alias=alias)

    def update(self, template: Path, alias: str, parameters: Mapping[str, str] = MappingProxyType({})) -> None:
        """Give the process another composition, or other parameters."""
        self.system.commands.update(alias, submission(template, parameters))

    def stranger(self) -> InProcessSession:
        """The session of another user, who does not know of Tenuto."""
        return InProcessSession(self.aws, access_key="stranger")

    def ids(self, alias: str) -> dict[str, str]:
        """The physical id of each resource."""
        return {
            str(resource.logical_id): str(resource.current.physical_id)
            for resource in self.system.queries.process(alias).resources
            if resource.current is not None
        }

    def changes(self) -> list[str]:
        """The changing calls that were carried out, in order."""
        return [asked.action for asked in self.aws.log if not asked.outcome and not asked.action.startswith(_READING)]

    def standing(self) -> dict[str, list[str]]:
        """Everything in the account that is not on its way out: kinds, and the ids of the things of each."""
        found: dict[str, list[str]] = {}
        for _, thing in standing(self.aws, REGION):
            found.setdefault(thing.kind.name, []).append(thing.id)
        return {kind: sorted(ids) for kind, ids in sorted(found.items())}

    def owners(self) -> list[tuple[str, str]]:
        """The object that each standing thing says it is of, and its kind: none twice, unless it was made twice."""
        return sorted(
            (tag["Value"], thing.kind.name)
            for _, thing in standing(self.aws, REGION)
            for tag in tags_of(thing)
            if tag["Key"] == OBJECT
        )


class _Mortal:
    """The cloud, for a caller who may die when a call was carried out."""

    def __init__(self, inner: Cloud, fate: Fate) -> None:
        self.clock = inner.clock
        self._inner = inner
        self._fate = fate

    def handle(self, request: HttpRequest) -> Reply:
        last = self._inner.log[-1] if self._inner.log else None
        reply = self._inner.handle(request)
        asked = self._inner.log[-1] if self._inner.log else None
        if asked is not None and asked is not last and not asked.outcome and not asked.action.startswith(_READING):
            self._fate.meet("aws", [asked.action], is_after=True)
        return reply


def submission(template: Path, parameters: Mapping[str, str] = MappingProxyType({})) -> Submission:
    """A composition as a person would hand it over."""
    compiled = compile_file(template, parameters=dict(parameters), region=REGION)
    return Submission(document=to_document(compiled.composition), secrets=compiled.secrets)
