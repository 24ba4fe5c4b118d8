"""The door of the hosts (`ports.host_door`), in the messages of `wire`."""

import secrets
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from tenuto.errors import NotAllowedError, UserError
from tenuto.model.ids import JsonMap
from tenuto.ports.host_door import Bearer, Heard
from tenuto.providers.local.hosts.blobs import HostBlobs
from tenuto.providers.local.hosts.book import TOKEN_S, HostBook
from tenuto.providers.local.hosts.lines import Lines
from tenuto.providers.local.hosts.offers import problem_of
from tenuto.providers.local.hosts.parts import HostParts
from tenuto.providers.local.rules.networks.addresses import is_ipv4
from tenuto.providers.local.wire.messages import VERSIONS, Poll, Register, Registered, read, written
from tenuto.providers.local.wire.tokens import Token


class LocalDoor:
    """Implements `ports.host_door.HostDoor`. `is_simulated` tells of a zone whose things are simulated ones."""

    def __init__(
        self,
        *,
        book: HostBook,
        lines: Lines,
        epoch: Callable[[], int],
        is_simulated: Callable[[str], bool],
        blobs: HostBlobs,
        parts: HostParts,
    ) -> None:
        self._blobs = blobs
        self._parts = parts
        self._book = book
        self._lines = lines
        self._epoch = epoch
        self._is_simulated = is_simulated

    def admit(self, secret: str) -> Bearer:
        return self._book.recognise(secret)

    def register(self, bearer: Bearer, message: JsonMap) -> JsonMap:
        told = read(Register, message)
        spoken = [one for one in VERSIONS if one in told.versions]
        if not spoken:
            theirs, ours = (", ".join(map(str, found)) or "none" for found in (told.versions, VERSIONS))
            raise UserError(
                f"The agent speaks version {theirs} of the protocol, and this Conductor {ours}. Install the same "
                "release of Tenuto on both; the Conductor first."
            )
        if bearer.is_token and not told.secret_digest:
            raise UserError("An agent that joins with a token must name the digest of its secret.")
        if problem := problem_of(told):
            raise UserError(f"The agent tells what no host has: {problem}.")
        if told.address and not is_ipv4(told.address):
            raise UserError(f"The agent's address {told.address[:60]!r} is no IPv4 address: start it with --address.")
        host = bearer.host
        self._check_driver(bearer, told.driver)
        self._lines.check_free(host.zone, host.name, told.boot_id, told.run, is_known=not bearer.is_token)
        self._book.joined(bearer, told)
        registration = secrets.token_hex(8)
        self._lines.begin(host.zone, host.name, registration, told)
        return written(
            Registered(
                registration=registration,
                version=spoken[-1],
                epoch=self._epoch(),
                hosts=self._book.addresses(host.zone),
                lease_s=self._lines.deadlines.lease_s,
                isolated=self._lines.isolated(host.zone, host.name),
            )
        )

    def poll(self, bearer: Bearer, message: JsonMap, wake: Callable[[], None]) -> Heard:
        if bearer.is_token:
            raise UserError("A token is good for one registration only: register first.")
        poll, host = read(Poll, message), bearer.host
        waits = self._lines.hear(host.zone, host.name, poll, wake)
        return Heard(
            wait_s=min(poll.wait_s, self._lines.deadlines.poll_s) if waits else 0.0,
            answer=partial(self._answer, host.zone, host.name, poll),
        )

    def blob(self, bearer: Bearer, sha512: str) -> Path:
        if bearer.is_token:
            raise UserError("A token is good for one registration only: register first.")
        return self._blobs.path(bearer.host, sha512)

    def part_size(self, bearer: Bearer, name: str) -> int:
        if bearer.is_token:
            raise UserError("A token is good for one registration only: register first.")
        return self._parts.size(bearer.host, name)

    def append_part(self, bearer: Bearer, name: str, offset: int, content: bytes) -> int:
        if bearer.is_token:
            raise UserError("A token is good for one registration only: register first.")
        return self._parts.append(bearer.host, name, offset, content)

    def enroll(self, zone: str, name: str, *, url: str, fingerprint: str, actor: str) -> JsonMap:
        if self._is_simulated(zone):
            raise NotAllowedError(
                f"The zone {zone} has simulated hosts with things on them, and a zone has one kind of hosts. Enroll "
                "the host in another zone (--zone), or kill the processes of this one first. Nothing was changed."
            )
        secret = self._book.enroll(zone, name, actor)
        token = Token(url=url, fingerprint=fingerprint, zone=zone, name=name, secret=secret)
        return {
            "zone": zone,
            "name": name,
            "url": url,
            "fingerprint": fingerprint,
            "expires_s": int(TOKEN_S),
            "token": token.text(),
        }

    def _answer(self, zone: str, name: str, poll: Poll) -> JsonMap:
        found = replace(self._lines.answer(zone, name, poll), hosts=self._book.addresses(zone))
        return written(found)

    def _check_driver(self, bearer: Bearer, driver: str) -> None:
        """Refuse a second driver in a zone: a machine must be able to be made on any of its hosts."""
        host = bearer.host
        others = [one for one in self._book.hosts(host.zone) if one.driver and one.name != host.name]
        if others and others[0].driver != driver:
            raise NotAllowedError(
                f"The hosts of the zone {host.zone} have the driver {others[0].driver}, which the first of them set, "
                f"and this agent has {driver}. Start it with --driver {others[0].driver}, or enroll it in another zone."
            )
