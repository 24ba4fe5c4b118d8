"""The services of a Conductor, which every front end calls."""

from dataclasses import dataclass

from tenuto.kit.current_request import CurrentRequest
from tenuto.ports.touches import Touches
from tenuto.service.access.administration import Administration
from tenuto.service.access.audit import Audit
from tenuto.service.access.caller_quotas import CallerQuotas
from tenuto.service.access.gatekeeper import Gatekeeper
from tenuto.service.access.identities import Identities
from tenuto.service.access.sessions import Sessions
from tenuto.service.access.tokens import Tokens
from tenuto.service.commands.process_commands import Commands
from tenuto.service.commands.proposals import Proposals
from tenuto.service.existing.stacks import Stacks
from tenuto.service.existing.unknown_things import UnknownThings
from tenuto.service.images.artifacts import Artifacts
from tenuto.service.images.uploads import Uploads
from tenuto.service.intake.validations import Validations
from tenuto.service.objects.host_enrolment import HostEnrolment
from tenuto.service.objects.hosts import Hosts
from tenuto.service.objects.managed_objects import ManagedObjects
from tenuto.service.objects.namespaces import Namespaces
from tenuto.service.operations.doctor import Doctor
from tenuto.service.operations.metrics import Metrics
from tenuto.service.operations.notifications import Notifications
from tenuto.service.operations.runtime import Runtime
from tenuto.service.queries.board import Board
from tenuto.service.queries.insights import Insights
from tenuto.service.queries.process_queries import Queries


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The faces of one Conductor. A front end that uses them for another user asks the gatekeeper first."""

    current: CurrentRequest
    """The request that is answered: a front end names it before it calls any of them."""
    commands: Commands
    queries: Queries
    board: Board
    insights: Insights
    touches: Touches
    sessions: Sessions
    objects: ManagedObjects
    doctor: Doctor
    unknown_things: UnknownThings
    gatekeeper: Gatekeeper
    quotas: CallerQuotas
    administration: Administration
    runtime: Runtime
    notifications: Notifications
    validations: Validations
    metrics: Metrics
    namespaces: Namespaces
    uploads: Uploads
    artifacts: Artifacts
    hosts: HostEnrolment
    nodes: Hosts
    stacks: Stacks
    tokens: Tokens
    proposals: Proposals
    identities: Identities
    audit: Audit
