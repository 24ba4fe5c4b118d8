"""Names of other things in properties, where a provider takes several spellings of one name and shows one of them.

A *plain* name is as short as the provider takes it. A *qualified* name also says where the thing is (an ARN). A
*pointer* is a name that can be pointed at another thing at any time (a KMS alias): its text does not tell at which.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """The spellings of names of one kind of thing. A provider gives it for a property in `ResourceType.compare_as`."""

    thing: str
    """The kind of thing, in a few words for people."""
    qualified: str
    """A regular expression for a whole qualified name: group `name` is the plain one, `where` all before it."""
    pointer: str = ""
    """The beginning of those plain names that are pointers; empty where there are none."""
    is_folded: bool = False
    """True when case does not matter. In a pointer it always does."""
    version: str = ""
    """A regular expression for the part that gives the version of a thing, at the end of a plain name; empty where
    there are none. A name without it was given for the newest, and stands for any that is shown later."""
    may_be_hidden: bool = False
    """True when the provider may leave the property out although it is set: compared only where it is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The knowledge of pointers with which two names are compared."""

    pointed_at: Mapping[str, str] = field(default_factory=dict)
    """The qualified name that each pointer stands for now. One that the provider does not tell of is missing."""
    is_lenient: bool = False
    """True when a missing pointer equals every name that it is compared with."""


NOTHING_KNOWN = Names()
"""A pointer is the same as itself alone."""
ANYTHING = Names(is_lenient=True)
"""A pointer is the same as any other name."""
