"""The simulated hosts of the local cloud for `tenuto local`: a person acts behind the Conductor's back, as failures and
colleagues do on real hosts.

Each function works on the file of the hosts, with or without a Conductor at work, which sees the change at its next
sweep.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tenuto.bootstrap.clock import SystemClock
from tenuto.errors import ProviderError, UserError
from tenuto.kit.nearest import meant
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.provider_plugins import file_beside
from tenuto.providers.local.driver import Seen, Spec
from tenuto.providers.local.drivers.simulated import SimulatedDriver
from tenuto.providers.local.making import ENDING
from tenuto.providers.local.types import INSTANCE
from tenuto.storage.open import file_of


def list_hosts(database: str) -> JsonMap:
    """List every host, and everything that is on one. Raises UserError."""
    with _opened(database) as driver:
        zones = driver.everything()
        return {
            "hosts": [
                {
                    "zone": zone,
                    "name": host.name,
                    "up": host.is_up,
                    "cores": host.cores,
                    "memory_mib": host.memory_mib,
                    "machines": sum(spec.host == host.name and spec.type == INSTANCE for spec, _ in things),
                }
                for zone, (hosts, things) in zones.items()
                for host in hosts
            ],
            "things": [_document(zone, *one) for zone, (_, things) in zones.items() for one in things],
        }


def find_thing(database: str, name: str) -> JsonMap:
    """One thing on a host. Raises UserError when there is none, or no single one."""
    return _act(database, name, lambda driver, object_id: None)


def stop_machine(database: str, name: str) -> JsonMap:
    """End the process of a machine. Raises UserError."""
    return _act(database, name, SimulatedDriver.stop_machine, machines_only=True)


def break_thing(database: str, name: str, what: str) -> JsonMap:
    """Let a thing differ on its host from the ordered state. Raises UserError."""
    return _act(database, name, lambda driver, object_id: driver.break_thing(object_id, what))


def destroy_thing(database: str, name: str) -> JsonMap:
    """Remove a thing from its host. Raises UserError."""
    return _act(database, name, SimulatedDriver.destroy)


def set_host(database: str, name: str, zone: str | None, *, is_up: bool) -> JsonMap:
    """Unplug a host, or plug it in again. Raises UserError."""
    with _opened(database) as driver:
        known = {(where, host.name) for where, (hosts, _) in driver.everything().items() for host in hosts}
        found = sorted(one for one in known if one[1] == name and zone in (None, one[0]))
        if not found and (others := sorted(where for where, other in known if other == name)):
            raise UserError(
                f"There is no host {name} in the zone {zone}. There is one in {', '.join(others)}: name its zone with "
                "--zone. 'tenuto local list' shows the hosts."
            )
        if not found:
            guess = meant(name, [one for _, one in known])
            raise UserError(f"There is no host {name}.{guess} 'tenuto local list' shows them.")
        if len(found) > 1:
            zones = ", ".join(where for where, _ in found)
            raise UserError(f"There is a host {name} in each of the zones {zones}: name one with --zone.")
        [(where, _)] = found
        driver.set_host(where, name, is_up=is_up)
        return {"zone": where, "name": name, "up": is_up}


def _act(
    database: str,
    name: str,
    act: Callable[[SimulatedDriver, ObjectId], None],
    *,
    machines_only: bool = False,
) -> JsonMap:
    """Do something to one thing, which is named by its id or by the beginning of that."""
    with _opened(database) as driver:
        things = [(zone, *one) for zone, (_, found) in driver.everything().items() for one in found]
        matching = [one for one in things if one[1].object_id.startswith(name)] if name else []
        if len(matching) != 1:
            why = "several things" if matching else "nothing"
            raise UserError(
                f"There is {why} on the hosts whose id begins with {name!r}. 'tenuto local list' shows them."
            )
        [(zone, spec, _)] = matching
        if machines_only and spec.type != INSTANCE:
            raise UserError(f"{spec.object_id} is a {spec.type}: only a machine can be stopped.")
        act(driver, spec.object_id)
        after = {one.object_id: (one, seen) for one, seen in driver.everything()[zone][1]}
        return _document(zone, *after.get(spec.object_id, (spec, None)))


@contextmanager
def _opened(database: str) -> Iterator[SimulatedDriver]:
    """The hosts of a database, for one change. Raises UserError."""
    file = file_of(database)
    if file is None or not file_beside(file, ENDING).exists():
        raise UserError(
            f"There are no simulated hosts beside {database}. 'tenuto conductor --provider local' makes them with its "
            "first process; --database names the database of that Conductor."
        )
    try:
        driver = SimulatedDriver(SystemClock(), file_beside(file, ENDING))
        with driver.turn():
            yield driver
    except ProviderError as error:
        raise UserError(str(error)) from error


def _document(zone: str, spec: Spec, seen: Seen | None) -> JsonMap:
    return {
        "id": spec.object_id,
        "type": spec.type,
        "zone": zone,
        "account": spec.account,
        "host": spec.host,
        "process": None if spec.owner is None else spec.owner.fid,
        "resource": None if spec.owner is None else spec.owner.logical_id,
        "exists": seen is not None,
        "properties": {} if seen is None else dict(seen.properties),
        "message": "" if seen is None else seen.silence or seen.message,
    }
