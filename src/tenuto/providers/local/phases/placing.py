"""The placement of machines: which host each gets, and when one leaves its host before it is made there.

Theory of operation. A machine is placed in one step and made in another, and days may lie between them. So its host is
asked for once more before the first order. Where the machine does not fit any more, and where a host says that it has
no room for it, it is placed again without that host. It leaves three hosts at most: then a person looks.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tenuto.kit.times import iso_text, moment_of
from tenuto.lifecycles.roles import stands
from tenuto.model.ids import Json, ObjectId
from tenuto.model.resource import ManagedObject
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.providers.local.phases.common import RETRY_S, Tools, refuse, with_values
from tenuto.providers.local.phases.disks import Disks
from tenuto.providers.local.rules.machines.drivers import driver_problem
from tenuto.providers.local.rules.machines.needs import machine_of
from tenuto.providers.local.rules.machines.placement import DISK_GIB, Assigned, Machine, PlacementRules, Unplaced
from tenuto.providers.local.rules.machines.replacement import LOSSES, ON_ERROR, WAITS_S, losses_before, policy_of

NO_ROOM_S = 120.0
"""Seconds for which a machine waits for room before its placement fails."""
MOST_MOVES = 3
"""The hosts that a machine leaves for another one before its making fails."""
ORDERED = "OrderedOn"
"""The attribute with the host that was told to make the machine, and may have something of it."""
RESERVED = "Reserved"
"""The attribute with the room that a machine has on its host."""
_LEFT = "left"
"""The member of its data with the reasons why it has left other hosts, by name."""
_NEEDS = ("Vcpus", "MemoryMiB", "Disks", "Affinity", "Tags")
_MOVE_S = 0.1


class Placement:
    """Gives machines their hosts."""

    def __init__(self, tools: Tools, rules: PlacementRules, disks: Disks) -> None:
        self._tools = tools
        self._rules = rules
        self._disks = disks

    def place(self, run: PhaseRun) -> None:
        known = [one for one in with_values(run) if self._has_driver(run, one)]
        needs = [(one, machine) for one in known if (machine := self.needs(run, one)) is not None]
        placing = self._tools.driver.assign(run.partition.region, [machine for _, machine in needs], self._rules)
        for one, machine in needs:
            answer = placing[one.object.object_id]
            if isinstance(answer, Assigned):
                one.attributes.update(
                    {"Host": answer.host, "Driver": self._driver_of(run, one), DISK_GIB: machine.disk_gib}
                )
                one.attributes[RESERVED] = _room_of(machine)
                run.data(one)["trail"] = list(answer.trail)
                run.complete(one)
            else:
                self._wait(run, one, answer)

    def _wait(self, run: PhaseRun, one: PhaseResource, answer: Unplaced) -> None:
        """Let a machine wait for room, for a while."""
        # For people, who read it in an explanation; an earlier release noted a number.
        noted = str(run.data(one).setdefault("since", iso_text(run.now)))
        moment = moment_of(noted)
        since = float(noted) if moment is None else moment
        if answer.is_final or run.now >= since + NO_ROOM_S:
            self.fail(run, one, f"{answer.message}. {answer.advice}", "NoRoom")
        else:
            run.sleep(one, RETRY_S, f"{answer.message}; it waits for room", code="NoRoom")

    def _driver_of(self, run: PhaseRun, one: PhaseResource) -> str:
        return str(one.object.desired.get("Driver") or self._tools.driver.name_in(run.partition.region))

    def _has_driver(self, run: PhaseRun, one: PhaseResource) -> bool:
        """Whether the hosts of the zone have the driver that a machine asks for."""
        zone = run.partition.region
        problem = driver_problem(one.object.desired.get("Driver"), self._tools.driver.name_in(zone), zone)
        if problem:
            advice = "leave Driver out, or choose a zone whose hosts have it"
            run.fail(one, f"it {problem}: {advice}", code="NoDriver")
        return not problem

    def still_placed(self, run: PhaseRun, resources: Sequence[PhaseResource]) -> list[PhaseResource]:
        """The machines that their hosts still take. Any other leaves its host, or waits for another one."""
        open_ = {one.object.object_id: one for one in resources if not one.attributes.get(ORDERED)}
        machines = [machine for one in open_.values() if (machine := self.needs(run, one)) is not None]
        zone, driver, stay = run.partition.region, self._tools.driver, []
        placing = {
            machine.object_id: driver.assign(zone, [machine], self._without(run.data(open_[machine.object_id])))
            for machine in machines
        }
        misfits = driver.misfits(zone, machines, self._rules)
        for one in resources:
            object_id = one.object.object_id
            if object_id not in open_:
                stay.append(one)
                continue
            answer = placing[object_id][object_id]
            if isinstance(answer, Unplaced):
                self._wait(run, one, answer)
                continue
            one.attributes["Host"] = answer.host
            if why := misfits.get(object_id):
                self.leave(run, one, f"on {answer.host} {why}")
            else:
                stay.append(one)
        return stay

    def _without(self, data: Mapping[str, Json]) -> PlacementRules:
        """The rules of placement without the hosts that a machine has left."""
        left = data.get(_LEFT)
        return replace(self._rules, closed=dict(left)) if isinstance(left, Mapping) else self._rules

    def leave(self, run: PhaseRun, one: PhaseResource, why: str) -> None:
        """Let a machine leave its host for another one, three times at most. The parts of the machine on the old host
        go first."""
        zone, object_id, data = run.partition.region, one.object.object_id, run.data(one)
        host = str(one.attributes["Host"])
        if one.attributes.get(ORDERED) and (problem := self._tools.driver.remove(zone, [object_id]).get(object_id)):
            run.sleep(one, RETRY_S, f"{why}; it leaves {host} once it is removed there: {problem.message}")
            return
        self._tools.driver.unassign(zone, [object_id])
        known = data.get(_LEFT)
        left = {**(known if isinstance(known, Mapping) else {}), host: why}
        data[_LEFT] = left
        one.attributes.pop(ORDERED, None)
        if len(left) > MOST_MOVES:
            told = "; ".join(str(reason) for reason in left.values())
            self.fail(run, one, f"it left {len(left)} hosts: {told}. Make room, or ask for less", "NoRoom")
        else:
            run.sleep(one, _MOVE_S, f"{why}; it is placed again", code="NoRoom")

    def with_room(self, run: PhaseRun, resources: Sequence[PhaseResource]) -> list[PhaseResource]:
        """The machines whose hosts have room for their new sizes; the others are told why not, and run on as they are.

        One that asks for no more than is reserved for it is never refused: its host may have become smaller.
        """
        growing: dict[ObjectId, Machine] = {}
        for one in resources:
            machine, before = self.needs(run, one), one.attributes.get(RESERVED)
            if machine is None:
                continue
            if isinstance(before, Mapping) and all(int(before[key]) >= size for key, size in _room_of(machine).items()):
                one.attributes[RESERVED] = _room_of(machine)
            else:
                growing[one.object.object_id] = machine
        zone = run.partition.region
        refused = self._tools.driver.resize(zone, list(growing.values()), self._rules) if growing else {}
        stay = []
        for one in resources:
            machine = growing.get(one.object.object_id)
            if machine is not None and (why := refused.get(one.object.object_id)):
                disk = f" and {machine.disk_gib} GiB of disk" if machine.disk_gib else ""
                self.fail(
                    run,
                    one,
                    f"it asks for {machine.vcpus} vcpus and {machine.memory_mib} MiB{disk}, and its host "
                    f"{one.attributes['Host']} cannot hold that: {why}. It runs on as it was: ask for less, or make "
                    "room there",
                    "NoRoom",
                )
                continue
            if machine is not None:
                one.attributes[RESERVED] = _room_of(machine)
                one.attributes[DISK_GIB] = machine.disk_gib
            stay.append(one)
        return stay

    def needs(self, run: PhaseRun, one: PhaseResource) -> Machine | None:
        """The needs of a machine; it fails where they are none. A value that came from another resource is known only
        now, and a wrong one must not keep the other machines of the run from their places."""
        try:
            disk_gib = self._disks.size_gib(run.partition.account, one.object)
            return replace(machine_of(one.object), disk_gib=disk_gib)
        except (KeyError, TypeError, ValueError, AttributeError):
            given = {name: one.object.desired.get(name) for name in _NEEDS}
            refuse(
                run,
                one,
                "Vcpus, MemoryMiB, the sizes of Disks and the weights of Affinity must be whole numbers, and Affinity "
                f"and Tags mappings; resolved they are {json.dumps(given, sort_keys=True)}. Correct the composition",
                "BadProperty",
            )
            return None

    def fail(self, run: PhaseRun, one: PhaseResource, message: str, code: str) -> None:
        """Let a machine fail: for a person, or acknowledged in advance by its composition."""
        if stands(one.object) or policy_of(one.object) != ON_ERROR:
            refuse(run, one, message, code)
            return
        losses = losses_before(one.object, self._tools.reservations.incarnations(one.object), run.now)
        run.data(one)[LOSSES] = [*losses, run.now]
        run.fail(one, message, code=code, is_acknowledged=len(losses) < len(WAITS_S))


def _room_of(machine: Machine) -> dict[str, Json]:
    return {"Vcpus": machine.vcpus, "MemoryMiB": machine.memory_mib, "DiskGiB": machine.disk_gib}


def reserved_of(found: ManagedObject) -> Machine:
    """The needs for which a machine has room on its host. A larger size that it asks for may be refused yet."""
    machine, reserved = machine_of(found), found.attributes.get(RESERVED)
    if not isinstance(reserved, Mapping):
        return machine
    return replace(
        machine,
        vcpus=int(reserved["Vcpus"]),
        memory_mib=int(reserved["MemoryMiB"]),
        disk_gib=int(reserved["DiskGiB"]),
    )
