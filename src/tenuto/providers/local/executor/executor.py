"""The executor: one request after the other, each with an answer.

An answer is `{"done": …}`, or `{"refused": WHY, "is_final": …}` where the request can never be done on this host as it
is: its values are unusable, or a program is missing. Any other refusal may pass, and the request is made again.
"""

from pathlib import Path
from typing import Any

from tenuto.kit.documents import from_document, to_document
from tenuto.kit.state_folder import StateFolder
from tenuto.model.ids import JsonMap
from tenuto.providers.local.executor import requests
from tenuto.providers.local.executor.cgroups import Cgroups, LimitsError
from tenuto.providers.local.executor.guard import begin_guard, has_ended
from tenuto.providers.local.executor.machines import Machines
from tenuto.providers.local.executor.networks import Networks
from tenuto.providers.local.executor.programs import ProgramError, missing
from tenuto.providers.local.leases import Lease
from tenuto.providers.local.rules.network_spec import netns_of

LEASE = "lease"
"""The file of the lease in the executor's folder."""


class Executor:
    """The work of root on a host. `name` tells the control groups of this installation from those of another."""

    def __init__(self, folder: Path, *, name: str) -> None:
        state = StateFolder(folder)
        self._folder = folder
        self._networks = Networks(state)
        self._machines = Machines(state, Cgroups(name))
        self._lease = Lease(folder / LEASE)
        self._guard = 0

    def keep_guard(self, *, closed: int) -> None:
        """Have a guard (`executor.guard`), another one when it has ended. `closed` is what it must not keep open."""
        if not self._guard or has_ended(self._guard):
            self._guard = begin_guard(self._folder, self._machines, self._lease, closed=closed)

    def answer(self, document: Any) -> JsonMap:
        """Do what a request asks for."""
        try:
            return {"done": self._do(_read(document))}
        except (ValueError, LimitsError) as error:
            return {"refused": str(error), "is_final": True}
        except ProgramError as error:
            if lacking := missing():
                return {"refused": f"this host lacks the packages {', '.join(lacking)}", "is_final": True}
            return {"refused": str(error), "is_final": False}
        except OSError as error:
            return {"refused": f"this host refused: {error}", "is_final": False}

    def _do(self, request: requests.Request) -> Any:
        match request:
            case requests.EnsureNetwork(network=order):
                self._networks.ensure(order.vni, order.rendered(), order.ends())
            case requests.ShowNetwork(network=order):
                told = self._networks.deviations(order.vni, order.rendered(), order.ends())
                hosts = self._networks.dhcp_hosts(order.vni)
                return to_document(requests.NetworkAnswer(deviations=tuple(told), dhcp_hosts=hosts))
            case requests.RemoveNetwork(vni=vni):
                self._networks.remove(vni, netns_of(vni), requests.uplink_name(vni))
            case requests.HoldLease(until=until):
                if self._lease.is_over():
                    # A machine that was begun before the host stood still, and has started since, is not to stay.
                    self._machines.end_leased()
                self._lease.hold(until)
            case requests.ReleaseLease():
                self._lease.release()
            case requests.EnsureMachine(machine=machine):
                if machine.ends_with_lease and self._lease.is_over():
                    raise ProgramError(
                        "it did not hear from the Conductor for too long, and starts nothing before it does"
                    )
                self._machines.ensure(machine)
            case requests.ShowMachine(machine=machine):
                shown = self._machines.show(machine)
                return to_document(shown) if shown else None
            case requests.RemoveMachine(object_id=object_id):
                self._machines.remove(object_id)
        return None


def _read(document: Any) -> requests.Request:
    union: Any = requests.Request
    request: requests.Request = from_document(union, document)
    return request
