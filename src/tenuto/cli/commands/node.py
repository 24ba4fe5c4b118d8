"""`tenuto node …`: hosts of your own, and the agents on them."""

from tenuto.cli.objects.node_commands import cordon, delete, list_, purge, show, stop, uncordon
from tenuto.cli.objects.node_joining import agent, enroll, probe
from tenuto.cli.options.groups import group

command = group(
    "node",
    "Let hosts of your own join, see and command them, and run the agent on one.",
    probe,
    enroll,
    agent,
    list_,
    show,
    cordon,
    uncordon,
    stop,
    purge,
    delete,
)
