"""Leases of hosts: they outlive the agent, are never shortened, and end what may be made elsewhere."""

import errno
import json
import os
import time
from pathlib import Path

import pytest

from tenuto.errors import UserError
from tenuto.model.ids import ObjectId
from tenuto.providers.local import leases
from tenuto.providers.local.driver import Spec
from tenuto.providers.local.drivers.memory import make_driver
from tenuto.providers.local.leases import FENCED, Lease, seconds_since_boot
from tenuto.providers.local.types import INSTANCE, completed


def machine(name: str, **properties: object) -> Spec:
    asked = {"Vcpus": 1, "MemoryMiB": 64, "Name": name, **properties}
    return Spec(
        type=INSTANCE,
        object_id=ObjectId(name),
        account="red",
        owner=None,
        host="h1",
        properties=completed(INSTANCE, asked),
    )


def test_a_lease_is_never_shortened_and_outlives_who_holds_it(tmp_path: Path) -> None:
    now = seconds_since_boot()
    Lease(tmp_path / "lease").hold(now + 100)
    again = Lease(tmp_path / "lease")
    again.hold(now - 100)
    assert (again.is_held(), again.is_over()) == (True, False)
    again.release()
    assert (again.is_held(), again.is_over()) == (False, False)


def test_a_lease_that_the_disk_does_not_take_is_held_in_memory_with_the_guard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host whose file system is read-only hears the Conductor, and its machines ended with the old lease."""
    now = seconds_since_boot()
    lease = Lease(tmp_path / "lease")
    lease.hold(now - 1)
    assert lease.is_over()

    def refuse(path: Path, text: str) -> None:
        raise OSError(errno.EROFS, "Read-only file system", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(leases, "write_record", refuse)
        guard = os.fork()
        if not guard:
            end = seconds_since_boot() + 30
            while lease.is_over() and seconds_since_boot() < end:
                time.sleep(0.01)
            os._exit(lease.is_over())
        with pytest.raises(OSError, match="Read-only"):
            lease.hold(now + 100)
        assert os.waitpid(guard, 0)[1] == 0, "the guard, a fork, sees it"
        assert (lease.is_held(), lease.is_over()) == (True, False)
    lease.hold(now + 200)
    assert not Lease(tmp_path / "lease").is_over(), "and it is in the file once the disk takes it"
    lease.release()
    assert not lease.is_held()


def test_a_lease_whose_file_cannot_be_read_is_held_in_memory_and_ends_there(tmp_path: Path) -> None:
    """A guard that cannot read the lease must know its end by the executor."""
    lease = Lease(tmp_path / "lease")
    (tmp_path / "lease").mkdir()
    with pytest.raises(OSError, match="directory"):
        lease.is_over()
    for left, is_over in ((100, False), (-1, True)):
        held = Lease(tmp_path / "lease")
        with pytest.raises(OSError, match="directory"):
            held.hold(seconds_since_boot() + left)
        assert (held.is_held(), held.is_over()) == (True, is_over)


def test_a_lease_has_its_room_before_the_first_one_and_after_a_good_end(tmp_path: Path) -> None:
    """A host that is left in good order, and starts again on a full disk, must hold a lease."""
    file = tmp_path / "lease"
    lease = Lease(file)
    lease.reserve()
    room = file.stat().st_size
    assert (lease.is_held(), lease.is_over(), room > 0) == (False, False, True)
    lease.hold(seconds_since_boot() + 100)
    lease.reserve()
    assert (lease.is_held(), file.stat().st_size) == (True, room)
    lease.release()
    assert (lease.is_held(), file.stat().st_size) == (False, room)


def test_a_host_without_room_for_its_lease_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("no folder")
    with pytest.raises(UserError, match=r"This host has no room for its lease in .*Make room there, and start"):
        Lease(tmp_path / "state" / "lease").reserve()


def test_a_lease_of_an_earlier_boot_and_a_damaged_one_say_nothing(tmp_path: Path) -> None:
    file = tmp_path / "lease"
    for text in (json.dumps({"boot": "another", "until": 0.0}), "{", "[]", '{"boot": 1}'):
        file.write_text(text)
        assert not Lease(file).is_over()


@pytest.mark.parametrize(("policy", "power"), [("never", "on"), ("on-host-error", FENCED), ("on-error", FENCED)])
def test_a_machine_that_may_be_made_elsewhere_ends_with_the_lease(tmp_path: Path, policy: str, power: str) -> None:
    host = make_driver(tmp_path, host="h1", address="")
    host.ensure([machine("web", Replace=policy)])
    host.hold(seconds_since_boot() - 1)
    # Another agent over the same state directory knows of the lease, too.
    (seen,) = make_driver(tmp_path, host="h1", address="").observe()
    assert seen.properties["PowerState"] == power


def test_an_answer_that_comes_after_the_end_of_the_lease_ends_the_machines_first(tmp_path: Path) -> None:
    host = make_driver(tmp_path, host="h1", address="")
    host.ensure([machine("web", Replace="on-host-error")])
    host.hold(seconds_since_boot() - 1)
    host.hold(seconds_since_boot() + 100)
    (seen,) = host.observe()
    assert seen.properties["PowerState"] == FENCED


def test_an_order_that_comes_before_the_lease_is_renewed_is_refused_and_starts_nothing_that_ends_at_once(
    tmp_path: Path,
) -> None:
    """Else the order is reported as done, the lease that comes after it ends the machine, and no sweep shows it."""
    host = make_driver(tmp_path, host="h1", address="")
    order = machine("web", Replace="on-host-error")
    host.ensure([order])
    host.hold(seconds_since_boot() - 1)
    problem = host.ensure([order, machine("other", Replace="never")])
    assert [(key, one.is_final) for key, one in problem.items()] == [(order.object_id, False)]
    assert "starts nothing before it does" in problem[order.object_id].message
    host.hold(seconds_since_boot() + 100)
    assert host.ensure([order]) == {}
    assert {seen.properties["PowerState"] for seen in host.observe()} == {"on"}


def test_a_host_that_was_left_in_good_order_keeps_everything(tmp_path: Path) -> None:
    host = make_driver(tmp_path, host="h1", address="")
    host.ensure([machine("web", Replace="on-host-error")])
    host.hold(seconds_since_boot() + 0.0)
    host.let_go()
    (seen,) = host.observe()
    assert seen.properties["PowerState"] == "on"
