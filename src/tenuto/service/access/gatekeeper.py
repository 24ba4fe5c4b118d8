"""The gatekeeper: the check of the caller of every request from outside, and of the right to ask.

Theory of operation. The owner of the Conductor comes with the secret of its credentials file and may do everything. A
user comes with a secret of their own, must be in the policy, and has the rights of its grants
(`core.access.admission`). Both are looked up in the store for every request, so a change of the policy, or a revoked
secret, holds at once and also for a stream of events that is still open. A denied command is an event (`denials`).
"""

import hmac
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from tenuto.compositions.policies.policy import compile_policy
from tenuto.core.access.accounts import with_default
from tenuto.core.access.admission import permits, permits_somewhere
from tenuto.errors import CompileError, ForbiddenError, NoProcessError, NotFoundError, StoreError
from tenuto.kit.nearest import meant
from tenuto.model.access import OF_CONDUCTOR, QUESTIONS, ROOT, Policy, PolicyText, Right, UserSecret
from tenuto.model.command import ProcessState
from tenuto.model.ids import Fid, Instant, PlanId
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.model.retention import Remnant
from tenuto.ports.clock import Clock
from tenuto.ports.record_kinds import USER_SECRET
from tenuto.ports.records import SaveRecord
from tenuto.ports.store import Store
from tenuto.service.access.callers import ANYWHERE, LONGEST_NAME, Bounds, Caller, Place, denial
from tenuto.service.access.denials import Denials
from tenuto.service.access.own_secret import is_secret
from tenuto.service.access.tokens import narrowed
from tenuto.service.access.user_secrets import SecretChecks, is_user_secret, key_of
from tenuto.service.accounts.accounts import is_namespace, known_account
from tenuto.service.accounts.former import is_former_object, is_former_process, is_of_former
from tenuto.service.accounts.sharing import ANY
from tenuto.service.common.finding import any_process, no_plan

USED_EVERY_S = 3600.0
"""A token is used for each request of a program; to know the hour is enough, and a write each time would cost more."""


class Gatekeeper:
    """Recognises callers and checks their rights. Thread-safe. `secret` is the owner's."""

    def __init__(self, *, store: Store, clock: Clock, secret: str) -> None:
        self._store = store
        self._clock = clock
        self._secret = secret
        self._checks = SecretChecks()
        self._denials = Denials(store, clock)
        self._compiled: tuple[PolicyText | None, Policy] = (None, Policy())

    def recognise(self, secret: str) -> Caller | None:
        """The user who has this secret; None when there is none. May take a moment the first time."""
        if is_secret(secret, self._secret):
            return Caller(name=ROOT)
        if not is_user_secret(secret):
            return None
        kept = self._store.user_secret(key_of(secret))
        if kept is None or not self._is_valid(kept) or not self._checks.is_right(secret, kept):
            return None
        if kept.owner:
            self._note_use(kept)
            return Caller(name=kept.owner, key=kept.key, narrowing=kept.grant)
        return Caller(name=kept.user, key=kept.key, grant=kept.grant)

    def ended_at(self, secret: str) -> Instant | None:
        """The moment at which this secret, which is right, has expired; None for any other, so that only its holder
        learns of it."""
        kept = self._store.user_secret(key_of(secret)) if is_user_secret(secret) else None
        if kept is None or not kept.is_expired(self._clock.now()) or not self._checks.is_right(secret, kept):
            return None
        return kept.expires_at

    def _note_use(self, kept: UserSecret) -> None:
        """Keep that a token is in use, once an hour. One that was revoked meanwhile does not come back by it."""
        now = self._clock.now()
        if kept.used_at is not None and now - kept.used_at < USED_EVERY_S:
            return
        used = SaveRecord(kind=USER_SECRET, value=replace(kept, used_at=now), expected_generation=kept.generation)
        with suppress(
            StoreError
        ):  # Another writer was faster, or the store cannot write: the token is good all the same.
            self._store.commit((used,))

    def check_makes(self, caller: Caller, user: str) -> Bounds:
        """The bounds of the secrets that the caller may make for a user: a token makes none that is wider than itself.

        Raises ForbiddenError when it may make no secret for that user.
        """
        kept = self._store.user_secret(caller.key) if caller.key else None
        if kept is None or not kept.owner:
            return Bounds()
        if kept.owner == user:
            return Bounds(narrowing=kept.grant, until=kept.expires_at)
        if kept.grant is not None:
            raise ForbiddenError(
                f"A token that was made for less than its user may do makes nothing for {user[:LONGEST_NAME]}: that "
                "could do more than the token. Nothing was changed. Use the secret of the user."
            )
        return Bounds()

    def caller_of(self, user: str, key: str) -> Caller:
        """The caller of a session that began with a secret: one of a token may do no more than the token.

        Whether the secret is still valid is the question of `check_known`.
        """
        kept = self._store.user_secret(key) if key else None
        narrowing = kept.grant if kept is not None and kept.owner else None
        return Caller(name=user, key=key, narrowing=narrowing)

    def named(self, name: str) -> Caller:
        """The caller of a name, with the rights that it has now: a key of a namespace brings its grant."""
        kept = self._store.record(USER_SECRET, name)
        grant = kept.grant if kept is not None and not kept.owner and self._is_valid(kept) else None
        return Caller(name=name, grant=grant)

    def owner_mark(self, session_id: str) -> str:
        """The mark of the owner's secret in a session. It is another one under another secret, and in each session; the
        id of the session, which no store keeps, is its key, so that no thief of a database can try secrets by it."""
        return hmac.digest(session_id.encode(), b"owner " + self._secret.encode(), "sha256").hex()

    def policy(self) -> Policy:
        """The policy that holds; an empty one when there is none, or one that this Tenuto cannot read."""
        text = self._store.policy()
        known, policy = self._compiled
        if text != known:
            try:
                policy = compile_policy(text.text, file=text.file) if text else Policy()
            except CompileError:
                # It was compiled when it was set, so an older Tenuto wrote it, or a newer one. It lets no user in.
                policy = Policy()
            self._compiled = (text, policy)
        return policy

    def check(self, caller: Caller, right: Right, place: Place) -> None:
        """Raise ForbiddenError when the caller may not do this there, and keep a denied command as an event."""
        self.check_known(caller)
        if _permits(self._policy_for(caller), caller, right, place):
            return
        self._deny(caller, right, place)

    def refusal(self, caller: Caller, right: Right, process: Process) -> str:
        """Return why the caller may not do this to a process; empty when they may. Asking is no denied command."""
        place = self.place_of(process)
        is_allowed = _permits(self._policy_for(caller), caller, right, place)
        return "" if is_allowed else denial(caller, right, place)

    def check_somewhere(self, caller: Caller, right: Right, *, account: str | None = None) -> None:
        """Raise ForbiddenError when there can be nothing at all for which the caller may do this."""
        self.check_known(caller)
        if not permits_somewhere(self._policy_for(caller), caller.name, right, account=account):
            self._deny(caller, right, Place(account=account or ANYWHERE))

    def check_any(self, caller: Caller, rights: Sequence[Right], place: Place | None) -> None:
        """Raise ForbiddenError when the caller may do none of these there; without a place, anywhere.

        The first right is the one that is told, and kept as an event.
        """
        self.check_known(caller)
        policy = self._policy_for(caller)
        if place is None:
            is_allowed = any(permits_somewhere(policy, caller.name, one) for one in rights)
        else:
            is_allowed = any(_permits(policy, caller, one, place) for one in rights)
        if not is_allowed:
            self._deny(caller, rights[0], place or Place(account=ANYWHERE))

    def allows(self, caller: Caller, right: Right) -> bool:
        """Whether the caller may do this to anything at all. Asking is no denied command."""
        return self._is_known(caller) and permits_somewhere(self._policy_for(caller), caller.name, right)

    def may_somewhere(self, caller: Caller, account: str) -> bool:
        """Whether the caller has any right to processes of the account, be there one or not."""
        rights = (right for right in Right if right not in OF_CONDUCTOR)
        policy = self._policy_for(caller)
        return self._is_known(caller) and any(
            permits_somewhere(policy, caller.name, right, account=account) for right in rights
        )

    def is_hidden(self, caller: Caller, account: str) -> bool:
        """Whether the account is to look as if it were not there: a namespace in which the caller has no right.

        So does an account that is not there, else the difference would tell.
        """
        try:
            found = known_account(self._store, account)
        except NotFoundError:
            return True
        return not self.may_somewhere(caller, found.name) and is_namespace(self._store, found)

    def hides(self, caller: Caller, place: Place) -> bool:
        """Whether a place is to look as if nothing were there."""
        if place.is_former:
            return not self.may_somewhere(caller, place.granted)
        return self.is_hidden(caller, place.account)

    def accounts_of(self, caller: Caller) -> tuple[str, ...]:
        """The accounts that are not hidden from the caller; one empty name for all of them."""
        if caller.is_root:
            return ("",)
        return tuple(one for one in sorted(with_default(self._store.accounts())) if not self.is_hidden(caller, one))

    def check_root(self, caller: Caller) -> None:
        """Raise ForbiddenError when the caller is not the owner."""
        if not caller.is_root:
            raise ForbiddenError(f"{caller.name} may not do that: only {ROOT} may, and no grant can give it.")

    def check_known(self, caller: Caller) -> None:
        """Raise ForbiddenError when the caller's secret was revoked since it was recognised."""
        if not self._is_known(caller):
            raise ForbiddenError(f"The secret of {caller.name} is not valid any more. Ask for another one.")

    def account_name(self, reference: str) -> str:
        """The name of the account of a name or an id; the reference itself when there is none."""
        try:
            return known_account(self._store, reference).name
        except NotFoundError:
            return reference

    def process(self, reference: str) -> Process:
        """The process of a FID or alias, live or gone. Raises NotFoundError."""
        return any_process(self._store, reference)

    def with_guess(self, caller: Caller, missing: NoProcessError) -> NoProcessError:
        """The error with the name that was probably meant, of the live processes that the caller may see."""
        is_seen = self.seen_by(caller, Right.STATUS)
        names = [one.alias or one.fid for one in self._store.processes(live=True) if is_seen(one.fid)]
        return NoProcessError(missing.reference, guess=meant(missing.reference, names))

    def live_process(self, reference: str) -> Process | None:
        found = self._store.process(reference)
        return found if found is not None and found.state is not ProcessState.GONE else None

    def place_of(self, process: Process) -> Place:
        return Place(
            account=process.partition.account,
            alias=process.alias,
            fid=process.fid,
            is_former=is_former_process(self._store, process),
        )

    def place_of_object(self, item: ManagedObject) -> Place:
        """The place of an object of no process."""
        return Place(account=item.partition.account, is_former=is_former_object(self._store, item))

    def place_of_plan(self, plan_id: PlanId) -> Place:
        """Return the place that a stored plan belongs to. Raises NotFoundError."""
        plan = self._store.plan(plan_id)
        if plan is None:
            raise self.missing_plan(plan_id)
        # The plan of a dry run may be of a process that never was.
        process = self._store.process(plan.fid)
        if process is not None:
            return self.place_of(process)
        account = plan.partition.account
        return Place(account=account, fid=plan.fid, is_former=is_of_former(self._store, account, plan.observed_at))

    def missing_plan(self, plan_id: PlanId) -> NotFoundError:
        """The error for a stored plan that is not there."""
        return no_plan(plan_id, self._store.removed_until()[Remnant.PLAN].removed_until)

    def seen_by(self, caller: Caller, right: Right) -> Callable[[Fid | None], bool]:
        """Whether the caller may ask this about a process, by its FID; each is looked up once.

        A thing of no process is seen by the users who may set the policy. Raises ForbiddenError like `check_known`.
        """
        self.check_known(caller)
        if caller.is_root:
            return lambda _: True
        policy = self._policy_for(caller)
        known: dict[Fid | None, bool] = {None: permits(policy, caller.name, Right.POLICY)}

        def is_seen(fid: Fid | None) -> bool:
            if fid not in known:
                process = self._store.process(fid) if fid else None
                place = self.place_of(process) if process else Place()
                known[fid] = _permits(policy, caller, right, place)
            return known[fid]

        return is_seen

    def sees_account(self, caller: Caller, right: Right) -> Callable[[str], bool]:
        """Whether the caller may ask this about the things of an account that belong to no process, by the account's
        name.

        Raises ForbiddenError like `check_known`.
        """
        self.check_known(caller)
        policy = self._policy_for(caller)
        return lambda account: permits(policy, caller.name, right, account=account)

    def sees_object(self, caller: Caller, right: Right) -> Callable[[ManagedObject], bool]:
        """Whether the caller may ask this about an object of no process. Raises ForbiddenError like `check_known`."""
        self.check_known(caller)
        policy = self._policy_for(caller)
        return lambda item: _permits(policy, caller, right, self.place_of_object(item))

    def reader(self, caller: Caller, right: Right) -> Callable[[str], bool]:
        """Whether the caller may ask this about an account, as `sees_account`; for `sharing.ANY` about any at all."""
        sees = self.sees_account(caller, right)
        policy = self._policy_for(caller)
        return lambda account: permits_somewhere(policy, caller.name, right) if account == ANY else sees(account)

    def _is_known(self, caller: Caller) -> bool:
        if caller.is_root:
            return True
        kept = self._store.user_secret(caller.key)
        return kept is not None and (kept.owner or kept.user) == caller.name and self._is_valid(kept)

    def _is_valid(self, kept: UserSecret) -> bool:
        """Whether a stored secret is still accepted: that of a user by the policy, that of a key until it expires."""
        if (kept.grant is None or kept.owner) and (kept.owner or kept.user) not in self.policy().users:
            return False
        return not kept.is_expired(self._clock.now())

    def _policy_for(self, caller: Caller) -> Policy:
        """Return the policy that holds for a caller. A key is asked about nothing but its own grant."""
        if caller.grant is not None:
            return Policy(users=(caller.name,), grants=(caller.grant,))
        if caller.narrowing is not None:
            return narrowed(self.policy(), caller.name, caller.narrowing)
        return self.policy()

    def _deny(self, caller: Caller, right: Right, place: Place) -> None:
        place = replace(place, account=place.account[:LONGEST_NAME], alias=(place.alias or "")[:LONGEST_NAME] or None)
        message = denial(caller, right, place)
        if right not in QUESTIONS:
            self._denials.keep(caller, right, place, message)
        raise ForbiddenError(message)


def _permits(policy: Policy, caller: Caller, right: Right, place: Place) -> bool:
    return permits(policy, caller.name, right, account=place.granted, alias=place.alias)
