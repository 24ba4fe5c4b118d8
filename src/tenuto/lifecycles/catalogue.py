"""Every lifecycle by the name that objects carry."""

from collections.abc import Mapping

from tenuto.lifecycles.process import PROCESS
from tenuto.lifecycles.resource import RESOURCE
from tenuto.lifecycles.table import Lifecycle

CATALOGUE: Mapping[str, Lifecycle] = {lifecycle.name: lifecycle for lifecycle in (PROCESS, RESOURCE)}
