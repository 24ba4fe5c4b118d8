"""The way into each account: an SDK session whose credentials sign nothing before it is known where they lead.

Theory of operation. An account is a name, and where its credentials lead is AWS's word alone: a profile can be edited,
a program that hands out credentials can change its mind, a Conductor can be started with other variables. The rule of
when AWS is asked is in `core.access.accounts`; `guard` keeps it; the account book knows the right answer.

A role is assumed with the credentials of its source, which are guarded like that too; botocore fetches new ones a
quarter of an hour before their end. Files are read when a session is opened. A session whose credentials AWS calls
spent, or that lead to another account, is opened anew by the next who asks, so that a profile can be renewed, or put
right again, without a restart.

A refused entry is not tried again for a while, by any caller (`refusals`). Only `identify` always tries, one question
for each account at a time: a caller that comes while one is under way is told its answer. So a program that hands out
credentials and does not answer (`programs`) costs all who ask for its account one time limit together.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from botocore.credentials import Credentials, DeferredRefreshableCredentials, ReadOnlyCredentials
from botocore.handlers import json_decode_policies
from botocore.session import Session

from tenuto.core.access.accounts import DEFAULT_INTERVAL_S
from tenuto.core.access.masking import Masker
from tenuto.errors import ProviderError, StoreError, TransientError
from tenuto.model.account import DEFAULT_ACCOUNT, Account, Identity, KnownCredentials
from tenuto.ports.accounts import AccountBook
from tenuto.ports.clock import Clock
from tenuto.providers.aws.access import (
    EXTERNAL_ID,
    ByEnvironment,
    ByProfile,
    ByRole,
    access_of,
)
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.answers.answers import check
from tenuto.providers.aws.client.answers.item_parser import ItemParsers, decode_others
from tenuto.providers.aws.client.botocore_internals import start_programs_by
from tenuto.providers.aws.client.entrance.account_session import SHORT, AccountSession
from tenuto.providers.aws.client.entrance.encoding import encode_once
from tenuto.providers.aws.client.entrance.entering import entering, telling_no
from tenuto.providers.aws.client.entrance.programs import LATE, CredentialPrograms
from tenuto.providers.aws.client.entrance.refusals import Refusals, again

SESSION_NAME = "tenuto"
"""The name that CloudTrail shows for the session of an assumed role."""
_PARSERS = "response_parser_factory"
"""The name by which botocore registers its maker of parsers."""
_BY_ROLE_OF_AN_ACCOUNT = "role-of-account"
_WRONG = frozenset({"WrongAccount", "NoId"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """The last answer to whose the credentials of an account are, or the reason why there was none."""

    way: tuple[object, ...]
    found: Identity | ProviderError


class Sessions:
    """The sessions of all accounts. `own` is that of the default account. Thread-safe."""

    def __init__(
        self,
        *,
        own: Session,
        accounts: AccountBook,
        clock: Clock,
        interval_s: float = DEFAULT_INTERVAL_S,
        programs: CredentialPrograms | None = None,
    ) -> None:
        self._own = own
        own.register_component(_PARSERS, ItemParsers())
        _prepare(own)
        self._accounts = accounts
        self._clock = clock
        self._interval_s = interval_s
        self._lock = threading.Lock()
        self._gates: dict[str, threading.RLock] = {}
        self._kept: dict[str, AccountSession] = {}
        self._answers: dict[str, _Answer] = {}
        self._refusals = Refusals(clock)
        self._programs = programs or CredentialPrograms()

    def of(self, name: str, region: str) -> AccountSession:
        """The session of an account, the same one as long as the account is entered in the same way.

        Raises PermanentError when there is no such account, no way into it, or when it is another one than it was.
        """
        kept = self._kept.get(name)
        if kept is not None and _is_current(kept, self._accounts.account(name)):
            return kept
        with self._turn(name):
            # Asked for in here: a caller that waited at the gate must know the findings of those before it.
            account = self._accounts.account(name)
            kept = self._kept.get(name)
            if kept is not None and _is_current(kept, account):
                return kept
            with self._refusals.paused(account):
                if kept is not None and kept.is_spent:
                    kept.forget()
                opened = self._open(account, region)
                opened.guard(
                    lambda credentials: self._confirm(opened, credentials),
                    lambda error: self._lose(opened, error),
                    self._clock,
                    self._interval_s,
                )
            self._kept[name] = opened
            return opened

    def identify(self, account: Account) -> Identity:
        """The identity of the account's credentials, read anew; also of an account that is not stored yet.

        A caller that comes while the same is being asked waits for that answer, and gets it.
        """
        before, late = self._answers.get(account.name), self._refusals.last_late(account)
        with self._gate(account.name):
            answer, refusal = self._answers.get(account.name), self._refusals.last_late(account)
            if refusal is not None and refusal is not late:
                raise again(refusal.error)
            if answer is None or answer is before or answer.way != _way(account):
                answer = self._answers[account.name] = _Answer(way=_way(account), found=self._asked(account))
        if isinstance(answer.found, ProviderError):
            raise again(answer.found)
        return answer.found

    def credentials(self, name: str) -> KnownCredentials:
        """The known facts about an account's credentials, without a call."""
        refusal = self._refusals.last(name)
        if refusal is not None:
            return KnownCredentials(problem=str(refusal.error))
        kept = self._kept.get(name)
        return KnownCredentials(confirmed_at=kept.confirmed_at if kept is not None else None)

    def close(self) -> None:
        """End the programs that hand out credentials, and start no more."""
        self._programs.close()

    def _asked(self, account: Account) -> Identity | ProviderError:
        """The identity of the credentials, or the reason why it cannot be told. Nothing that was known counts."""
        kept = self._kept.pop(account.name, None)
        if kept is not None:
            kept.forget()
        if self._refusals.last_late(account) is None:
            self._refusals.forget(account.name)
        try:
            found = self._open(account, None).identify()
        except ProviderError as error:
            if error.code == LATE and self._is_stored(account):
                self._refusals.note(account, error)
            else:
                self._refusals.forget(account.name)
            return error
        self._refusals.forget(account.name)
        return found

    def _is_stored(self, account: Account) -> bool:
        """Whether the account is in the book like that: other settings may be tried, and refused."""
        try:
            return self._accounts.account(account.name) == account
        except ProviderError:
            return False

    def _lose(self, session: AccountSession, error: ProviderError) -> None:
        """Credentials that end could not be renewed in time: the session is opened anew, after the pause."""
        session.spend()
        self._refusals.note(session.account, error)

    def _gate(self, name: str) -> threading.RLock:
        """The lock of one account: one thread opens it, and calls of other accounts go on meanwhile."""
        with self._lock:
            return self._gates.setdefault(name, threading.RLock())

    @contextmanager
    def _turn(self, name: str) -> Iterator[None]:
        """Be the one that opens an account. A caller that would wait for credentials that were late the last time is
        refused for that reason instead: else they would take one thread of the Conductor after the other.
        """
        gate = self._gate(name)
        if not gate.acquire(blocking=False):
            late = self._refusals.last_late(self._accounts.account(name))
            if late is not None:
                raise again(late.error)
            gate.acquire()
        try:
            yield
        finally:
            gate.release()

    def _open(self, account: Account, region: str | None) -> AccountSession:
        access = access_of(account)
        with entering(account):
            match access:
                case ByEnvironment():
                    session = self._own if account.name == DEFAULT_ACCOUNT else self._new(Session())
                case ByProfile(profile=profile):
                    session = self._new(Session(profile=profile))
                case ByRole():
                    session = self._new(Session())
            if not isinstance(access, ByRole):
                start_programs_by(session, self._programs.of(account))
            opened = AccountSession(session, account, region)
        if isinstance(access, ByRole):
            session._credentials = self._assumed(account, access, opened.region)
        return opened

    def _new(self, session: Session) -> Session:
        """A session that shares the large parts that are the same for all: the models of the services, and the parsed
        items.
        """
        for name in ("data_loader", _PARSERS):
            session.register_component(name, self._own.get_component(name))
        _prepare(session)
        return session

    def _assumed(self, account: Account, role: ByRole, region: str) -> Credentials:
        """Credentials that assume the role whenever they need to."""

        def assume() -> dict[str, str]:
            client = self.of(role.source, region).create_client("sts", region, SHORT)
            external_id = self._accounts.secret(account, EXTERNAL_ID)
            more = {"ExternalId": external_id} if external_id else {}
            with telling_no(Masker(more.values())):
                given = client.assume_role(RoleArn=role.role_arn, RoleSessionName=SESSION_NAME, **more)["Credentials"]
            return {
                "access_key": given["AccessKeyId"],
                "secret_key": given["SecretAccessKey"],
                "token": given["SessionToken"],
                "expiry_time": given["Expiration"].isoformat(),
            }

        return DeferredRefreshableCredentials(refresh_using=assume, method=_BY_ROLE_OF_AN_ACCOUNT)

    def _confirm(self, session: AccountSession, credentials: ReadOnlyCredentials) -> str:
        """The account id of these credentials. Raises UnconfirmedError when it is not who it was, TransientError."""
        try:
            # As it is now: the session may have been opened before the id of the account was known.
            with self._refusals.paused(self._accounts.account(session.account.name)):
                found = session.identify(credentials)
                self._accounts.confirm(session.account.name, found.account_id)
        except ProviderError as error:
            if faults.is_spent(error) or error.code in _WRONG:
                session.spend()
            raise
        except StoreError as error:
            # Here is the middle of a call of the provider, where no caller expects the store.
            raise TransientError(f"where the account {session.account.name} leads cannot be stored: {error}") from error
        session.account_id = found.account_id
        return found.account_id


def _prepare(session: Session) -> None:
    """Register the handlers that run around each call of the session's clients."""
    session.register("after-call", check)
    session.unregister("after-call.iam", json_decode_policies)
    # Two providers may share a session, and a document is decoded once.
    session.register("after-call.iam", decode_others, unique_id="tenuto-iam-documents")
    encode_once(session)


def _is_current(kept: AccountSession, account: Account) -> bool:
    """Whether the account is still entered like that, and still known by the id that it had then."""
    is_known = kept.account_id is None or kept.account_id == account.account_id
    return _way(kept.account) == _way(account) and is_known and not kept.is_spent


def _way(account: Account) -> tuple[object, ...]:
    """All that says how the account is entered."""
    return account.provider, account.settings, account.secrets, account.source
