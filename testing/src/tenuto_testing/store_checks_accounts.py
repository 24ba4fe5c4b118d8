"""The duties of every store for accounts: keep them by name, with one id each, as long as any record needs them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tenuto.errors import BugError, ConflictError
from tenuto.model.account import Account
from tenuto.model.ids import Fid, Instant, LogicalId, Partition
from tenuto.model.node import NODE_TYPE
from tenuto.ports.store import Store
from tenuto.ports.store_administration import ExpectAccount, RemoveAccount, SaveAccount
from tenuto.ports.store_changes import CreateObject, SaveObject
from tenuto_testing.store_bench import born, moved, raises
from tenuto_testing.store_samples import DB, WEB, a_move, a_process, an_account, an_object

ROLE: Mapping[str, Any] = {
    "provider": "cloudy",
    "settings": {"role": "tenuto", "port": 8443, "is_strict": True},
    "secrets": {"key": "sealed"},
    "description": "the role tenuto, assumed from own",
    "source": "own",
    "claimed_id": "111122223333",
}


def accounts_come_back_as_they_were_saved_by_name(store: Store) -> None:
    given = (
        an_account("a", **ROLE, region="eu-west-1", account_id="111122223333"),
        an_account("b", settings={"profile": "b-admin"}),
        an_account("c", created_at=Instant(12.5)),
    )
    for account in reversed(given):
        store.commit([_saved(account, 0)])
    assert store.accounts() == tuple(replace(account, generation=1) for account in given)
    assert store.account("b") == replace(given[1], generation=1)
    assert store.account("d") is None


def an_account_is_changed_only_by_who_knows_it(store: Store) -> None:
    store.commit([_saved(an_account("a"), 0)])
    changed = an_account("a", **ROLE, account_id="111122223333")
    for expected in (0, 2):
        raises((ConflictError,), store, [_saved(changed, expected)])
    store.commit([_saved(changed, 1)])
    assert store.account("a") == replace(changed, generation=2)
    raises((ConflictError,), store, [RemoveAccount(name="a", expected_generation=1)])


def an_id_that_is_known_never_changes(store: Store) -> None:
    store.commit([_saved(an_account("a", account_id="1"), 0)])
    for other in (None, "2"):
        raises((BugError,), store, [_saved(an_account("a", account_id=other), 1)])
    store.commit([RemoveAccount(name="a", expected_generation=1)])
    store.commit([_saved(an_account("a", account_id="2"), 0)])


def two_names_of_one_id_cannot_be(store: Store) -> None:
    store.commit([_saved(an_account("a", account_id="1"), 0), _saved(an_account("b"), 0), _saved(an_account("c"), 0)])
    raises((ConflictError,), store, [_saved(an_account("b", account_id="1"), 1)])
    both = [_saved(an_account(name, account_id="2"), 1) for name in ("b", "c")]
    raises((ConflictError,), store, both)
    assert [one.account_id for one in store.accounts()] == ["1", None, None]


def an_account_cannot_go_while_processes_live_there(store: Store) -> None:
    store.commit([_saved(an_account("a"), 0)])
    living = a_process(WEB, alias="web", partition=Partition(account="a", region="here"))
    store.commit([born(living), born(a_process(DB))])
    gone = RemoveAccount(name="a", expected_generation=1)
    error = raises((ConflictError,), store, [gone])
    assert "web" in str(error)
    store.commit([moved(living, "Running", "Gone")])
    unborn = a_process(Fid("p3"), partition=Partition(account="a", region="there"))
    raises((ConflictError,), store, [born(unborn), gone])
    store.commit([gone])
    assert store.accounts() == ()


def an_account_cannot_go_while_objects_of_requests_live_there(store: Store) -> None:
    home = {"partition": Partition(account="a", region="here")}
    owner, other = an_object("owner", None, **home), an_object("other", None, logical_id=LogicalId("Other"), **home)
    store.commit([_saved(an_account("a"), 0)])
    store.commit([CreateObject(object=one, actor="t") for one in (owner, other, an_object("elsewhere", None))])
    gone = RemoveAccount(name="a", expected_generation=1, object_id=owner.object_id)
    error = raises((ConflictError,), store, [gone])
    assert "Other" in str(error)
    ended = replace(other, state="Terminated", target="Terminated")
    move = a_move("Validation", "Terminated")
    store.commit([SaveObject(object=ended, expected_generation=1, moves=(move,))])
    raises((ConflictError,), store, [replace(gone, object_id=None)])
    node = {"type": NODE_TYPE, "lifecycle": "node", "state": "created", "target": "created"}
    store.commit([CreateObject(object=an_object("node", None, **home, **node), actor="t")])  # No request made it.
    store.commit([gone])
    assert store.accounts() == ()


def what_is_made_in_an_account_expects_that_very_account(store: Store) -> None:
    first = ExpectAccount(name="a", created_at=Instant(1.0))
    raises((ConflictError,), store, [first])
    store.commit([_saved(an_account("a", created_at=Instant(1.0)), 0)])
    store.commit([first])
    store.commit([_saved(an_account("a", created_at=Instant(1.0), region="here"), 1), first])
    store.commit([RemoveAccount(name="a", expected_generation=2)])
    raises((ConflictError,), store, [first])
    store.commit([_saved(an_account("a", created_at=Instant(2.0)), 0)])
    raises((ConflictError,), store, [first])


def an_account_cannot_go_while_another_is_entered_from_it(store: Store) -> None:
    store.commit([_saved(an_account("own"), 0), _saved(an_account("a", **ROLE), 0)])
    own = RemoveAccount(name="own", expected_generation=1)
    raises((ConflictError,), store, [own])
    store.commit([RemoveAccount(name="a", expected_generation=1), own])


def what_is_not_there_cannot_be_removed(store: Store) -> None:
    raises((ConflictError,), store, [RemoveAccount(name="a", expected_generation=1)])


def _saved(account: Account, expected_generation: int) -> SaveAccount:
    return SaveAccount(account=account, expected_generation=expected_generation)
