"""The reason of each operation, in the words that people read beside it."""

from tenuto.core.planning.changes import Desired
from tenuto.core.planning.keeping import POLICY_PATH
from tenuto.core.planning.second_try import reason_to_try_again
from tenuto.lifecycles import roles
from tenuto.model.delta import DeltaKind, Difference, Unknown
from tenuto.model.resource import ManagedObject


def is_new_wish(difference: Difference, desired: Desired, found: ManagedObject) -> bool:
    """Whether a user asked for it: other properties than before, nothing but another deletion policy, or that a thing
    stays which an earlier command had ordered away."""
    is_policy_alone = bool(difference.changes) and all(change.path == POLICY_PATH for change in difference.changes)
    is_turned_back = roles.is_leaving(found)
    return desired.digest != found.desired_digest or is_policy_alone or is_turned_back


def reason_to_change(difference: Difference, desired: Desired, found: ManagedObject | None) -> str:
    """Why a declared resource is made, made anew or changed."""
    if difference.kind is DeltaKind.VANISHED:
        return f"vanished: {difference.message}"
    if difference.kind is DeltaKind.BROKEN:
        return f"broken: {difference.message}"
    if found is None:
        return "new"
    if difference.message:
        return difference.message
    if any(change.after is Unknown.AFTER_APPLY for change in difference.changes):
        return "something it refers to is made anew"
    if is_new_wish(difference, desired, found):
        return "update"
    return reason_to_try_again(found) if found.is_phase_failed else "drift"


def reason_to_remove(*, is_awaited: bool) -> str:
    """Why an incarnation goes whose address is declared: its successor is to come, or stands there already."""
    return "replaced, once its successor is ready" if is_awaited else "left over from a replacement"
