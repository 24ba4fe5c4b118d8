"""The duties of every store: the contract of `ports.store` as checks that a test runs one by one.

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_the_store_conforms(check):
        check(AnyStore())

Each check wants an empty store, and fails with an AssertionError.
"""

from collections.abc import Callable
from types import ModuleType

from tenuto.ports.store import Store
from tenuto_testing import (
    store_checks_access,
    store_checks_accounts,
    store_checks_claims,
    store_checks_commits,
    store_checks_history,
    store_checks_lease,
    store_checks_mandate,
    store_checks_notifications,
    store_checks_open,
    store_checks_reads,
    store_checks_records,
    store_checks_requests,
    store_checks_retention,
    store_checks_rule_set,
    store_checks_rules,
    store_checks_times,
    store_checks_upkeep,
)

__all__ = ["CHECKS", "Check"]

Check = Callable[[Store], None]


def _checks_of(module: ModuleType) -> tuple[Check, ...]:
    """The public functions of a module, in its order."""
    return tuple(
        value
        for name, value in vars(module).items()
        if callable(value) and not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    )


CHECKS: tuple[Check, ...] = (
    *_checks_of(store_checks_commits),
    *_checks_of(store_checks_rules),
    *_checks_of(store_checks_reads),
    *_checks_of(store_checks_history),
    *_checks_of(store_checks_records),
    *_checks_of(store_checks_requests),
    *_checks_of(store_checks_access),
    *_checks_of(store_checks_rule_set),
    *_checks_of(store_checks_accounts),
    *_checks_of(store_checks_notifications),
    *_checks_of(store_checks_lease),
    *_checks_of(store_checks_times),
    *_checks_of(store_checks_mandate),
    *_checks_of(store_checks_upkeep),
    *_checks_of(store_checks_retention),
    *_checks_of(store_checks_open),
    *_checks_of(store_checks_claims),
)
