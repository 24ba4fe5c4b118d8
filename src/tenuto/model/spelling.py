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
class Merged:
    """A set of mappings of which those that agree in some members are one thing: a later one adds to an earlier, and
    sets what both say."""

    by: tuple[str, ...]
    """The members that name the thing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceMembers:
    """The mark of the members that services of the provider add to a list by themselves, and rely on afterwards.

    `texts` are regular expressions for whole texts, by the parts of such a member; the empty name stands for the member
    itself. A part that is no text is matched as canonical JSON. All of them must match, so that a name alone hides
    nothing that another user has added.
    """

    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A JSON document, as text or as a mapping, of which everything counts: members that were not declared, and the
    order of lists. A provider gives the rule for a property in `ResourceType.compare_as`."""

    gap: str = ""
    """A regular expression for the gaps of a declared text: a gap stands in place of any other text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retelling:
    """The words of a provider of whose types nothing but a schema is known (`core.planning.equality.retelling`).

    All texts are in small letters; regular expressions are for whole texts, but `suffix`."""

    qualified: str
    """A regular expression for qualified names, with the groups `service`, and `rest`: the text after the place. The
    plain name is at the end of it, after a colon or a slash."""
    suffix: str = "$"
    """A regular expression for the suffix that a service appends to a qualified name without changing whose name it
    is."""
    prefixes: str = "/"
    """A regular expression for the prefix that a service puts before a plain name."""
    account: str = "(?P<same>)"
    """A regular expression for the qualified name of an account, with the group `same`: its number."""
    keys: tuple[str, ...] = ()
    """The members of which one names a setting in a list of settings."""
    settings: str = ""
    """A regular expression for the names of properties that are lists or mappings of settings, to which the service
    adds."""
    lists: str = ""
    """A regular expression for the names of further lists of settings: a mapping of such a name is none."""
    latest: frozenset[str] = frozenset()
    """The words for the newest version."""
    nothing: frozenset[str] = frozenset({"", "false"})
    """The words that mean the same as no value, outside of documents. A number is none of them: a limit of 0 switches
    a thing off."""
    operators: Mapping[str, str] = field(default_factory=dict)
    """Names of members that mean the same: each with the one to compare by."""
    documents: Documents = field(default_factory=Documents)
    """The spelling of policies."""
    policies: frozenset[str] = frozenset()
    """Members that mark a document as a policy."""
    ordered: str = ""
    """A regular expression for the names of lists of which the order has a meaning: the words of a command, rules of
    which the first that fits counts."""
    verbatim: str = ""
    """A regular expression for the names of lists whose texts are the user's own, such as the variables of a program:
    no service writes them down in other words."""
    value: str = ""
    """The member of a named value in such a list that holds it."""
