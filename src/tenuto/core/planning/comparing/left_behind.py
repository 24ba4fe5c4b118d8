"""Things that a change in place has replaced at the provider, and that still stand.

Theory of operation. Some providers say only in the answer to a change that another thing stands now. What was built on
the old thing still uses it, and follows by the next plan. So the provider notes the old thing with the object
(`model.resource.REPLACED`), and its deletion is a change of its own, the last one of a plan. No composition asks for
it, and it is no drift: it completes the update.
"""

from tenuto.core.planning.comparing.deletion_policy import POLICY_PATH
from tenuto.model.delta import Change
from tenuto.model.resource import REPLACED, ManagedObject

REPLACED_PATH = "Replaced"
"""The path of the change that deletes such things, beside those of properties."""
OWN_PATHS = frozenset({POLICY_PATH, REPLACED_PATH})
"""The paths of changes that the provider shows nothing of."""


def left_behind(found: ManagedObject) -> tuple[Change, ...]:
    """The change that deletes the replaced things of an object; none where it has none."""
    things = sorted(found.attributes.get(REPLACED) or ())
    return (Change(path=REPLACED_PATH, before=", ".join(things), after=None, has_after=False),) if things else ()
