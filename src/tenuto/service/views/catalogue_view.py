"""Views of a Conductor's nodes, phases and resource types."""

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence

from tenuto.core.reports.explain import Explanation
from tenuto.core.reports.explain_phases import unloaded_message
from tenuto.lifecycles.node import NODE
from tenuto.model.ids import Fid, Instant, Json, JsonMap, TypeName
from tenuto.model.lease import Lease
from tenuto.model.node import CLOCK_FACT, HOLD_FACT
from tenuto.model.open_types import OpenTypes
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto.ports.conductor import PhaseRecord, PluginReload
from tenuto.service.common.values import time_text


def phases_document(records: Sequence[PhaseRecord], name_of: Callable[[Fid], str]) -> JsonMap:
    """Return all phases as one document. `name_of` a process is empty when the reader may not see it."""
    return {"phases": [_phase(record, name_of) for record in records]}


def reload_document(reload: PluginReload) -> JsonMap:
    return {
        "loaded": list(reload.loaded),
        "kept": list(reload.kept),
        "removed": list(reload.removed),
        "refused": list(reload.errors),
    }


def types_document(types: Mapping[TypeName, ResourceType]) -> JsonMap:
    """Return the types with a block of their own in full, and the names of the others by their general interface."""
    listed = {"types": [_type(types[name]) for name in sorted(types)]}
    more = []
    for one in types.maps if isinstance(types, ChainMap) else (types,):
        names = sorted(set(one.unlisted()).difference(types)) if isinstance(one, OpenTypes) else []
        if names:
            facts = types[names[0]]
            more.append({"provider": facts.provider, "through": facts.through, "names": names})
    return {**listed, "more": more}


def type_document(facts: ResourceType) -> JsonMap:
    """Return one type in full."""
    return _type(facts)


def nodes_document(nodes: Sequence[ManagedObject], lease: Lease | None, now: Instant) -> JsonMap:
    return {"nodes": [_node(found, lease, now) for found in nodes]}


def explanation_document(process: Process, explanation: Explanation) -> JsonMap:
    return {
        "fid": process.fid,
        "alias": process.alias,
        "state": process.state.value,
        "process": list(explanation.process),
        "resources": {logical_id: list(lines) for logical_id, lines in explanation.resources.items()},
    }


def _phase(record: PhaseRecord, name_of: Callable[[Fid], str]) -> JsonMap:
    definition = record.definition
    return {
        "name": definition.name,
        "loaded": record.is_loaded,
        "message": None if record.is_loaded else _unloaded(record, name_of),
        "activity": record.activity.value,
        "counts": dict(record.counts),
        "states": list(definition.states),
        "types": list(definition.types),
        "provider": definition.provider,
        "dependencies": list(definition.dependencies),
        "description": definition.description,
        "delay_s": definition.delay_s,
        "timeout_s": definition.timeout_s,
        "every_s": definition.every_s,
        "failing": record.failing,
        "batch": definition.batch,
        "warnings": list(record.warnings),
        "extra": dict(definition.extra),
    }


def _unloaded(record: PhaseRecord, name_of: Callable[[Fid], str]) -> str:
    """The message of the objects that wait for a plugin that is not loaded, with advice."""
    count = sum(record.counts.values())
    waiting = f"{count} object{' waits' if count == 1 else 's wait'} for it"
    message = f"{unloaded_message(record.definition.name)}: {waiting}"
    names = [name for fid in record.processes if (name := name_of(fid))]
    if not names:
        return f"{message}."
    return f"{message}, of {', '.join(names)}. 'tenuto explain {names[0]}' names the command that goes on without it."


def _node(found: ManagedObject, lease: Lease | None, now: Instant) -> JsonMap:
    leads = lease is not None and lease.holder == found.logical_id and lease.expires_at > now
    # A node that is there checks in by its lease; of one that left or is missing, the object knows.
    is_there = found.state == NODE.ready and lease is not None and lease.holder == found.logical_id
    return {
        "name": found.logical_id,
        "state": found.state,
        "leads": leads,
        "epoch": lease.epoch if lease is not None and leads else None,
        "since": time_text(found.moved_at),
        "checked_in": time_text(lease.renewed_at if lease is not None and is_there else found.touched_at),
        "version": found.attributes.get("version"),
        "clock": _clock(found.attributes, now),
    }


def _clock(facts: Mapping[str, Json], now: Instant) -> JsonMap | None:
    """The last remark of a node about its system clock, and about retention while that waits: none, as a rule."""
    held = facts.get(HOLD_FACT)
    told = [fact for fact in (facts.get(CLOCK_FACT), held if held and held["until"] > now else None) if fact]
    if not told:
        return None
    return {"at": time_text(told[0]["at"]), "message": " ".join(str(fact["message"]) for fact in told)}


def _type(found: ResourceType) -> JsonMap:
    return {
        "name": found.name,
        "provider": found.provider,
        "source": found.source,
        "lifecycle": found.lifecycle,
        "required": sorted(found.required),
        "create_only": sorted(found.create_only),
        "interrupting": sorted(found.interrupting),
        "write_only": sorted(found.write_only),
        "refused": dict(sorted(found.refused.items())),
        "given_back": sorted({*found.defaults, *found.when_absent}),
        "attributes": sorted(found.attributes),
        "named_by": found.named_by or None,
        "ref_attribute": found.ref_attribute or None,
        "mutable": found.mutable,
        "bears_data": found.bears_data,
        "watch": found.watch.value,
        "through": found.through or None,
    }
