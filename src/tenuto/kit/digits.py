"""Texts of digits: `str.isdecimal` alone takes those of every script."""


def is_digits(text: str) -> bool:
    """Whether a text is a whole number in ASCII digits, without a sign."""
    return text.isascii() and text.isdecimal()
