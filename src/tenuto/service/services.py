"""The services of a Conductor, which every front end calls."""

from dataclasses import dataclass

from tenuto.kit.current_request import CurrentRequest
from tenuto.ports.touches import Touches
from tenuto.service.administration import Administration
from tenuto.service.artifacts import Artifacts
from tenuto.service.audit import Audit
from tenuto.service.board import Board
from tenuto.service.caller_quotas import CallerQuotas
from tenuto.service.commands import Commands
from tenuto.service.doctor import Doctor
from tenuto.service.gatekeeper import Gatekeeper
from tenuto.service.host_enrolment import HostEnrolment
from tenuto.service.hosts import Hosts
from tenuto.service.identities import Identities
from tenuto.service.insights import Insights
from tenuto.service.managed_objects import ManagedObjects
from tenuto.service.metrics import Metrics
from tenuto.service.namespaces import Namespaces
from tenuto.service.notifications import Notifications
from tenuto.service.proposals import Proposals
from tenuto.service.queries import Queries
from tenuto.service.runtime import Runtime
from tenuto.service.sessions import Sessions
from tenuto.service.stacks import Stacks
from tenuto.service.tokens import Tokens
from tenuto.service.unknown_things import UnknownThings
from tenuto.service.uploads import Uploads
from tenuto.service.validations import Validations


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
