"""Every lifecycle by the name that objects carry."""

from collections.abc import Mapping

from tenuto.lifecycles.agent_operation import AGENT_OPERATION
from tenuto.lifecycles.attempt import ATTEMPT
from tenuto.lifecycles.cloud_node import CLOUD_NODE
from tenuto.lifecycles.instance import INSTANCE
from tenuto.lifecycles.intent import INTENT
from tenuto.lifecycles.made_things import ARTIFACT, BLOB, NETWORK_INTERFACE
from tenuto.lifecycles.namespace import NAMESPACE
from tenuto.lifecycles.network import NETWORK
from tenuto.lifecycles.node import NODE
from tenuto.lifecycles.process import PROCESS
from tenuto.lifecycles.resource import RESOURCE
from tenuto.lifecycles.table import Lifecycle
from tenuto.lifecycles.upload import UPLOAD

CATALOGUE: Mapping[str, Lifecycle] = {
    lifecycle.name: lifecycle
    for lifecycle in (
        PROCESS,
        RESOURCE,
        CLOUD_NODE,
        NODE,
        INSTANCE,
        NETWORK,
        NETWORK_INTERFACE,
        ARTIFACT,
        BLOB,
        UPLOAD,
        AGENT_OPERATION,
        NAMESPACE,
    )
}

TABLES: Mapping[str, Lifecycle] = {**CATALOGUE, ATTEMPT.name: ATTEMPT, INTENT.name: INTENT}
"""Every table there is: those of objects, and those of an attempt and an intent, which are parts of an object
and of a process."""
