"""The mandate: nothing is done for an object before a plan for its process's last command has spoken of it.

Theory of operation. A command is stored at once and planned by the next job. Between the two lie a moment, or days when
the provider cannot be reached, and what is under way then was ordered by an earlier command: a deletion that sleeps,
say, which the new command takes back. So every command that changes what a process is to be raises the number of the
process (`Process.mandate`) in its own commit, and an object carries the number of the command for which its target was
planned. Where the two differ the store gives the object to no phase run, and the provider's client makes no call.

The plan that serves the command speaks of every object that is under way. A step sets its target when the step begins.
An object that goes on as it is has the plan's agreement, which is stored in one commit with the plan; so has one that
is to stand, while what it is to become refers to something that has no value yet. Any other object of which the plan
cannot say yet what is to become of it gets neither, and rests. A plan that no command asked for raises
the number in the same way when one of its steps is to turn what is under way elsewhere.

An object at rest needs no mandate for its upkeep: it is where a plan has brought it, and a plan that wants it elsewhere
cancels the upkeep. Only a process that is Suspended or Gone has none done.

Rejected: to turn the targets in the commit of the command. Whether a deletion can be turned back, and what is to be
deleted before what, follows from what is at the provider; a command must not wait for that.
"""

from collections.abc import Iterable
from dataclasses import replace

from tenuto.model.plan import Plan, Planning
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject


def mandated(process: Process, plan: Plan, objects: Iterable[ManagedObject]) -> Process:
    """The process under the mandate of a plan: the one that it has, unless the plan turns what is under way."""
    turned = {step.object_id for step in plan.steps}
    if not any(found.object_id in turned and not found.is_settled for found in objects):
        return process
    return replace(process, mandate=process.mandate + 1)


def agreed_objects(planning: Planning, process: Process, objects: Iterable[ManagedObject]) -> tuple[ManagedObject, ...]:
    """The objects that go on as they are, with the mandate of their process; without those that have it already."""
    return tuple(
        replace(found, mandate=process.mandate)
        for found in objects
        if found.object_id in planning.agreed and found.mandate != process.mandate
    )
