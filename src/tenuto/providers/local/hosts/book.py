"""The book of hosts: who is enrolled, and by which secret an agent is known. Records of the store, a dozen of them."""

import hmac
from dataclasses import replace

from tenuto.errors import ConflictError, ForbiddenError
from tenuto.model.enrolled_host import EnrolledHost, host_key
from tenuto.model.ids import Instant
from tenuto.ports.clock import Clock
from tenuto.ports.host_door import Bearer
from tenuto.ports.record_kinds import HOST
from tenuto.ports.records import RemoveRecord, SaveRecord
from tenuto.ports.store import Store
from tenuto.providers.local.rules.tickets import ticket
from tenuto.providers.local.wire.messages import Register
from tenuto.providers.local.wire.tokens import bearer_parts, check_name, digest_of, new_secret

TOKEN_S = 3600.0
"""Seconds for which a token can be used: long enough to carry it to a host, and short enough to lose it."""


class HostBook:
    """The hosts that are enrolled. Thread-safe. Every method may raise StoreError."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def hosts(self, zone: str) -> tuple[EnrolledHost, ...]:
        """Return the hosts of a zone, by name."""
        return tuple(one for one in self._store.records(HOST) if one.zone == zone)

    def addresses(self, zone: str) -> dict[str, str]:
        """Return the addresses at which the hosts of a zone reach each other, by name."""
        return {one.name: one.address for one in self.hosts(zone) if one.address}

    def enroll(self, zone: str, name: str, actor: str) -> str:
        """Return a new secret by which an agent may join as this host, in place of an earlier one. Raises UserError."""
        check_name("zone", zone)
        check_name("host", name)
        secret, now = new_secret(), self._clock.now()
        known = self._store.record(HOST, host_key(zone, name))
        host = known or EnrolledHost(zone=zone, name=name, enrolled_at=now, enrolled_by=actor)
        ends_at = Instant(now + TOKEN_S)
        self._save(replace(host, token_digest=digest_of(secret), token_ends_at=ends_at, enrolled_by=actor))
        return secret

    def zones(self) -> tuple[str, ...]:
        """Return the zones in which a host is enrolled, by name."""
        return tuple(sorted({one.zone for one in self._store.records(HOST)}))

    def remove(self, zone: str, name: str) -> None:
        """Forget a host: neither its secret nor its token is worth anything from now on."""
        self._store.commit((RemoveRecord(kind=HOST, key=host_key(zone, name)),))

    def recognise(self, text: str) -> Bearer:
        """Recognise the bearer of a secret, or of a token. Raises ForbiddenError, in one text for every reason."""
        key, secret = bearer_parts(text)
        host = self._store.record(HOST, key) if key else None
        given = digest_of(secret)
        if host is not None and host.secret_digest and hmac.compare_digest(given, host.secret_digest):
            return Bearer(host=host, is_token=False)
        is_open = host is not None and host.token_ends_at is not None and self._clock.now() < host.token_ends_at
        if host is not None and is_open and hmac.compare_digest(given, host.token_digest):
            return Bearer(host=host, is_token=True)
        raise ForbiddenError(
            "The Conductor knows no host by this secret: the token was used or has expired, or the host was deleted or "
            "enrolled anew since. 'tenuto node enroll NAME' makes another token."
        )

    def ticket(self, zone: str, source: str, *, target: str, sha512: str) -> str:
        """Return a ticket for a blob from one host to another; an empty text for a source that has not joined."""
        host = self._store.record(HOST, host_key(zone, source))
        if host is None or not host.secret_digest:
            return ""
        return ticket(host.secret_digest, sha512=sha512, source=source, target=target, now=self._clock.now())

    def joined(self, bearer: Bearer, told: Register) -> EnrolledHost:
        """Keep the facts that an agent tells of its host. Its token is used up then.

        Raises ForbiddenError when another agent has used the token just now.
        """
        host = replace(
            bearer.host,
            driver=told.driver,
            address=told.address,
            cores=told.cores,
            memory_mib=told.memory_mib,
            disk_gib=told.disk_gib,
        )
        if bearer.is_token:
            host = replace(
                host,
                secret_digest=told.secret_digest,
                token_digest="",
                token_ends_at=None,
                joined_at=host.joined_at or self._clock.now(),
            )
        if host == bearer.host:
            return host
        try:
            return self._save(host)
        except ConflictError as faster:
            raise ForbiddenError("Another agent has joined with this token, or the host was changed: try again.") from (
                faster
            )

    def _save(self, host: EnrolledHost) -> EnrolledHost:
        self._store.commit((SaveRecord(kind=HOST, value=host, expected_generation=host.generation),))
        return replace(host, generation=host.generation + 1)
