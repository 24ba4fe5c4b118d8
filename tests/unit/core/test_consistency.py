"""What a provider says of its consistency is what is waited for, and no longer."""

from dataclasses import replace

import pytest

from tenuto.conductor.observing.sightings import judge, losses
from tenuto.core.pacing.visibility import is_new, may_be_stale, next_look_s
from tenuto.model.consistency import EVENTUAL, IMMEDIATE, Consistency
from tenuto.model.ids import Instant, Partition, PhysicalId, TypeName
from tenuto.model.observation import Presence, Sweep
from tenuto.model.resource import ManagedObject, ResourceType

HERE = Partition(account="default", region="r-1")
NET = TypeName("Toy::Net")
ONE = PhysicalId("net-1")
AT = Instant(100.0)
