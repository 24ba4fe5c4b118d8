"""What every store must do with the policy, with secrets of users, and with settings that were changed."""

from tenuto.errors import ConflictError
from tenuto.model.access import PolicyText, RuntimeSetting, UserSecret
from tenuto.model.ids import Instant
from tenuto.ports.store import Store
from tenuto.ports.store_administration import SavePolicy, SaveRuntime, SaveUserSecrets
from tenuto.testing.store_bench import raises, unchanged

AT = Instant(100.0)


def there_is_one_policy_at_most(store: Store) -> None:
    assert store.policy() is None
    store.commit([SavePolicy(policy=_policy("first"))])
    store.commit([SavePolicy(policy=_policy("zwölf\nlines"))])
    assert store.policy() == _policy("zwölf\nlines")
    store.commit([SavePolicy(policy=None)])
    store.commit([SavePolicy(policy=None)])
    assert store.policy() is None


def a_user_has_one_secret_at_most(store: Store) -> None:
    store.commit([SaveUserSecrets(secrets=(_secret("bob", "k1"), _secret("ann", "k2")))])
    store.commit([SaveUserSecrets(secrets=(_secret("bob", "k3"),))])
    assert store.user_secrets() == (_secret("ann", "k2"), _secret("bob", "k3"))
    assert store.user_secret("k3") == _secret("bob", "k3")
    assert store.user_secret("k1") is None
    assert store.user_secret("") is None


def a_removed_secret_is_found_no_more(store: Store) -> None:
    store.commit([SaveUserSecrets(secrets=(_secret("bob", "k1"),))])
    store.commit([SaveUserSecrets(removed=("bob", "nobody"))])
    assert store.user_secrets() == ()
    assert store.user_secret("k1") is None
    store.commit([SaveUserSecrets(secrets=(_secret("ann", "k1"),))])
    assert store.user_secret("k1") == _secret("ann", "k1")


def two_users_never_share_a_key(store: Store) -> None:
    store.commit([SaveUserSecrets(secrets=(_secret("bob", "k1"),))])
    with unchanged(store):
        raises(
            (ConflictError,), store, [SavePolicy(policy=_policy("x")), SaveUserSecrets(secrets=(_secret("a", "k1"),))]
        )
    store.commit([SaveUserSecrets(secrets=(_secret("bob", "k1"),))])


def a_setting_has_its_last_value_until_it_is_removed(store: Store) -> None:
    store.commit([SaveRuntime(settings=(_setting("jobs/period", "5"), _setting("api/log-level", "DEBUG")))])
    store.commit([SaveRuntime(settings=(_setting("jobs/period", "7"),))])
    assert store.runtime_settings() == (_setting("api/log-level", "DEBUG"), _setting("jobs/period", "7"))
    store.commit([SaveRuntime(removed=("jobs/period", "unheard-of"))])
    assert store.runtime_settings() == (_setting("api/log-level", "DEBUG"),)


def _policy(text: str) -> PolicyText:
    return PolicyText(text=text, file="policy.yaml", set_at=AT, set_by="root")


def _secret(user: str, key: str) -> UserSecret:
    return UserSecret(user=user, key=key, digest=f"digest of {key}", created_at=AT, created_by="root")


def _setting(key: str, value: str) -> RuntimeSetting:
    return RuntimeSetting(key=key, value=value, set_at=AT, set_by="root")
