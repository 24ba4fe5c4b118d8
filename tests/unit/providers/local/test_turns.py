"""The number of the last batch of orders of a host."""

from pathlib import Path

from tenuto.providers.local.turns import FILE, Turn


def test_a_number_is_kept_and_never_lowered(tmp_path: Path) -> None:
    turn = Turn(tmp_path)
    assert turn.number == 0
    turn.raise_to(7)
    turn.raise_to(3)
    assert Turn(tmp_path).number == 7


def test_a_number_that_cannot_be_read_is_none_and_is_written_anew(tmp_path: Path) -> None:
    for damage in (b"", b"seven\nseven\n", b"7\n8\n", b"\xff\xff", "٣\n٣\n".encode()):
        (tmp_path / FILE).write_bytes(damage)
        assert Turn(tmp_path).number == 0
    Turn(tmp_path).raise_to(9)
    assert Turn(tmp_path).number == 9
