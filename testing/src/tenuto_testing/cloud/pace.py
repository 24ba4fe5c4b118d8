"""The pace of the cloud and the delay of its reads: seconds as people see them on AWS, to be scaled."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long changes of state take. `times` makes all of them faster or slower; 0 leaves no pending states."""

    times: float = 1.0
    network_s: float = 1.0
    """VPC and subnet, from pending to available."""
    association_s: float = 1.0
    """Route table and instance profile associations."""
    nat_start_s: float = 90.0
    nat_failure_s: float = 60.0
    nat_stop_s: float = 60.0
    instance_start_s: float = 20.0
    instance_stop_s: float = 30.0
    volume_s: float = 5.0
    profile_s: float = 8.0
    """How long EC2 does not know a new instance profile."""
    attachment_s: float = 4.0
    """Volumes, on their way to an instance and off it."""
    modification_s: float = 21_600.0
    """For how long a volume that was modified cannot be again."""
    snapshot_s: float = 60.0
    queue_s: float = 60.0
    """How late a list shows a new queue, and for how long the name of a deleted one is taken."""
    handler_s: float = 8.0
    """A request of Cloud Control."""
    table_s: float = 10.0
    """Tables, between their states."""
    backups_s: float = 20.0
    """How long a new table has no continuous backups yet."""
    time_to_live_s: float = 3600.0
    """For how long a change of a table's time to live goes on, and there can be no other."""
    remembered_s: float = 3600.0
    """The seconds for which a deleted or terminated thing is still shown as such."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lag:
    """The delay with which the world is seen. 0 is at once.

    `new_s`: for so long a new id answers NotFound and is missing in lists. `changed_s`: for so long a change or a
    deletion is not seen. `is_flickering`: each call asks another replica, so that the lag is anything up to the whole,
    and a thing that was seen once may be gone again a moment later.
    """

    new_s: float = 0.0
    changed_s: float = 0.0
    is_flickering: bool = False


AT_ONCE = Pace(times=0.0)
CONSISTENT = Lag()
