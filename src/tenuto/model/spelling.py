"""Words of a declaration for which the provider shows other ones: both mean the same."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tenuto.model.ids import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """The older words of one mapping. A provider gives it for a property in `ResourceType.compare_as`."""

    members: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Older properties, each with the newer mapping that holds its value and the member of it."""
    items: Mapping[str, str] = field(default_factory=dict)
    """Older properties, each with the newer list of which its value is one more item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words of one value. A provider gives it for a property in `ResourceType.compare_as`."""

    same: Mapping[str, str] = field(default_factory=dict)
    """Declared words, each with the word that the provider shows for it."""
    is_folded: bool = False
    """True when case does not matter. The words of `same` are then small."""
    absent: str = ""
    """The declared word that means the same as nothing: the provider shows nothing until another one was set."""
    choice: frozenset[str] = frozenset()
    """Declared words that leave the value to the provider. A property with such a word is compared only where it is
    shown, and any value is then as declared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """JSON documents, as text or as mappings. A provider gives the rule for a property in `ResourceType.compare_as`.

    Lists are sets, and a list of one means the same as its member.
    """

    texts: tuple[str, ...] = ()
    """Regular expressions for whole texts, of which the group `same` alone has a meaning."""
    members: Mapping[str, tuple[Json, Json]] = field(default_factory=dict)
    """Long values of some members, each with the short one that means the same, wherever in the document they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retelling:
    """The words of a provider of whose types nothing but a schema is known (`core.planning.retelling`)."""

    qualified: str
    """A regular expression for whole qualified names, with the group `rest`: what follows the place. The last part of
    it, after a colon or a slash, is the plain name."""
    keys: tuple[str, ...]
    """The members of which one names a setting in a list of settings, beside its `Value`."""
    latest: str
    """The word for the newest version, in small letters."""
