"""The word that was probably meant."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.kit.nearest import did_you_mean, meant, nearest, perhaps

REGIONS = ("eu-west-1", "us-east-1", "us-east-2", "us-west-1")
KEYS = ("api.log-level", "jobs.log-level", "jobs.period")
TYPES = ("AWS::EC2::SecurityGroup", "AWS::EC2::SecurityGroupIngress", "AWS::EC2::VPC", "AWS::EC2::VPCEndpoint")


@pytest.mark.parametrize(
    ("word", "known", "found"),
    [
        ("us-esat-1", REGIONS, "us-east-1"),
        ("US_EAST_2", REGIONS, "us-east-2"),
        ("useast1", REGIONS, "us-east-1"),
        ("mars", REGIONS, ""),
        ("jobs.perid", KEYS, "jobs.period"),
        ("period", KEYS, "jobs.period"),
        ("perid", KEYS, "jobs.period"),
        ("log-level", KEYS, ""),
        ("AWS::EC2::SecurityGroups", TYPES, "AWS::EC2::SecurityGroup"),
        ("EC2::VPC", TYPES, "AWS::EC2::VPC"),
        ("vpc", TYPES, "AWS::EC2::VPC"),
        ("Nte", ("Net", "Sub"), "Net"),
        ("ab", ("xy", "ac"), "ac"),
        ("a", ("b",), ""),
        ("enforc", ("alias", "lock", "enforcement"), "enforcement"),
        ("smal", ("shop", "small"), "small"),
        ("bat", ("cat", "bar"), "bar"),
        ("", ("a",), ""),
        (" ", ("a",), ""),
        ("x" * 300, ("x" * 299,), ""),
        ("any", (), ""),
    ],
)
def test_the_nearest_word_is_found_or_none(word: str, known: tuple[str, ...], found: str) -> None:
    assert nearest(word, known) == found


def test_a_suggestion_comes_as_a_hint_a_sentence_or_in_brackets() -> None:
    assert did_you_mean("stauts", ["status"]) == "Did you mean status?"
    assert meant("stauts", ["status"]) == " Did you mean status?"
    assert perhaps("stauts", ["status"]) == " (did you mean status?)"
    assert (did_you_mean("x", ["status"]), meant("x", ["status"]), perhaps("x", ["status"])) == ("", "", "")


@given(st.text(max_size=30), st.lists(st.text(max_size=30), max_size=20))
def test_what_is_found_is_known_and_does_not_depend_on_the_order(word: str, known: list[str]) -> None:
    found = nearest(word, known)
    assert not found or found in known
    assert nearest(word, reversed(known)) == found


@given(st.text("abcdefgh", min_size=6, max_size=20), st.integers(0, 4))
def test_two_letters_that_changed_places_are_one_mistake(word: str, at: int) -> None:
    mistyped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    assert nearest(mistyped, [word, "zzzzzzzzzzzz"]) == word


def test_the_measure_is_not_loaded_by_commands_that_need_no_suggestion() -> None:
    program = (
        "import sys; from tenuto.cli.entry import run; run(['--help'], {});"
        "sys.exit('rapidfuzz' in sys.modules or 'difflib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode == 0
