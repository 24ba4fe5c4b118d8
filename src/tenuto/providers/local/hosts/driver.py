"""Real hosts behind the port `Driver`: the orders of phases go to the agents, and sweeps show the agents' observations.

Theory of operation. The ledger knows the things on a host, and the host knows their state. So a thing on a host that
does not answer is shown with that silence, and nothing is concluded about it; a thing that a host was ordered to make
and does not show yet is pending. Only a host that answers proves by its silence about a thing that it is gone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tenuto.model.ids import Json, ObjectId, TypeName
from tenuto.model.observation import Condition
from tenuto.providers.local.driver import Problem, Seen, Spec
from tenuto.providers.local.hosts.book import HostBook
from tenuto.providers.local.hosts.ledger import Entry, Ledger
from tenuto.providers.local.hosts.line import Shown
from tenuto.providers.local.hosts.lines import Lines, Wanted
from tenuto.providers.local.objects import BLOB, OPERATION
from tenuto.providers.local.rules.deadlines import Presence
from tenuto.providers.local.rules.machines.abilities import needed
from tenuto.providers.local.rules.machines.placement import Host, Machine, PlacementRules, Placing, Unplaced

DEVIATIONS = "Deviations"


class RealHosts:
    """Implements `providers.local.driver.HostedDriver`."""

    def __init__(self, *, book: HostBook, lines: Lines, ledger: Ledger) -> None:
        self._book = book
        self._lines = lines
        self._ledger = ledger

    def name_in(self, zone: str) -> str:
        return next((one.driver for one in self._book.hosts(zone) if one.driver), "")

    def hosts(self, zone: str) -> Sequence[Host]:
        return [
            Host(
                name=one.name,
                cores=one.cores,
                memory_mib=one.memory_mib,
                disk_gib=one.disk_gib,
                is_up=not self._lines.silence(zone, one.name),
            )
            for one in self._book.hosts(zone)
            if one.driver
        ]

    def assign(self, zone: str, machines: Sequence[Machine], rules: PlacementRules) -> Placing:
        hosts = self.hosts(zone)
        if not hosts:
            why = f"no host has joined the zone {zone} yet ('tenuto node enroll')"
            return {one.object_id: Unplaced(message=why, is_final=False) for one in machines}
        return self._ledger.assign(zone, machines, hosts, rules)

    def misfits(self, zone: str, machines: Sequence[Machine], rules: PlacementRules) -> Mapping[ObjectId, str]:
        return self._ledger.misfits(zone, machines, self.hosts(zone), rules)

    def resize(self, zone: str, machines: Sequence[Machine], rules: PlacementRules) -> Mapping[ObjectId, str]:
        return self._ledger.resize(zone, machines, self.hosts(zone), rules)

    def unassign(self, zone: str, object_ids: Sequence[ObjectId]) -> None:
        self._ledger.drop(zone, object_ids)

    def ensure(self, zone: str, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        unknown = {one.object_id: why for one in specs if (why := self._lines.lack(zone, one.host, needed(one)))}
        known = [one for one in specs if one.object_id not in unknown]
        self._ledger.note(zone, known)
        problems = self._lines.order(
            zone,
            [Wanted(host=spec.host, object_id=spec.object_id, spec=self._with_tickets(zone, spec)) for spec in known],
        )
        # An operation is asked for again by a person; a machine waits for the new agent.
        final = {one.object_id for one in specs if one.type == OPERATION}
        refused = {key: Problem(message=why, is_final=key in final) for key, why in unknown.items()}
        return {**problems, **refused}

    def _with_tickets(self, zone: str, spec: Spec) -> Spec:
        """The order for a copy, with the URL, the fingerprint and a ticket of each source; the ticket is for just this
        copy."""
        if spec.type != BLOB:
            return spec
        sources: list[Json] = []
        for name in spec.properties["Sources"]:
            url, fingerprint = self._lines.peer(zone, name)
            found = self._book.ticket(zone, name, target=spec.host, sha512=str(spec.properties["Sha512"]))
            if url and found:
                sources.append({"Host": name, "Url": url, "Fingerprint": fingerprint, "Ticket": found})
        return replace(spec, properties={**spec.properties, "Sources": sources})

    def remove(self, zone: str, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        entries = self._ledger.entries(zone)
        wanted = [
            Wanted(host=host, object_id=object_id)
            for object_id in object_ids
            if object_id in entries
            for host in entries[object_id].hosts
        ]
        problems = self._lines.order(zone, wanted)
        self._ledger.drop(zone, [one for one in object_ids if one not in problems])
        return problems

    def observe(self, zone: str, type_name: TypeName) -> Sequence[Seen]:
        entries = {key: one for key, one in self._ledger.entries(zone).items() if one.type == type_name}
        told = self._told(zone)
        things = {
            host: {one.object_id: one for one in shown.things}
            for host, shown in told.items()
            if isinstance(shown, Shown)
        }
        found = [self._seen(zone, object_id, entry, told, things) for object_id, entry in entries.items()]
        return [one for one in found if one is not None]

    def shown(self, zone: str) -> Mapping[str, Sequence[Seen]]:
        return {host: shown.things for host, shown in self._told(zone).items() if isinstance(shown, Shown)}

    # The face of one who watches the hosts.

    def zones(self) -> Sequence[str]:
        return self._book.zones()

    def presences(self, zone: str) -> Sequence[Presence]:
        return [self._lines.presence(one) for one in self._book.hosts(zone) if one.driver]

    def listen_anew(self) -> None:
        self._lines.listen_anew()

    def whereabouts(self, zone: str) -> Mapping[ObjectId, Sequence[str]]:
        return {object_id: entry.hosts for object_id, entry in self._ledger.entries(zone).items()}

    def leave_behind(self, zone: str, name: str, object_ids: Sequence[ObjectId]) -> None:
        self._ledger.leave(zone, name, object_ids)
        self._lines.lose(zone, name, object_ids)

    def unwanted(self, zone: str, name: str) -> Sequence[ObjectId]:
        held = self._lines.held(zone, name)
        if not held:
            return ()
        entries = self._ledger.entries(zone)
        return sorted(one for one in held if one not in entries or name not in entries[one].hosts)

    def clear(self, zone: str, name: str, object_ids: Sequence[ObjectId]) -> None:
        self._lines.post(zone, [Wanted(host=name, object_id=one) for one in object_ids])

    def isolate(self, zone: str, name: str, object_ids: Sequence[ObjectId]) -> None:
        self._lines.isolate(zone, name, object_ids)

    def strip(self, zone: str, name: str, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        return self._lines.strip(zone, name, object_ids)

    def dismiss(self, zone: str, name: str, *, for_good: bool) -> None:
        self._lines.dismiss(zone, name)
        if for_good:
            self._book.remove(zone, name)

    def _told(self, zone: str) -> Mapping[str, Shown | str]:
        """The observation of each host of a zone, or why there is none."""
        return self._lines.observe(zone, [one.name for one in self._book.hosts(zone)])

    def _seen(
        self,
        zone: str,
        object_id: ObjectId,
        entry: Entry,
        told: Mapping[str, Shown | str],
        things: Mapping[str, Mapping[ObjectId, Seen]],
    ) -> Seen | None:
        """One thing as its hosts show it; None when the host that tells of it shows that it is not there."""
        first = entry.hosts[0]
        shown = told.get(first, f"the host {first} is not enrolled")
        blank = Seen(object_id=object_id, account=entry.account, owner=entry.owner, properties={}, attributes={})
        if isinstance(shown, str):
            return replace(blank, silence=shown)
        known = things[first].get(object_id)
        if known is not None:
            # A host tells how a thing is, and not whose it is.
            known = replace(known, account=entry.account, owner=entry.owner)
            others = [things.get(host, {}).get(object_id) for host in entry.hosts[1:]]
            return _with_deviations(known, [one for one in others if one is not None])
        if object_id in self._lines.under_way(zone, first):
            return replace(blank, condition=Condition.PENDING, message=f"the host {first} is at work on it")
        return None


def _with_deviations(first: Seen, others: Sequence[Seen]) -> Seen:
    """The thing with the deviations of every host that it is on: each tells its own, by its name."""
    merged: dict[str, Json] = {}
    for one in (first, *others):
        merged |= one.properties.get(DEVIATIONS) or {}
    if not merged:
        return first
    return replace(first, properties={**first.properties, DEVIATIONS: merged})
