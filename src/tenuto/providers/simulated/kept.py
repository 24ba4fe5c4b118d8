"""A simulated cloud that lives in a file, so that it outlives the Conductor that made it.

Theory of operation. The file is the cloud (`kit.shared_file`): each program that uses it reads it in its turn. So a
person can change the cloud behind the back of a running Conductor (`tenuto simulated`), which is drift, and a Conductor
that was killed finds its things as they were. A cloud knows the values that it was told, passwords included, so the
file is for its owner's eyes only.

The file holds moments, and each program reads them by its own clock. A clock that was ahead leaves moments that are
still to come: taken literally, a thing that stands could not be seen for as long as that clock was ahead. So a moment
that is further away than its delay can be counts as past (docs/decisions/0018, 4).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from tenuto.errors import PermanentError, TransientError, UserError
from tenuto.kit.shared_file import SharedFile
from tenuto.model.account import DEFAULT_ACCOUNT
from tenuto.model.consistency import IMMEDIATE
from tenuto.model.ids import Fid, Instant, LogicalId, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.observation import Owner
from tenuto.ports.clock import Clock
from tenuto.provider_plugins import file_beside
from tenuto.providers.simulated.behaviour import Behaviour
from tenuto.providers.simulated.cloud import Cloud
from tenuto.providers.simulated.register import Register
from tenuto.providers.simulated.things import NEVER, Thing
from tenuto.providers.simulated.types import TYPES

_ENDING = "simulated.json"
_FORMAT = 1
_SLEW_S = 3.0
"""Two clocks that were never set differ by less: the moments of another program are not taken for those of a clock that
was set back."""
_MOMENTS = ("visible_at", "ready_at", "deleted_at", "gone_at", "forgotten_at")
_PLAIN = ("number", "properties", "token", "broken", "holds")


class _EveryAccount(Mapping[str, str]):
    """Every name is an account: its id is made of the name."""

    def __getitem__(self, name: str) -> str:
        return "111111111111" if name == DEFAULT_ACCOUNT else str(int(sha256(name.encode()).hexdigest(), 16))[:12]

    def __iter__(self) -> Iterator[str]:
        return iter((DEFAULT_ACCOUNT,))

    def __len__(self) -> int:
        return 1


class _EveryRegion(Mapping[str, tuple[str, ...]]):
    """Every name is a region with three zones."""

    def __getitem__(self, name: str) -> tuple[str, ...]:
        return (f"{name}a", f"{name}b", f"{name}c")

    def __iter__(self) -> Iterator[str]:
        return iter(("sim-1", "sim-2"))

    def __len__(self) -> int:
        return 2


OPEN = Behaviour(zones=_EveryRegion(), accounts=_EveryAccount(), consistency=IMMEDIATE)
"""The behaviour of a cloud for people: a name that they choose is never wrong."""


def cloud_file(database: Path) -> Path:
    """The file of the cloud that belongs to a database."""
    return file_beside(database, _ENDING)


class KeptCloud(Cloud):
    """The cloud of one file. Several programs may work with it at once."""

    def __init__(self, path: Path, clock: Clock, behaviour: Behaviour = OPEN) -> None:
        """Raises UserError when the file cannot be read, or is none of a simulated cloud."""
        super().__init__(clock, behaviour)
        self._path = path
        self._file = SharedFile(path, restore=self._restore, document=self._document, unusable=self._unusable)
        try:
            with self.session():
                pass
        except (PermanentError, TransientError) as error:
            raise UserError(str(error)) from error

    @contextmanager
    def session(self, *, is_changing: bool = True) -> Iterator[None]:
        """One program at a time. Raises TransientError when the file cannot be used, PermanentError when it is
        damaged: nothing was done then."""
        with self._file.session(is_changing=is_changing):
            yield

    def _unusable(self, error: OSError) -> TransientError:
        return TransientError(
            f"The simulated cloud cannot use its file {self._path}: {error.strerror}. Correct that; it is tried again.",
            code="ServiceUnavailable",
        )

    def _document(self) -> str:
        now = self._clock.now()
        with self._lock:
            document = {
                "format": _FORMAT,
                "numbers": dict(self._numbers),
                "given": sorted(self._given),
                "things": [_thing_document(one) for one in self._things.values() if now < one.forgotten_at],
            }
        return json.dumps(document, indent=1)

    def _restore(self, text: str) -> None:
        things = Register()
        document: Mapping[str, Any] = {}
        try:
            if text:
                document = json.loads(text)
                if document["format"] != _FORMAT:
                    raise ValueError(f"format {document['format']}")
                for one in document["things"]:
                    thing = _thing_of(one)
                    self._reckon(thing)
                    things.add(thing)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise PermanentError(
                f"The file {self._path} of the simulated cloud is damaged, or of another version ({error!r}). Restore "
                "it, or remove it: the cloud is empty then, and each process makes its things anew.",
                code="DamagedFile",
            ) from error
        with self._lock:
            self._things = things
            self._given = {PhysicalId(one) for one in document.get("given", ())}
            self._numbers.clear()
            self._numbers.update(document.get("numbers", {}))

    def _reckon(self, thing: Thing) -> None:
        """Read the moments of a thing by the clock of this program."""
        now, kind = self._clock.now(), thing.type
        takes_s = max((kind.pending_s, *kind.slow.values()))
        thing.visible_at = _reckoned(thing.visible_at, now, self.behaviour.visible_after_s)
        thing.ready_at = _reckoned(thing.ready_at, now, takes_s)
        thing.deleted_at = _reckoned(thing.deleted_at, now, 0.0)
        thing.gone_at = _reckoned(thing.gone_at, now, kind.deleting_s)
        thing.forgotten_at = _reckoned(thing.forgotten_at, now, kind.deleting_s + kind.tombstone_s)


def _reckoned(moment: Instant, now: Instant, longest_s: float) -> Instant:
    """The end of a delay that is `longest_s` long at most: over when it lies further ahead."""
    if moment == NEVER:
        return NEVER
    latest = Instant(now + longest_s)
    return now if moment > latest + _SLEW_S else min(moment, latest)


def _thing_document(thing: Thing) -> dict[str, Any]:
    owner = thing.owner
    return {
        "id": thing.physical_id,
        "type": thing.type.facts.name,
        "account": thing.partition.account,
        "region": thing.partition.region,
        **{name: getattr(thing, name) for name in _PLAIN},
        "owner": None if owner is None else [owner.fid, owner.logical_id, owner.object_id],
        **{name: None if (at := getattr(thing, name)) == NEVER else at for name in _MOMENTS},
    }


def _thing_of(document: Mapping[str, Any]) -> Thing:
    owner = document["owner"]
    plain: dict[str, Any] = {name: document[name] for name in _PLAIN}
    moments: dict[str, Any] = {name: NEVER if document[name] is None else Instant(document[name]) for name in _MOMENTS}
    return Thing(
        type=TYPES[TypeName(document["type"])],
        partition=Partition(account=document["account"], region=document["region"]),
        physical_id=PhysicalId(document["id"]),
        owner=_owner_of(owner) if owner else None,
        **plain,
        **moments,
    )


def _owner_of(words: Sequence[str]) -> Owner:
    fid, logical_id, object_id = words
    return Owner(fid=Fid(fid), logical_id=LogicalId(logical_id), object_id=ObjectId(object_id))
