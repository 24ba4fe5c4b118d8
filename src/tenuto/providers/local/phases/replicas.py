"""The copies of blobs on hosts: as many as the policy says, made up again when a host is lost or a copy is damaged.

Theory of operation. Which hosts have a copy is an attribute of the blob, which is stored before anything is ordered: it
also permits a host to have the blob. A copy is an order for a host like any other, under a name of its own, and the
host's observation says whether it is there and good; a host verifies its copies once a day, and drops a damaged one. An
order that is given again makes nothing twice. So each run compares the wanted copies with the existing ones, and a
death in between costs a minute.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tenuto.errors import TransientError
from tenuto.kit.times import iso_text
from tenuto.lifecycles.made_things import MadeState
from tenuto.model.ids import Instant, Json, ObjectId
from tenuto.model.observation import Condition
from tenuto.model.resource import ManagedObject
from tenuto.ports.images import ImageShelf
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.providers.local.driver import Problem, Seen, Spec
from tenuto.providers.local.objects import BLOB
from tenuto.providers.local.phases.common import RETRY_S, Described, Tools, code_of, kept_up, problems_of
from tenuto.providers.local.rules.machines.bases import BASES
from tenuto.providers.local.rules.machines.cloud_nodes import is_machine
from tenuto.providers.local.rules.replication import (
    MOST_COPYING,
    ReplicationRules,
    hosts_for,
    key_of,
    place_of,
    replica_id,
)

REPLICAS = "Replicas"
"""The attribute of a blob with its copies, by the zone and the name of each host."""
STATE, SINCE, VERIFIED, TROUBLE = "State", "Since", "VerifiedAt", "Trouble"
COPYING, GOOD = "copying", "good"
EVERY_S = 60.0
_AGAIN_S = 2.0
_AVOIDED = "avoided"
AVOID_S = 600.0
"""Seconds for which a host is not asked again that could not take a copy."""
_GIVES_UP_S = 300.0
"""Seconds of trouble after which another host is chosen."""


class Replicas:
    """Makes the definition and its handler. `take_shelf` comes before it runs."""

    def __init__(self, tools: Tools, zones: Callable[[], Sequence[str]], rules: ReplicationRules) -> None:
        self._tools = tools
        self._zones = zones
        self._rules = rules
        self._shelf: ImageShelf | None = None

    def take_shelf(self, shelf: ImageShelf) -> None:
        self._shelf = shelf

    def phases(self) -> Sequence[Described]:
        created = (MadeState.CREATED,)
        return (kept_up("blob.replicate", self._replicate, (BLOB,), created, "Keeping its copies", every_s=EVERY_S),)

    def _replicate(self, run: PhaseRun) -> None:
        zones = [zone for zone in self._zones() if self._tools.driver.name_in(zone) not in self._rules.left_out]
        candidates = [
            key_of(zone, host.name)
            for zone in zones
            for host in self._tools.driver.hosts(zone)
            if host.is_up and not host.is_cordoned
        ]
        if not candidates and not any(one.attributes.get(REPLICAS) for one in run.resources):
            run.complete(run.resources)
            return
        seen = {found.object_id: found for zone in zones for found in self._observed(zone)}
        load: Counter[str] = Counter()
        for one in run.resources:
            self._judge(run, one, seen)
            for key in one.attributes[REPLICAS]:
                load[key] += int(one.object.desired["SizeBytes"])
        copying = sum(_is_copying(facts) for one in run.resources for facts in one.attributes[REPLICAS].values())
        for one in run.resources:
            copying += self._choose(run, one, candidates, load, MOST_COPYING - copying)
        # Stored before anything is ordered: a host is given the blobs that are named here.
        run.checkpoint(run.resources)
        for zone in zones:
            self._order(run, zone)
        for one in run.resources:
            names = [key for key, facts in one.attributes[REPLICAS].items() if _is_copying(facts)]
            if names:
                run.sleep(one, _AGAIN_S, f"its copies on {', '.join(names)} are being made")
            else:
                run.complete(one)

    def _observed(self, zone: str) -> Sequence[Seen]:
        try:
            return self._tools.driver.observe(zone, BLOB)
        except TransientError:
            return ()

    def _judge(self, run: PhaseRun, one: PhaseResource, seen: Mapping[ObjectId, Seen]) -> None:
        """Compare the copies of a blob with the observations of their hosts."""
        found: dict[str, Any] = {}
        for key, facts in sorted((one.attributes.get(REPLICAS) or {}).items()):
            zone, host = place_of(key)
            name = replica_id(one.object.object_id, key)
            if self._tools.is_lost(zone, host):
                self._tools.driver.remove(zone, [name])
                self._tell(one, key, "its host is lost")
                continue
            shown = seen.get(name)
            if shown is not None and shown.silence:
                found[key] = dict(facts)
            elif shown is not None and (damage := _damage(shown)):
                # A host shows the damage until the copy is there again; meanwhile its trouble lets others go first.
                if not _is_copying(facts):
                    self._tell(one, key, damage)
                found[key] = dict(facts) if _is_copying(facts) else _begun(run.now)
            elif shown is not None and shown.condition is Condition.READY:
                if _is_copying(facts):
                    self._tell(one, key, "")
                verified = shown.attributes.get(VERIFIED) or iso_text(run.now)
                found[key] = {STATE: GOOD, SINCE: facts[SINCE], VERIFIED: verified}
            else:
                if not _is_copying(facts):
                    self._tell(one, key, "it is not there any more")
                found[key] = dict(facts) if _is_copying(facts) else _begun(run.now)
        one.attributes[REPLICAS] = found

    def _choose(
        self, run: PhaseRun, one: PhaseResource, candidates: Sequence[str], load: Counter[str], most: int
    ) -> int:
        """Let a blob have further copies, and return how many."""
        avoided = run.data(one).get(_AVOIDED) or {}
        assert isinstance(avoided, Mapping), "only this phase writes it"
        free = [key for key in candidates if float(str(avoided.get(key, 0.0))) <= run.now]
        replicas = one.attributes[REPLICAS]
        near = {
            key_of(user.partition.region, str(user.attributes.get("Host")))
            for user in self._tools.reservations.users_of(one.object.object_id)
            if is_machine(user)
        }
        sha512 = str(one.object.desired["Sha512"])
        wanted = hosts_for(sha512, factor=self._rules.factor, standing=replicas, candidates=free, near=near, load=load)[
            : max(0, most)
        ]
        for key in wanted:
            load[key] += int(one.object.desired["SizeBytes"])
        one.attributes[REPLICAS] = {**replicas, **{key: _begun(run.now) for key in wanted}}
        return len(wanted)

    def _order(self, run: PhaseRun, zone: str) -> None:
        """Order the copies of a zone that are not good."""
        asked = [
            (one, key)
            for one in run.resources
            for key, facts in one.attributes[REPLICAS].items()
            if place_of(key)[0] == zone and _is_copying(facts) and _is_due(one, key)
        ]
        specs = [copy_spec(one, key) for one, key in asked]
        problems = problems_of([spec.object_id for spec in specs], lambda: self._tools.driver.ensure(zone, specs))
        for (one, key), spec in zip(asked, specs, strict=True):
            problem = problems.get(spec.object_id)
            facts = dict(one.attributes[REPLICAS][key])
            others = {name: told for name, told in one.attributes[REPLICAS].items() if name != key}
            if problem is None or problem.is_under_way:
                facts.pop(TROUBLE, None)
            elif _gives_up(problem, facts, run.now) and not self._tools.driver.remove(zone, [spec.object_id]):
                # Another host is chosen at the next run. One that cannot be told to forget it is waited for.
                data = run.data(one)
                before = data.get(_AVOIDED)
                data[_AVOIDED] = {**(before if isinstance(before, Mapping) else {}), key: run.now + AVOID_S}
                self._tell(one, key, problem.message)
                one.attributes[REPLICAS] = others
                continue
            else:
                facts[TROUBLE] = problem.message
            one.attributes[REPLICAS] = dict(sorted({**others, key: facts}.items()))

    def removed(self, run: PhaseRun, one: PhaseResource) -> bool:
        """Remove the copies of a blob that goes; False after the phase has named the copy that it waits for."""
        for key in sorted(one.attributes.get(REPLICAS) or {}):
            zone, host = place_of(key)
            name = replica_id(one.object.object_id, key)
            problem = self._tools.driver.remove(zone, [name]).get(name)
            if problem is not None:
                run.sleep(one, RETRY_S, f"its copy on {host}: {problem.message}", code=code_of(problem))
                return False
        return True

    def _tell(self, one: PhaseResource, key: str, trouble: str) -> None:
        assert self._shelf is not None, "the shelf is taken before a phase runs"
        self._shelf.tell_replica(one.object.object_id, key, trouble)


_BEGAN = "BeganAt"


def _begun(now: Instant) -> dict[str, Json]:
    return {STATE: COPYING, SINCE: iso_text(now), _BEGAN: now}


def _gives_up(problem: Problem, facts: Mapping[str, Any], now: Instant) -> bool:
    """Whether another host is chosen in place of one with a problem. The disk of a host that is full has no more room a
    moment later; any other trouble may pass."""
    return problem.is_final or problem.is_full or (TROUBLE in facts and now > float(str(facts[_BEGAN])) + _GIVES_UP_S)


def has_good_copy(blob: ManagedObject) -> bool:
    """Whether a host has a good copy of a blob."""
    return any(facts[STATE] == GOOD for facts in (blob.attributes.get(REPLICAS) or {}).values())


def _is_copying(facts: Mapping[str, Any]) -> bool:
    return str(facts[STATE]) == COPYING


def _is_due(one: PhaseResource, key: str) -> bool:
    """Whether a copy is ordered now. The first one of a zone comes from the Conductor, and the others from that one."""
    here = [
        (other, facts) for other, facts in one.attributes[REPLICAS].items() if place_of(other)[0] == place_of(key)[0]
    ]
    if any(not _is_copying(facts) for _, facts in here):
        return True
    return key == next((other for other, facts in here if TROUBLE not in facts), key)


def _damage(shown: Seen) -> str:
    """The damage of a copy as its host shows it; empty for a good one."""
    if shown.condition is Condition.BROKEN:
        return shown.message or "it is damaged"
    told = [text for texts in (shown.properties.get("Deviations") or {}).values() for text in texts]
    return "; ".join(told)


def copy_spec(one: PhaseResource, key: str) -> Spec:
    """The order for a copy. Hosts of the same zone with a good one are where it may come from."""
    zone, host = place_of(key)
    sha512 = one.object.desired["Sha512"]
    sources = [
        place_of(other)[1]
        for other, facts in sorted(one.attributes[REPLICAS].items())
        if other != key and place_of(other)[0] == zone and not _is_copying(facts)
    ]
    return Spec(
        type=BLOB,
        object_id=replica_id(one.object.object_id, key),
        account=one.object.partition.account,
        owner=None,
        host=host,
        properties={"Sha512": sha512, "SizeBytes": one.object.desired["SizeBytes"], "Sources": sources},
        attributes={"Host": host, BASES: {"blob": sha512}},
    )
