"""`make_services`: the service functions that front ends call, for users who know a secret."""

from tenuto.bootstrap.log import LogLevels
from tenuto.bootstrap.runtime_keys import delay_keys, level_keys
from tenuto.bootstrap.system import System
from tenuto.core.pacing.quotas import DEFAULT_QUOTAS
from tenuto.model.quotas import Quotas
from tenuto.ports.audit_log import AuditLog
from tenuto.ports.clock import Clock
from tenuto.ports.host_keeper import HostKeeper
from tenuto.ports.issuers import Issuers
from tenuto.service.access.administration import Administration
from tenuto.service.access.audit import Audit
from tenuto.service.access.caller_quotas import CallerQuotas
from tenuto.service.access.gatekeeper import Gatekeeper
from tenuto.service.access.identities import Identities
from tenuto.service.access.sessions import Sessions
from tenuto.service.access.tokens import Tokens
from tenuto.service.accounts.sharing import Sharing
from tenuto.service.commands.proposals import Proposals
from tenuto.service.existing.stacks import Stacks
from tenuto.service.images.artifacts import Artifacts
from tenuto.service.images.uploads import Uploads
from tenuto.service.intake.validations import Validations
from tenuto.service.objects.host_enrolment import HostEnrolment
from tenuto.service.objects.hosts import Hosts
from tenuto.service.objects.namespaces import Namespaces
from tenuto.service.operations.runtime import Runtime
from tenuto.service.services import Services
from tenuto.transports.oidc import HttpIssuers


def make_services(
    system: System,
    *,
    clock: Clock,
    secret: str,
    levels: LogLevels,
    hosts: HostEnrolment | None = None,
    keeper: HostKeeper | None = None,
    issuers: Issuers | None = None,
    audit_log: AuditLog | None = None,
    quotas: Quotas = DEFAULT_QUOTAS,
) -> Services:
    """The services of a system. `secret` is its owner's; `hosts` is for a Conductor that listens to hosts, and `keeper`
    for one whose provider has hosts of its own."""
    gatekeeper = Gatekeeper(store=system.store, clock=clock, secret=secret)
    keys = (*level_keys(levels), *delay_keys(system.tempo, system.conductor))
    limits = system.limits
    namespaces = Namespaces(store=system.store, clock=clock, objects=system.objects, limits=limits)
    sharing = Sharing(system.store, system.stock.keeping if system.stock else None)
    tokens = Tokens(store=system.store, clock=clock)
    caller_quotas = CallerQuotas(clock=clock, meter=system.meter, quotas=quotas)
    sessions = Sessions(store=system.store, clock=clock, gatekeeper=gatekeeper, quotas=caller_quotas)
    return Services(
        current=system.current,
        commands=system.commands,
        queries=system.queries,
        board=system.board,
        insights=system.insights,
        touches=system.touches,
        sessions=sessions,
        quotas=caller_quotas,
        objects=system.objects,
        doctor=system.doctor,
        unknown_things=system.unknown_things,
        gatekeeper=gatekeeper,
        administration=Administration(store=system.store, clock=clock, gatekeeper=gatekeeper),
        runtime=Runtime(store=system.store, clock=clock, keys=keys),
        notifications=system.notifications,
        validations=Validations(store=system.store, clock=clock, conductor=system.conductor),
        metrics=system.metrics,
        namespaces=namespaces,
        uploads=Uploads(system.stock, limits),
        artifacts=Artifacts(system.stock, limits, sharing),
        hosts=hosts or HostEnrolment(),
        nodes=Hosts(store=system.store, clock=clock, keeper=keeper),
        proposals=Proposals(store=system.store, clock=clock, commands=system.commands, gatekeeper=gatekeeper),
        audit=Audit(clock=clock, log=audit_log),
        tokens=tokens,
        identities=Identities(
            clock=clock,
            gatekeeper=gatekeeper,
            tokens=tokens,
            sessions=sessions,
            issuers=issuers or HttpIssuers(),
        ),
        stacks=Stacks(store=system.store, conductor=system.conductor, books=system.stacks),
    )
