"""`tenuto node …`: hosts of your own, and the agents on them."""

from tenuto.cli.groups import group
from tenuto.cli.node_joining import agent, enroll

command = group("node", "Let hosts of your own join, and run the agent on one.", enroll, agent)
