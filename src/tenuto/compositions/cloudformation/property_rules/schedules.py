"""Schedules as EventBridge and the services around it write them: `rate(5 minutes)`, `cron(0 12 * * ? *)`.

https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html, and that of each service.
"""

from tenuto.compositions.cloudformation.property_rules.forms import Form
from tenuto.kit.digits import is_digits

_UNITS = ("minute", "hour", "day")
_FIELDS = ("minutes", "hours", "day-of-month", "month", "day-of-week", "year")
_BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (1, 7), (1970, 2199))
_DAY, _WEEKDAY = 2, 4
_UNIX_FIELDS = 5


def schedule(*, is_plural_told: bool = False) -> Form:
    """A rate or a cron expression; another form is left to the schema. A rule of EventBridge takes a rate of one only
    in the singular, and any other in the plural."""

    def form(text: str) -> str:
        if text.startswith("rate(") and text.endswith(")"):
            return _rate(text[len("rate(") : -1].split(), is_plural_told)
        return cron(text)

    return form


def cron(text: str) -> str:
    """A cron expression of AWS, with a year and a question mark; another text is left to the schema."""
    if not (text.startswith("cron(") and text.endswith(")")):
        return ""
    fields = text[len("cron(") : -1].split()
    if len(fields) != len(_FIELDS):
        return f"and a cron expression must have six fields ({' '.join(_FIELDS)}), where this one has {len(fields)}"
    if "?" not in (fields[_DAY], fields[_WEEKDAY]):
        return "and one of day-of-month and day-of-week, its third and fifth fields, must be ?"
    for name, field, (low, high) in zip(_FIELDS, fields, _BOUNDS, strict=True):
        if any(not low <= found <= high for found in _numbers(field)):
            return f"and its {name} must be from {low} to {high}"
    return ""


def unix_cron(text: str) -> str:
    """A cron expression of Unix, in five fields; names such as `@daily` are left to AWS."""
    found = len(text.split())
    if text.startswith("@") or found == _UNIX_FIELDS:
        return ""
    return f"and must have five fields (minute hour day month weekday), where this one has {found}"


def _rate(parts: list[str], is_plural_told: bool) -> str:
    if len(parts) != 2:
        return "and a rate must be a number and a unit, such as rate(5 minutes)"
    number, unit = parts[0], parts[1].lower()
    if not is_digits(number) or int(number) == 0:
        return "and the number of a rate must be a whole one, at least 1"
    if unit.removesuffix("s") not in _UNITS:
        return "and the unit of a rate must be minutes, hours or days"
    if is_plural_told and unit.endswith("s") != (int(number) != 1):
        return f"and its unit must be {unit.removesuffix('s')}{'' if int(number) == 1 else 's'}"
    return ""


def _numbers(field: str) -> list[int]:
    """The numbers of a field that are points in time: no steps, and nothing beside a letter or a sign."""
    points = (point for part in field.split(",") for point in part.split("/")[0].split("-"))
    return [int(point) for point in points if is_digits(point)]
