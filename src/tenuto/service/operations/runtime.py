"""Settings that change while the Conductor runs: the levels of the log, and the times that it waits.

Each key has a default: the value that the Conductor was started with. A changed value is stored and put into effect at
once, and again at the next start, until it is unset. Keys may be given as patterns (`*` is any text, dots included).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import structlog

from tenuto.errors import NotFoundError, UserError
from tenuto.kit.nearest import meant
from tenuto.model.access import RuntimeSetting
from tenuto.model.event import Event, EventType
from tenuto.model.ids import JsonMap
from tenuto.ports.clock import Clock
from tenuto.ports.record_kinds import RUNTIME_SETTING
from tenuto.ports.records import RemoveRecord, SaveRecord
from tenuto.ports.store import Store
from tenuto.ports.store_changes import Append
from tenuto.service.common.values import time_text

_log = structlog.get_logger("tenuto.runtime")


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeKey:
    """A setting that can be changed. `apply` raises ValueError with the expected form for a value of no use."""

    name: str
    summary: str
    default: str
    apply: Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeValue:
    """A key and its present value; `setting` is None while it has its default."""

    key: RuntimeKey
    setting: RuntimeSetting | None

    @property
    def value(self) -> str:
        return self.setting.value if self.setting else self.key.default


class Runtime:
    """Reads and changes these settings. Every method may raise StoreError, and then has changed nothing."""

    def __init__(self, *, store: Store, clock: Clock, keys: Sequence[RuntimeKey]) -> None:
        self._store = store
        self._clock = clock
        self._keys = {key.name: key for key in sorted(keys, key=lambda key: key.name)}

    def start(self) -> None:
        """Put the stored settings into effect. A value that means nothing to this Tenuto is logged and left out."""
        for setting in self._store.runtime_settings():
            key = self._keys.get(setting.key)
            try:
                if key is not None:
                    key.apply(setting.value)
            except ValueError as wrong:
                _log.warning("runtime.ignored", key=setting.key, value=setting.value, reason=str(wrong))

    def values(self, pattern: str = "*") -> tuple[RuntimeValue, ...]:
        """The keys that the pattern means, by name. Raises NotFoundError when there are none."""
        stored = {setting.key: setting for setting in self._store.runtime_settings()}
        return tuple(RuntimeValue(key=key, setting=stored.get(key.name)) for key in self._matching(pattern))

    def set(self, pattern: str, value: str, *, actor: str) -> tuple[RuntimeValue, ...]:
        """Change every key that the pattern means, or none of them. Raises NotFoundError, UserError."""
        before = self.values(pattern)
        for one in before:
            try:
                one.key.apply(value)
            except ValueError as wrong:
                self._apply(before)
                raise UserError(f"{one.key.name} cannot be {value!r}: {wrong}. Nothing was changed.") from wrong
        now = self._clock.now()
        settings = tuple(
            RuntimeSetting(key=one.key.name, value=value, set_at=now, set_by=actor)
            for one in before
            if one.setting is None or one.value != value
        )
        events = [self._event(one, value, actor) for one in before if one.value != value]
        saved = (SaveRecord(kind=RUNTIME_SETTING, value=setting) for setting in settings)
        self._store.commit((*saved, Append(events=tuple(events))))
        _log.info("runtime.set", keys=pattern, value=value, actor=actor)
        return self.values(pattern)

    def unset(self, pattern: str, *, actor: str) -> tuple[RuntimeValue, ...]:
        """Give every key that the pattern means its default again. Raises NotFoundError."""
        changed = tuple(one for one in self.values(pattern) if one.setting is not None)
        events = tuple(self._event(one, one.key.default, actor) for one in changed)
        removed = (RemoveRecord(kind=RUNTIME_SETTING, key=one.key.name) for one in changed)
        self._store.commit((*removed, Append(events=events)))
        for one in changed:
            one.key.apply(one.key.default)
        _log.info("runtime.unset", keys=pattern, actor=actor)
        return self.values(pattern)

    def _matching(self, pattern: str) -> tuple[RuntimeKey, ...]:
        found = tuple(key for name, key in self._keys.items() if fnmatchcase(name, pattern))
        if not found:
            guess = meant(pattern, self._keys)
            known = f"There are {', '.join(self._keys)}." if self._keys else "This Conductor has none."
            raise NotFoundError(f"There is no setting {pattern!r}.{guess} {known}")
        return found

    def _apply(self, values: Iterable[RuntimeValue]) -> None:
        for one in values:
            one.key.apply(one.value)

    def _event(self, before: RuntimeValue, after: str, actor: str) -> Event:
        return Event(
            at=self._clock.now(),
            type=EventType.RUNTIME_CHANGED,
            subject=before.key.name,
            before=before.value,
            after=after,
            actor=actor,
        )


def runtime_document(values: Sequence[RuntimeValue]) -> JsonMap:
    return {
        "settings": [
            {
                "key": one.key.name,
                "value": one.value,
                "default": one.key.default,
                "set_at": time_text(one.setting.set_at) if one.setting else None,
                "set_by": one.setting.set_by if one.setting else None,
                "summary": one.key.summary,
            }
            for one in values
        ]
    }
