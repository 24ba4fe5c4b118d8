"""The store keeps one policy, one secret for each user, and the settings that were changed."""

from tenuto.errors import ConflictError
from tenuto.ports.record_kinds import POLICY, RUNTIME_SETTING, THE_POLICY, USER_SECRET
from tenuto.ports.records import RemoveRecord, SaveRecord
from tenuto.ports.store import Store
from tenuto_testing.store_bench import raises, unchanged
from tenuto_testing.store_samples import a_policy, a_secret, a_setting


def there_is_one_policy_at_most(store: Store) -> None:
    assert store.policy() is None
    for text in ("first", "zwölf\nlines"):
        store.commit([SaveRecord(kind=POLICY, value=a_policy(text))])
        assert store.policy() == a_policy(text)
    for _ in range(2):
        store.commit([RemoveRecord(kind=POLICY, key=THE_POLICY)])
        assert store.policy() is None


def a_user_has_one_secret_at_most(store: Store) -> None:
    for user, key in (("bob", "k1"), ("ann", "k2"), ("bob", "k3")):
        store.commit([SaveRecord(kind=USER_SECRET, value=a_secret(user, key))])
    bob = a_secret("bob", "k3", generation=2)
    assert store.user_secrets() == (a_secret("ann", "k2", generation=1), bob)
    assert store.user_secret("k3") == bob
    assert store.user_secret("k1") is None
    assert store.user_secret("") is None


def a_removed_secret_is_found_no_more(store: Store) -> None:
    store.commit([SaveRecord(kind=USER_SECRET, value=a_secret("bob", "k1"))])
    store.commit([RemoveRecord(kind=USER_SECRET, key=user) for user in ("bob", "nobody")])
    assert store.user_secrets() == ()
    assert store.user_secret("k1") is None
    store.commit([SaveRecord(kind=USER_SECRET, value=a_secret("ann", "k1"))])
    assert store.user_secret("k1") == a_secret("ann", "k1", generation=1)


def two_users_never_share_a_key(store: Store) -> None:
    mine = SaveRecord(kind=USER_SECRET, value=a_secret("bob", "k1"))
    store.commit([mine])
    with unchanged(store):
        other = SaveRecord(kind=USER_SECRET, value=a_secret("ann", "k1"))
        error = raises((ConflictError,), store, [SaveRecord(kind=POLICY, value=a_policy()), other])
    assert str(error) == "the user-secret bob has the same key; make another one for ann"
    store.commit([mine])


def a_setting_has_its_last_value_until_it_is_removed(store: Store) -> None:
    for key, value in (("jobs/period", "5"), ("api/log-level", "DEBUG"), ("jobs/period", "7")):
        store.commit([SaveRecord(kind=RUNTIME_SETTING, value=a_setting(key, value))])
    assert store.runtime_settings() == (a_setting("api/log-level", "DEBUG"), a_setting("jobs/period", "7"))
    store.commit([RemoveRecord(kind=RUNTIME_SETTING, key=key) for key in ("jobs/period", "unheard-of")])
    assert store.runtime_settings() == (a_setting("api/log-level", "DEBUG"),)
