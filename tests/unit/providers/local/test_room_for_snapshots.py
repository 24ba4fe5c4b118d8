"""The refusal of a snapshot for which the disk of its host has no room."""

from tenuto.providers.local.executor.virtual.snapshots import told_room

MIB = 1 << 20


def test_a_shortage_of_less_than_a_mebibyte_is_told_by_two_figures_that_differ() -> None:
    told = told_room(19 * MIB + 1, 20 * MIB - 1)
    assert "may take 20 MiB, and 19 MiB are free" in told
    assert "beside 1024 MiB that stay free. Make room there" in told
