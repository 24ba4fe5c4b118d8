"""Accounts: the requests of people about them, and the search for one by its name.

An account is checked before it is stored, so that an error is told at once to the person who can correct it. An account
that cannot be observed now can be stored unchecked; then its first use is the check.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from tenuto.core.access import accounts as rules
from tenuto.errors import ConflictError, NotAllowedError, NotFoundError, NoWayError, UserError
from tenuto.kit.regions import Regions, names_aws
from tenuto.model.access import ROOT
from tenuto.model.account import DEFAULT_ACCOUNT, Account, Identity, KnownCredentials
from tenuto.model.event import Event, EventType
from tenuto.model.ids import JsonMap
from tenuto.model.process import Process
from tenuto.ports.accounts import GivenSettings
from tenuto.ports.administration_reads import AccountReads
from tenuto.ports.clock import Clock
from tenuto.ports.conductor import Places
from tenuto.ports.secrets import Secrets, place_of_setting
from tenuto.ports.store import Store
from tenuto.ports.store_administration import ExpectAccount, RemoveAccount, SaveAccount
from tenuto.ports.store_changes import Append, StoreChange
from tenuto.ports.store_claims import ObjectQuery
from tenuto.service.common.until_stored import until_stored

MOST_NAMED = 100
"""Objects of one name in one account; there is one of each type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountView:
    """An account with the number of its live processes, the state of its credentials, and their identity."""

    account: Account
    processes: int
    credentials: KnownCredentials
    identity: Identity | None = None


def is_namespace(store: Store, account: Account) -> bool:
    """Whether an account is a live namespace of its provider."""
    query = ObjectQuery(account=account.name, name=account.name, live=True, limit=MOST_NAMED)
    return any(one.lifecycle == "namespace" and one.provider == account.provider for one in store.object_page(query))


def check_no_namespace(store: Store, account: Account) -> None:
    """Raise NotAllowedError for the account of a namespace, which begins and ends with it."""
    if is_namespace(store, account):
        raise NotAllowedError(
            f"The account {account.name} is a namespace, and ends with it: 'tenuto namespace delete {account.name}'. "
            "Nothing was changed."
        )


def check_account(store: AccountReads, process: Process, account: str | None) -> None:
    """Raise UserError when an account is named, and the process belongs to another one."""
    if account is not None and known_account(store, account).name != process.partition.account:
        name = process.alias or process.fid
        raise UserError(f"Process {name} belongs to the account {process.partition.account}, not {account}.")


def known_account(store: AccountReads, reference: str) -> Account:
    """Return the account of this name or id. Raises NotFoundError, naming the accounts that there are."""
    return rules.find_account(reference, rules.with_default(store.accounts()))


def still_there(account: Account) -> tuple[StoreChange, ...]:
    """The change that refuses a commit when this account was removed since it was looked up: nothing outlives its
    account. The default account is there without being stored."""
    if account.name == DEFAULT_ACCOUNT:
        return ()
    return (ExpectAccount(name=account.name, created_at=account.created_at),)


class Accounts:
    """Every method raises NotFoundError, NotAllowedError, UserError or StoreError, and then has changed nothing. Those
    that look raise TransientError and PermanentError besides.
    """

    def __init__(self, *, store: Store, clock: Clock, secrets: Secrets, places: Places, regions: Regions) -> None:
        self._store = store
        self._clock = clock
        self._secrets = secrets
        self._places = places
        self._regions = regions

    def all(self) -> tuple[AccountView, ...]:
        """The default one first, then by name."""
        counts = Counter(one.partition.account for one in self._store.processes(live=True))
        known = rules.with_default(self._store.accounts())
        return tuple(
            AccountView(account=one, processes=counts[one.name], credentials=self._places.credentials(one))
            for one in known.values()
        )

    def show(self, reference: str) -> AccountView:
        return self._view(known_account(self._store, reference))

    def add(
        self,
        name: str,
        settings: JsonMap,
        *,
        provider: str | None = None,
        region: str | None = None,
        checks: bool = True,
        actor: str = ROOT,
    ) -> AccountView:
        """A new account. `settings` are those of its provider, secrets in clear. `checks` asks at once who its
        credentials are.
        """
        known = rules.with_default(self._store.accounts())
        its_provider = self._places.provider_of_accounts(provider)
        new = Account(name=name, provider=its_provider, region=region, created_at=self._clock.now())
        rules.check_new(new, known)
        account = self._with(new, settings, before=None)
        rules.check_new(account, known)
        self._check_region(account, region)
        if name in known:
            raise NotAllowedError(
                f"There is an account {name} already, entered by {rules.way_text(known[name])}. Choose another name, "
                f"or change that one with 'tenuto account update {name}'."
            )
        with _named_by(settings):
            return self._save(account, actor, "added", checks=checks)

    def update(
        self,
        reference: str,
        settings: JsonMap,
        *,
        region: str | None = None,
        checks: bool = True,
        actor: str = ROOT,
    ) -> AccountView:
        """Give an account other settings, or another region; the others stay. Its processes stay in it."""
        known = rules.with_default(self._store.accounts())
        account = rules.find_account(reference, known)
        if account.name == DEFAULT_ACCOUNT:
            raise NotAllowedError(
                f"The account {DEFAULT_ACCOUNT} is entered by the settings that the Conductor runs with: change them, "
                "and restart it."
            )
        changed = self._with(replace(account, region=region or account.region), settings, before=account)
        rules.check_new(changed, known)
        self._check_region(changed, region)
        with _named_by(settings):
            return self._save(changed, actor, "changed", checks=checks)

    def check(self, reference: str, *, actor: str = ROOT) -> AccountView:
        """Ask who its credentials are now. The first time, its id is kept."""
        account = known_account(self._store, reference)
        return self._save(account, actor, "checked", checks=True)

    @until_stored
    def remove(self, reference: str, *, actor: str = ROOT) -> Account:
        """Forget an account. The default account stays usable: only the facts found about it are forgotten."""
        account = known_account(self._store, reference)
        if account.generation == 0:
            raise NotFoundError(
                f"Nothing is known of the account {account.name} that could be forgotten: it was never used."
            )
        check_no_namespace(self._store, account)
        self._check_unused(account)
        event = self._event(account, actor, "removed", before=account.account_id or "")
        self._store.commit((RemoveAccount(name=account.name, expected_generation=account.generation), event))
        return account

    def _save(self, account: Account, actor: str, reason: str, *, checks: bool) -> AccountView:
        """Store the account, with its id when it can be checked."""
        identity = self._places.identify(account) if checks else None
        stored = self._store.account(account.name)
        if (stored.generation if stored else 0) != account.generation:
            raise ConflictError(
                f"Another user changed the account {account.name} meanwhile. Read it again, and try again."
            )
        settled = account
        if identity is not None:
            settled = rules.confirmed(account, identity.account_id, self._store.accounts())
        if settled != stored:
            event = self._event(settled, actor, reason, after=settled.account_id or "")
            self._store.commit((SaveAccount(account=settled, expected_generation=account.generation), event))
            settled = replace(settled, generation=account.generation + 1)
        return replace(self._view(settled), identity=identity)

    def _with(self, account: Account, given: JsonMap, *, before: Account | None) -> Account:
        """The account with the settings that are given, as its provider reads them. Raises UserError."""
        rules.check_settings(given)
        checked = self._places.check_settings(
            account.provider,
            GivenSettings(
                given=given,
                before=before,
                region=account.region,
                name_of=lambda reference: known_account(self._store, reference).name,
            ),
        )
        return replace(
            account,
            settings=checked.settings,
            secrets={
                name: account.secrets[name]
                if clear is None
                else self._secrets.seal(clear, place_of_setting(account.name, name))
                for name, clear in checked.secrets.items()
            },
            description=checked.description,
            source=checked.source,
            claimed_id=checked.account_id,
        )

    def _check_region(self, account: Account, given: str | None) -> None:
        """Raise UserError when the region that is given is one of AWS and does not exist. Others check their own."""
        types = self._places.types(account.provider)
        if given is not None and (names_aws(types) or not types):
            rules.check_listed(given, self._regions)

    def _check_unused(self, account: Account) -> None:
        living = self._living(account.name)
        if living:
            raise NotAllowedError(
                f"Processes live in the account {account.name}: {', '.join(living)}. Kill or release them first; how "
                f"it is entered can be changed with 'tenuto account update {account.name}'."
            )
        entered = rules.entered_from(account.name, self._store.accounts())
        if entered:
            raise NotAllowedError(
                f"The account {account.name} is the source of {', '.join(entered)}: remove those first, or give them "
                "another source."
            )

    def _living(self, name: str) -> list[str]:
        return [one.alias or one.fid for one in self._store.processes(live=True) if one.partition.account == name]

    def _view(self, account: Account) -> AccountView:
        return AccountView(
            account=account,
            processes=len(self._living(account.name)),
            credentials=self._places.credentials(account),
        )

    def _event(self, account: Account, actor: str, reason: str, *, before: str = "", after: str = "") -> Append:
        event = Event(
            at=self._clock.now(),
            type=EventType.ACCOUNT_CHANGED,
            subject=account.name,
            before=before,
            after=after,
            actor=actor,
            reason=f"{reason}: {rules.way_text(account)}",
        )
        return Append(events=(event,))


@contextmanager
def _named_by(settings: JsonMap) -> Iterator[None]:
    """Settings of the request that name something missing are an error of the request, and not of the provider."""
    try:
        yield
    except NoWayError as missing:
        if not settings:
            raise
        raise UserError(str(missing)) from missing
