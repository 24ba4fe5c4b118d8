"""Forms of values: each valid value passes, and a value beside the bounds is told."""

from ipaddress import IPv4Address, IPv4Network

from hypothesis import given
from hypothesis import strategies as st

from tenuto.compositions.cloudformation.property_rules.bucket_names import bucket_name
from tenuto.compositions.cloudformation.property_rules.fargate import fits_fargate
from tenuto.compositions.cloudformation.property_rules.forms import at_least, between, prefix_length
from tenuto.compositions.cloudformation.property_rules.schedules import cron, schedule, unix_cron

NUMBERS = st.integers(min_value=1, max_value=10_000)
UNITS = st.sampled_from(["minute", "hour", "day"])
SIZES = {
    256: [512, 1_024, 2_048],
    512: [1_024, 2_048, 3_072, 4_096],
    1_024: list(range(2_048, 8_193, 1_024)),
    2_048: list(range(4_096, 16_385, 1_024)),
    4_096: list(range(8_192, 30_721, 1_024)),
    8_192: list(range(16_384, 61_441, 4_096)),
    16_384: list(range(32_768, 122_881, 8_192)),
}
"""The memories of each CPU, in MiB, as the page of Fargate lists them."""
PLAIN = st.from_regex(r"[a-z0-9][a-z0-9-]{1,40}[a-z0-9](\.[a-z0-9]{1,10})?", fullmatch=True)


def part(low: int, high: int) -> st.SearchStrategy[str]:
    """One field of a cron expression: all, a number, a range, some numbers, or steps."""
    number = st.integers(low, high)
    pair = st.tuples(number, number).map(sorted)
    return st.one_of(
        st.just("*"),
        number.map(str),
        pair.map(lambda two: f"{two[0]}-{two[1]}"),
        st.lists(number, min_size=1, max_size=4).map(lambda many: ",".join(map(str, many))),
        st.tuples(number, st.integers(1, 500)).map(lambda two: f"{two[0]}/{two[1]}"),
    )


DAYS = st.tuples(part(1, 31) | st.sampled_from(["L", "3W"]), st.just("?")) | st.tuples(
    st.just("?"), part(1, 7) | st.sampled_from(["MON-FRI", "6L", "3#2", "SUN,SAT"])
)


@given(NUMBERS, UNITS)
def test_a_rule_takes_one_in_the_singular_and_more_in_the_plural(number: int, unit: str) -> None:
    singular, plural = f"rate({number} {unit})", f"rate({number} {unit}s)"
    good, bad = (singular, plural) if number == 1 else (plural, singular)
    strict = schedule(is_plural_told=True)
    assert strict(good) == ""
    assert strict(bad) == f"and its unit must be {unit}{'' if number == 1 else 's'}"
    assert schedule()(good) == schedule()(bad) == ""


@given(part(0, 59), part(0, 23), DAYS, part(1, 12) | st.sampled_from(["JAN", "JAN-MAR"]), part(1970, 2199))
def test_each_cron_expression_of_six_fields_passes(
    minute: str, hour: str, days: tuple[str, str], month: str, year: str
) -> None:
    assert cron(f"cron({minute} {hour} {days[0]} {month} {days[1]} {year})") == ""
    assert cron(f"cron({minute} {hour} {days[0]} {month} {days[1]})")
    assert unix_cron(f"{minute} {hour} * {month} *") == ""


@given(st.sampled_from([0, 1, 3]), st.integers(60, 1_000))
def test_a_field_of_a_cron_expression_out_of_its_bounds_is_told(field: int, number: int) -> None:
    fields = ["0", "12", "*", "*", "?", "*"]
    fields[field] = str(number)
    assert "must be from" in cron(f"cron({' '.join(fields)})")


@given(st.sampled_from(sorted(SIZES)), st.integers(1, 130_000))
def test_a_cpu_of_fargate_takes_the_memories_of_its_line_and_no_other(cpu: int, memory: int) -> None:
    assert bool(fits_fargate(str(memory), str(cpu))) == (memory not in SIZES[cpu])


@given(st.sampled_from([(cpu, memory) for cpu, many in SIZES.items() for memory in many]))
def test_sizes_of_fargate_are_the_same_in_both_units(size: tuple[int, int]) -> None:
    cpu, memory = size
    assert fits_fargate(f"{memory / 1_024:g}GB", f"{cpu / 1_024:g} vCPU") == ""
    assert fits_fargate(f"{memory / 1_024:g} gb", str(cpu)) == ""


@given(st.integers(1, 100_000).filter(lambda cpu: cpu not in SIZES), NUMBERS)
def test_a_cpu_that_is_not_known_takes_any_memory(cpu: int, memory: int) -> None:
    assert fits_fargate(str(memory), str(cpu)) == ""


@given(PLAIN.filter(lambda name: not name.startswith(("xn--", "sthree-")) and not name.endswith(("-s3", "-s3alias"))))
def test_a_plain_name_of_a_bucket_passes_and_one_that_s3_keeps_does_not(name: str) -> None:
    assert bucket_name(name) == ""
    assert bucket_name(f"xn--{name}")
    assert bucket_name(f"{name}-s3alias")
    assert bucket_name(f"{name}..a")
    assert bucket_name(name[:2])


@given(st.ip_addresses(v=4))
def test_an_address_is_no_name_of_a_bucket(address: IPv4Address) -> None:
    assert bucket_name(str(address)) == "and must not look like an IP address"


@given(st.ip_addresses(v=4), st.integers(0, 32))
def test_a_block_is_told_outside_of_its_sizes_alone(address: IPv4Address, length: int) -> None:
    block = IPv4Network((int(address), length), strict=False)
    assert bool(prefix_length(16, 28)(str(block))) == (not 16 <= length <= 28)


@given(st.text())
def test_a_text_that_is_no_number_and_no_block_is_left_to_the_schema(text: str) -> None:
    assert prefix_length(0, 32)(text) == ""
    if not any(character.isdigit() for character in text):
        assert between(0, 1)(text) == at_least(1)(text) == ""


@given(st.integers(-100, 100))
def test_a_number_is_told_outside_of_its_bounds_alone(number: int) -> None:
    assert bool(between(-1, 35)(str(number))) == (not -1 <= number <= 35)
    assert bool(at_least(30)(str(number))) == (number < 30)
