"""A seal opens with its key, at its place, and nowhere else."""

import pytest
from cryptography.fernet import Fernet
from hypothesis import given
from hypothesis import strategies as st

from tenuto.errors import PermanentError
from tenuto.model.ids import Fid
from tenuto.ports.secrets import place_of_parameter, place_of_setting, place_of_sink
from tenuto.storage.file.secrets import KeyedSecrets, new_keys

KEYS = new_keys()
SECRETS = KeyedSecrets(KEYS)
HERE = place_of_parameter(Fid("f-1"), "Password")


@given(text=st.text(max_size=200), place=st.text(max_size=40))
def test_a_seal_opens_at_its_place_and_does_not_show_what_it_holds(text: str, place: str) -> None:
    sealed = SECRETS.seal(text, place)
    assert SECRETS.unseal(sealed, place) == text
    assert SECRETS.is_bound(sealed)
    assert SECRETS.seal(text, place) != sealed


@pytest.mark.parametrize("place", [place_of_parameter(Fid("f-2"), "Password"), place_of_parameter(Fid("f-1"), "Other")])
def test_a_seal_does_not_open_for_another_process_or_parameter(place: str) -> None:
    with pytest.raises(PermanentError, match="was not sealed for") as refused:
        SECRETS.unseal(SECRETS.seal("hush", HERE), place)
    assert refused.value.code == "WrongPlace"


@pytest.mark.parametrize("damage", [lambda text: text[:-4], lambda text: text[:-1] + "!", lambda text: text[:20]])
def test_a_damaged_seal_does_not_open(damage: object) -> None:
    with pytest.raises(PermanentError):
        SECRETS.unseal(damage(SECRETS.seal("hush", HERE)), HERE)  # type: ignore[operator]


def test_a_seal_of_another_key_says_so() -> None:
    sealed = KeyedSecrets(new_keys()).seal("hush", HERE)
    with pytest.raises(PermanentError, match=r"Put that key back .* or give the NoEcho parameters again") as refused:
        SECRETS.unseal(sealed, HERE)
    assert refused.value.code == "WrongKey"


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (place_of_sink("chat", "address"), "remove the notification with 'tenuto notification remove chat' and add it"),
        (place_of_setting("prod", "external_id"), "give the setting again with 'tenuto account update'"),
    ],
)
def test_the_message_about_a_missing_key_names_the_way_to_give_that_value_again(place: str, words: str) -> None:
    sealed = KeyedSecrets(new_keys()).seal("hush", place)
    with pytest.raises(PermanentError, match=words) as refused:
        SECRETS.unseal(sealed, place)
    assert place in str(refused.value)
    assert "NoEcho" not in str(refused.value)


def test_a_seal_of_the_first_key_is_current_and_one_of_a_further_key_is_not() -> None:
    rotated = KeyedSecrets((*new_keys(), *KEYS))
    assert rotated.is_current(rotated.seal("hush", HERE))
    assert not rotated.is_current(SECRETS.seal("hush", HERE))
    assert not rotated.is_current(Fernet(KEYS[0]).encrypt(b"hush").decode())


def test_a_seal_of_before_opens_and_is_told_apart() -> None:
    before = Fernet(KEYS[0]).encrypt(b"hush").decode()
    assert SECRETS.unseal(before, HERE) == "hush"
    assert not SECRETS.is_bound(before)
    with pytest.raises(PermanentError):
        SECRETS.unseal(Fernet(Fernet.generate_key()).encrypt(b"hush").decode(), HERE)


def test_a_signature_is_good_for_its_text_and_its_key() -> None:
    signature = SECRETS.sign("a plan")
    assert SECRETS.is_signed("a plan", signature)
    assert not SECRETS.is_signed("another plan", signature)
    assert not KeyedSecrets(new_keys()).is_signed("a plan", signature)
