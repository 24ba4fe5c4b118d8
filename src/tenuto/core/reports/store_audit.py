"""The audit of the facts that no single process shows: a process with its job and plan, things of two processes, the
lease.

Like `core.reports.audit` it is pure, and never repairs anything.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from tenuto.core.reports import audit_codes as codes
from tenuto.core.reports.audit import AHEAD_S, audit_objects, audit_plan, audit_times, name_of
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.claim import HeldClaim, Relation
from tenuto.model.command import ProcessState
from tenuto.model.diagnostic import Diagnostic
from tenuto.model.host_node import HostNode
from tenuto.model.ids import Fid, Instant
from tenuto.model.image import DAMAGE
from tenuto.model.job import Job, JobStatus
from tenuto.model.lease import Lease
from tenuto.model.node import STRAYS
from tenuto.model.plan import Plan
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject, is_told_by_service

_NAMED = 5
"""Things that are named of each host; 'node show' names all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """The stored records of one process, read at one moment."""

    process: Process
    objects: Sequence[ManagedObject]
    has_composition: bool
    job: Job | None = None
    """The job that the process names as running."""
    plan: Plan | None = None
    """The plan of that job."""


def audit_process(stored: Stored, lifecycles: Mapping[str, Lifecycle], now: Instant) -> tuple[Diagnostic, ...]:
    """The problems of one process, its objects, its running job and its plan."""
    process, name = stored.process, name_of(stored.process)
    problems = [*audit_objects(process, stored.objects, lifecycles), *audit_times(process, stored.objects, now)]
    for one in stored.objects:
        if one.mandate > process.mandate:
            detail = f"object {one.object_id} follows command {one.mandate}, and the last one is {process.mandate}"
            problems.append(codes.MANDATE_AHEAD.found(one.logical_id, detail, process=name))
    if not stored.has_composition and process.state is not ProcessState.GONE and not process.is_leaving:
        detail = f"the composition {process.composition_digest[:12]} is not stored"
        problems.append(codes.NO_COMPOSITION.found(name, detail, process=name))
    if process.job_id is None:
        return tuple(problems)
    if stored.job is None or stored.job.status is not JobStatus.RUNNING or stored.job.fid != process.fid:
        status = stored.job.status.value if stored.job is not None else "not stored"
        problems.append(codes.NO_JOB.found(name, f"job {process.job_id} is {status}", process=name))
    elif stored.plan is None:
        problems.append(codes.NO_PLAN.found(name, f"job {process.job_id} has no stored plan", process=name))
    else:
        problems += audit_plan(stored.plan, None, name)
    return tuple(problems)


def audit_claims(
    claimed: Iterable[ManagedObject], processes: Mapping[Fid, Process]
) -> tuple[tuple[Fid | None, Diagnostic], ...]:
    """A diagnostic for each real thing of several processes, with the process that claimed it last."""
    problems: list[tuple[Fid | None, Diagnostic]] = []
    for (type_name, _, physical_id), group in groupby(
        claimed, key=lambda one: (one.type, one.partition, one.physical_id)
    ):
        owners = [one for one in group if not is_told_by_service(one)]
        if len(owners) < 2:
            continue
        last = max(owners, key=lambda one: (one.created_at, one.object_id))
        names = [f"{_name(one.fid, processes)} as {one.logical_id}" for one in owners]
        detail = f"{type_name} {physical_id} is managed by {' and by '.join(names)}"
        subject = f"{_name(last.fid, processes)} {last.logical_id}"
        diagnostic = codes.SHARED_THING.found(subject, detail, process=_name(last.fid, processes))
        problems.append((last.fid, diagnostic))
    return tuple(problems)


def audit_lease(lease: Lease | None, now: Instant) -> tuple[Diagnostic, ...]:
    """Whether the times of the lease can be."""
    if lease is None or lease.is_released or lease.renewed_at <= now + AHEAD_S:
        return ()
    detail = f"Conductor {lease.holder} renewed it {lease.renewed_at - now:.0f} s ahead of the clock"
    return (codes.LEASE_IN_FUTURE.found(lease.holder, detail, process=""),)


def audit_hosts(hosts: Iterable[ManagedObject]) -> tuple[Diagnostic, ...]:
    """A diagnostic for each host with things that no object stands for."""
    return tuple(
        codes.HOST_STRAYS.found(
            host.logical_id,
            f"the host {host.logical_id} of {host.partition.region} has {', '.join(map(str, found[:_NAMED]))}"
            + (f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""),
            process="",
        )
        for host in hosts
        if (found := host.attributes.get(STRAYS))
    )


def audit_troubles(hosts: Iterable[HostNode]) -> tuple[Diagnostic, ...]:
    """A diagnostic for each trouble of a host."""
    return tuple(
        codes.HOST_TROUBLE.found(host.name, f"the host {host.name} of {host.zone}: {trouble}", process="")
        for host in hosts
        for trouble in host.troubles
    )


def audit_blobs(blobs: Iterable[ManagedObject]) -> tuple[Diagnostic, ...]:
    """A diagnostic for each blob whose file is damaged."""
    return tuple(
        codes.BLOB_DAMAGED.found(blob.object_id, f"blob {blob.object_id}: {found}", process="")
        for blob in blobs
        if (found := blob.attributes.get(DAMAGE))
    )


def audit_holdings(claims: Iterable[HeldClaim], relations: Iterable[Relation]) -> tuple[Diagnostic, ...]:
    """A diagnostic for each claim and relation that no live object stands behind."""
    problems = [
        codes.DANGLING_CLAIM.found(
            f"{one.claim.space} {one.claim.key}",
            f"object {one.object_id} has it, and is not live",
            process="",
        )
        for one in claims
    ]
    problems += [
        codes.DANGLING_RELATION.found(
            f"{one.from_id} {one.role} {one.to_id}",
            f"object {one.from_id} names object {one.to_id} as its {one.role}, and one of them is not live",
            process="",
        )
        for one in relations
    ]
    return tuple(problems)


def _name(fid: Fid | None, processes: Mapping[Fid, Process]) -> str:
    if fid is None:
        return "no process"
    return name_of(processes[fid]) if fid in processes else fid
