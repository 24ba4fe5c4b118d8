"""The session of one account: an SDK session whose credentials sign nothing before it is known where they lead.

The SDK's clients may be used by several threads, its sessions not: one lock per session is around each use of it.
"""

import copy
import threading
from typing import Any

from botocore.config import Config
from botocore.credentials import Credentials, ReadOnlyCredentials
from botocore.exceptions import BotoCoreError, NoCredentialsError
from botocore.session import Session

from tenuto.kit.regions import aws_partitions
from tenuto.model.account import Account, Identity
from tenuto.model.ids import Instant, JsonMap
from tenuto.ports.clock import Clock
from tenuto.providers.aws.access import ByEnvironment, ByRole, access_of, check_account_id
from tenuto.providers.aws.client.entrance.entering import ask_for_no_code, entering
from tenuto.providers.aws.client.entrance.guard import Ask, GuardedCredentials, Lost
from tenuto.providers.aws.client.entrance.timed import timed

SHORT = Config(connect_timeout=5.0, read_timeout=10.0, retries={"total_max_attempts": 3, "mode": "standard"})
"""STS answers within a second, and may be asked twice."""
_FIXED = frozenset({"explicit", "env"})
"""Ways of the SDK to find credentials that give the same ones however often they are asked: the environment of a
program never changes.
"""
_BY_ROLE_OF_A_PROFILE = "assume-role"


class AccountSession:
    """An open way into one account. Thread-safe."""

    def __init__(self, session: Session, account: Account, region: str | None) -> None:
        self.account = account
        self.region = region or account.region or session.get_config_variable("region") or _home(account)
        self.account_id: str | None = None
        """The account id that it was found to lead to; None before it was used."""
        self.is_spent = False
        self._session = session
        self._of_role: dict[str, str] = {}
        self._guard: GuardedCredentials | None = None
        self._lock = threading.Lock()

    def create_client(self, service: str, region_name: str, config: Config) -> Any:
        """A client that signs with the account's credentials, or with those of a role."""
        with self._lock:
            return timed(self._session.create_client(service, region_name=region_name, config=config, **self._of_role))

    def in_role(self, given: JsonMap) -> "AccountSession":
        """This session for one act as a role that a composition names, with the credentials that STS gave.

        The role may lead to any account, on purpose: the other side has permitted it. The account of the credentials
        that asked for the role is still confirmed before each change.
        """
        session = copy.copy(self)
        session._of_role = {
            "aws_access_key_id": given["AccessKeyId"],
            "aws_secret_access_key": given["SecretAccessKey"],
            "aws_session_token": given["SessionToken"],
        }
        return session

    def regions_of(self, service: str, near: str) -> frozenset[str]:
        """The regions that the SDK lists for a service, in the part of AWS that a region is in; none when it lists
        none, as of a service that all regions share."""
        with self._lock:
            try:
                part = self._session.get_partition_for_region(near)
            except BotoCoreError:
                return frozenset()
            return frozenset(self._session.get_available_regions(service, part))

    def spend(self) -> None:
        """The credentials are not good any more: they ended, or lead to another account."""
        method = self._guard.method if self._guard is not None else None
        self.is_spent = not isinstance(access_of(self.account), ByEnvironment) or method not in _FIXED

    def forget(self) -> None:
        """Let the SDK look for credentials again. Those that were given to it, or are its environment's, stay."""
        with self._lock:
            found = self._session._credentials
            if found is not None and found.method not in _FIXED:
                self._session._credentials = None

    def guard(self, ask: Ask, lost: Lost, clock: Clock, interval_s: float) -> None:
        """Have credentials confirmed before they sign, the ones that there are now at once. Raises ProviderError."""
        guard = GuardedCredentials(self.account, self._found(), ask, lost, clock, interval_s)
        self._guard = guard
        guard.get_frozen_credentials()
        with self._lock:
            # The SDK has no public way to replace credentials that a session has found already.
            self._session._credentials = guard

    @property
    def confirmed_at(self) -> Instant | None:
        """The moment when the credentials were last found to be right; None when they are not, or were
        never checked.
        """
        known = self._guard.confirmation if self._guard is not None else None
        return known.at if known is not None else None

    def confirm_to_change(self) -> None:
        """Be sure enough whose account it is to change something in it. Raises ProviderError."""
        if self._guard is not None:
            self._guard.confirm_to_change()

    def confirm_since(self, moment: Instant) -> None:
        """Be sure that it is the right account, and was so after a moment. Raises ProviderError."""
        if self._guard is not None:
            self._guard.confirmed_since(moment)

    def identify(self, credentials: ReadOnlyCredentials | None = None) -> Identity:
        """The answer of STS about these very credentials, or about those that there are now. Raises ProviderError."""
        with entering(self.account):
            given = credentials or self._found().get_frozen_credentials()
            with self._lock:
                client = self._session.create_client(
                    "sts",
                    region_name=self.region,
                    config=SHORT,
                    aws_access_key_id=given.access_key,
                    aws_secret_access_key=given.secret_key,
                    aws_session_token=given.token,
                )
            answer = timed(client).get_caller_identity()
        check_account_id(self.account, str(answer["Account"]))
        return Identity(account_id=str(answer["Account"]), arn=str(answer["Arn"]))

    def _found(self) -> Credentials:
        """The credentials that the SDK finds, without a guard."""
        with entering(self.account):
            with self._lock:
                found = self._session.get_credentials()
            if found is None:
                raise NoCredentialsError
            if found.method == _BY_ROLE_OF_A_PROFILE:
                ask_for_no_code(self._session, self.account)
        return found.inner if isinstance(found, GuardedCredentials) else found


def _home(account: Account) -> str:
    access = access_of(account)
    homes = {one.name: one.home for one in aws_partitions()}
    usual = aws_partitions()[0].home
    return homes.get(access.partition, usual) if isinstance(access, ByRole) else usual
