"""The known word that was probably meant by one that is not known, for every "Did you mean …?" of Tenuto.

Theory of operation. Typing errors are letters that are missing, too many, wrong, or in the place of their neighbour, so
the distance between two words is the number of such errors (optimal string alignment, by rapidfuzz). A third of the
letters may be wrong, and at least one. Nearer than any wrong letter are three other things that people do: another case
or other dashes, leaving out the first parts of a name (`period` for `jobs.period`, `EC2::VPC`), and leaving out its end
(`enforce`). Last come typing errors in the rest after the first parts. The suggestion is one word: of several that are
equally near the first letter decides, then the alphabet. A wrong suggestion costs a glance and a missing one a search,
but no person reads many at once.

rapidfuzz is loaded when the first suggestion is made: it takes a tenth of the time that a command has to start.
"""

import re
from collections.abc import Iterable

_LONGEST = 200
"""A longer text is no name that was mistyped."""
_LEAST_BEGINNING = 4
"""Letters that a beginning needs to be told from a word: `sub` begins many names."""
_SEPARATORS = (".", "::", ":", "/")
_BETWEEN = "|".join(map(re.escape, _SEPARATORS))


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that was probably meant, or nothing."""
    if not word.strip() or len(word) > _LONGEST:
        return ""
    words = sorted(set(known))
    by_folded = {_folded(candidate): candidate for candidate in reversed(words)}
    asked = _folded(word)
    if asked in by_folded:
        return by_folded[asked]
    found = _ending(word, words) or _beginning(asked, by_folded) or _mistyped(asked, by_folded)
    return found or _mistyped(asked, _by_last_part(words))


def likeness(one: str, other: str) -> float:
    """Return the likeness of two words, from 0 to 1: the share of the longer one that typing errors leave."""
    from rapidfuzz.distance import OSA

    return float(OSA.normalized_similarity(one, other))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint such as `Did you mean CidrBlock?`, or nothing."""
    guess = nearest(word, known)
    return f"Did you mean {guess}?" if guess else ""


def meant(word: str, known: Iterable[str]) -> str:
    """Return the hint of `did_you_mean` for the end of a message: with a space before it."""
    guess = nearest(word, known)
    return f" Did you mean {guess}?" if guess else ""


def perhaps(word: str, known: Iterable[str]) -> str:
    """Return the hint of `did_you_mean` for the middle of a sentence: in brackets, with a space before them."""
    guess = nearest(word, known)
    return f" (did you mean {guess}?)" if guess else ""


def _folded(word: str) -> str:
    return word.casefold().replace("-", "").replace("_", "").replace(":", "").replace(".", "")


def _ending(word: str, words: list[str]) -> str:
    """The one name whose last parts the word is."""
    asked = word.casefold()
    found = [one for one in words if any(one.casefold().endswith(f"{sign}{asked}") for sign in _SEPARATORS)]
    return found[0] if len(found) == 1 else ""


def _by_last_part(words: list[str]) -> dict[str, str]:
    """The names of several parts, by the last part where no other name has it."""
    found: dict[str, list[str]] = {}
    for name in words:
        last = re.split(_BETWEEN, name)[-1]
        if last != name:
            found.setdefault(_folded(last), []).append(name)
    return {last: names[0] for last, names in found.items() if len(names) == 1}


def _beginning(asked: str, by_folded: dict[str, str]) -> str:
    """The one name that begins with the word."""
    if len(asked) < _LEAST_BEGINNING:
        return ""
    found = [name for folded, name in by_folded.items() if folded.startswith(asked)]
    return found[0] if len(found) == 1 else ""


def _mistyped(asked: str, by_folded: dict[str, str]) -> str:
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    most = max(1, len(asked) // 3)
    matches = process.extract(asked, list(by_folded), scorer=OSA.distance, score_cutoff=most, limit=None)
    # Of a short word, a part of the typed text must be left.
    near = [(distance, name) for name, distance, _ in matches if distance < min(len(asked), len(name))]
    if not near:
        return ""
    return by_folded[min(near, key=lambda one: (one[0], one[1][:1] != asked[:1], one[1]))[1]]
