"""A scenario file is a history: what is printed is read back as the same, and what is wrong is told with its line."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenuto.errors import UserError
from tenuto.model.ids import LogicalId
from tenuto_testing.mortality import Blow
from tenuto_testing.simulation.histories import History, history
from tenuto_testing.simulation.sceneries import SCENERIES
from tenuto_testing.simulation.scenery import Scenery
from tenuto_testing.simulation.steps import (
    Add,
    Death,
    Execute,
    Order,
    Pass,
    Rehearse,
    Rival,
    SetProperty,
    SetTempo,
    Stall,
    Step,
    StoreDown,
    Strike,
    Trouble,
)
from tenuto_testing.simulator import from_text, play, render, to_text

SCRIPT = Path(__file__).parents[3] / "scripts" / "simulate"
SEEDS = st.integers(min_value=0, max_value=10**9)
ALIASES = st.sampled_from(["p", "q", "web-2"])
SECONDS = st.floats(min_value=0.0, max_value=10_000.0, allow_nan=False)
COUNTS = st.integers(min_value=1, max_value=1000)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
SLOTS = st.sampled_from(["Net1", "Sub1", "Other"]).map(LogicalId)


def steps(scenery: Scenery) -> st.SearchStrategy[Step]:
    """Every kind of step but those with compositions, which are drawn from seeds."""
    operations = st.sampled_from(["commit", "create", "find", "sweep"])
    operation = "CreateVpc" if scenery.name == "aws" else "create"
    blows = st.builds(Blow, operation=operations, subject=SLOTS, is_after=st.booleans(), count=COUNTS)
    return st.one_of(
        st.builds(Order, verb=st.sampled_from(["suspend", "resume", "kill", "retry", "release"]), alias=ALIASES),
        st.builds(
            SetProperty,
            alias=ALIASES,
            key=st.sampled_from(["lock", "enforcement"]),
            value=st.sampled_from(["on", "off"]),
            until_s=st.none() | SECONDS,
        ),
        st.builds(Pass, seconds=SECONDS),
        st.builds(Strike, act=st.just("tamper"), alias=ALIASES, logical_id=SLOTS, path=st.just("Tags"), value=JSON),
        st.builds(Strike, act=st.sampled_from(["vanish", "fill"]), alias=ALIASES, logical_id=SLOTS),
        st.builds(
            Add, type=st.sampled_from(sorted(scenery.types)), properties=st.dictionaries(st.text(max_size=5), JSON)
        ),
        st.builds(
            Trouble,
            operation=st.just(operation),
            subject=st.just("*"),
            kind=st.sampled_from(sorted(scenery.faults)),
            times=COUNTS,
            seconds=SECONDS,
        ),
        st.builds(StoreDown, how=st.sampled_from(["down", "unsure", "unreadable"]), times=COUNTS),
        st.builds(Rehearse, verb=st.sampled_from(["resume", "kill", "release"]), alias=ALIASES),
        st.builds(Execute, alias=ALIASES),
        st.builds(SetTempo, period_s=SECONDS.map(lambda seconds: seconds + 1.0), patience_s=SECONDS),
        st.builds(Order, verb=st.just("release"), alias=ALIASES, keeps_tags=st.booleans()),
        st.builds(Stall, seconds=SECONDS),
        st.just(Rival()),
        st.builds(Death, blow=st.none() | blows),
    )


@pytest.mark.parametrize("cloud", sorted(SCENERIES))
@given(seed=SEEDS)
@settings(max_examples=10, deadline=None)
def test_the_history_of_a_seed_is_read_back_as_it_was_printed(cloud: str, seed: int) -> None:
    drawn = history(seed, cloud)
    assert from_text(to_text(drawn)) == drawn


@pytest.mark.parametrize("cloud", sorted(SCENERIES))
@given(data=st.data(), seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_any_steps_are_read_back_as_they_were_printed(cloud: str, data: st.DataObject, seed: int) -> None:
    scenery = SCENERIES[cloud]
    drawn = data.draw(st.lists(st.tuples(st.integers(min_value=0, max_value=999), steps(scenery)), max_size=6))
    written = History(seed=seed, cloud=cloud, traits=dict.fromkeys(scenery.traits, 2.5), steps=tuple(drawn))
    assert from_text(to_text(written)) == written


def test_what_is_printed_of_a_run_is_a_scenario_of_the_same_run() -> None:
    report = play(from_text("seed 3\nrun p\n    Net1: " + NETWORK + "\nadvance 40\ncrash\n"))
    assert play(from_text(render(report))) == report


NETWORK = '{"Type": "Simulated::Network", "Properties": {"CidrBlock": "10.1.0.0/16"}}'


def test_the_example_of_the_guide_is_played_and_goes_well() -> None:
    guide = (SCRIPT.parents[1] / "docs" / "guide" / "simulator.md").read_text(encoding="utf-8")
    example = guide.partition("```scenario\n")[2].partition("```")[0]
    report = play(from_text(example))
    assert len(report.history.steps) == 11
    assert not report.problems, report


def test_numbers_before_steps_may_be_left_out() -> None:
    numbers = [number for number, _ in from_text("advance 1\n 7 advance 2\nadvance 3\n").steps]
    assert numbers == [0, 7, 8]


def test_comments_and_empty_lines_are_nothing() -> None:
    assert from_text("# a comment\n\nseed 4\n  # another\nadvance 1\n") == from_text("seed 4\nadvance 1\n")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("dance 3", "'dance' is no step on the simulated cloud"),
        ("advance soon", "'soon' is no number"),
        ("advance nan", "'nan' is no number"),
        ("advance -1", "'-1' is no number"),
        ("kill", "'' is no alias"),
        ("property p colour on", "property ALIAS enforcement or lock on or off"),
        ("tamper p.Net1", "tamper ALIAS.RESOURCE PROPERTY=JSON"),
        ("tamper p.Net1 Label=one", "this is no JSON"),
        ("tamper p.Net1 Label=NaN", "NaN"),
        ("vanish p", "vanish ALIAS.RESOURCE"),
        ("fault create * fire x1 3", "'fire' is no fault of the simulated cloud"),
        ("fault CreateVpc * lost x1 3", "nothing that simulated does is called 'CreateVpc'"),
        ("fault create * lost 1 3", "'1' is no count"),
        ("store up", "store down xCOMMITS"),
        ("tempo 5", "tempo PERIOD PATIENCE"),
        ("rehearse run p", "rehearse kill, release, resume, update"),
        ("kill p keep-tags", "kill ALIAS"),
        ("rival p", "'rival' stands alone"),
        ("crash after lunch * x1", "'lunch' is no moment of death"),
        ("crash before call * x1", "'call' is no moment of death"),
        ("add Simulated::Castle {}", "is no type of the simulated cloud"),
        ("add Simulated::Bucket []", "this is not a mapping in JSON"),
        ("seed 4", "'seed' comes before the first step"),
        ("    Net1: {}", "a resource comes after 'run ALIAS', 'update ALIAS' or 'rehearse update ALIAS'"),
    ],
)
def test_a_line_that_cannot_be_read_is_told_with_its_number(line: str, why: str) -> None:
    with pytest.raises(UserError) as told:
        from_text(f"seed 1\n# the first step\nadvance 1\n{line}\n")
    assert "line 4: " in str(told.value)
    assert why in str(told.value)


@pytest.mark.parametrize(
    ("resource", "why"),
    [
        ('Net1: {"Type": "AWS::EC2::VPC"}', "is no type of the simulated cloud"),
        ('Net1: {"Type": "Simulated::Network", "Color": 1}', "Color cannot be said"),
        ('Net1: {"Type": "Simulated::Network", "Properties": 1}', "'Properties' is a mapping"),
        ('Net1: {"Type": "Simulated::Network", "DependsOn": 1}', "'DependsOn' is a name"),
        ('Net1: {"Type": "Simulated::Network", "DeletionPolicy": "Burn"}', "a policy is one of"),
        ("Net1: {", "this is no JSON"),
        (f"Net1: {NETWORK}\n    Net1: {NETWORK}", "Net1 is declared twice"),
        (f"Net1: {NETWORK}\n    export one: 1\n    export one: 2", "one is exported twice"),
        ('export one: {"Ref": "Net1"}', "Net1 is not declared before it is exported"),
    ],
)
def test_a_resource_that_cannot_be_read_is_told(resource: str, why: str) -> None:
    with pytest.raises(UserError, match="of the scenario cannot be read") as told:
        from_text(f"run p\n    {resource}\n")
    assert why in str(told.value)


def test_every_wrong_line_is_told_at_once() -> None:
    with pytest.raises(UserError, match="2 lines of the scenario cannot be read") as told:
        from_text("cloud nine\nadvance 1\nadvance no\n")
    assert "line 1: the cloud is one of aws, simulated" in str(told.value)
    assert "line 3: 'no' is no number" in str(told.value)


def test_a_scenario_that_is_too_long_is_refused() -> None:
    with pytest.raises(UserError, match="has at most"):
        from_text("#" * 2_000_001)


def test_a_trait_that_the_cloud_does_not_have_is_told_with_those_that_it_has() -> None:
    with pytest.raises(UserError, match="'colour' is no trait of the aws cloud: buckets, changed_s"):
        from_text("cloud aws colour=1\n")


def test_the_script_plays_a_file_and_says_what_is_wrong_with_another(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_text(f"run p\n    Net1: {NETWORK}\nadvance 40\n", encoding="utf-8")
    bad.write_text("advance\n", encoding="utf-8")
    played = subprocess.run([sys.executable, SCRIPT, "--play", good], capture_output=True, text=True, check=False)
    assert played.returncode == 0, played.stderr
    assert "and nothing remains" in played.stdout
    refused = subprocess.run([sys.executable, SCRIPT, "--play", bad], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "line 1: '' is no number" in refused.stderr


def test_what_one_process_exports_another_one_imports_and_is_killed_first() -> None:
    importing = NETWORK.replace("}}", ', "Label": {"Fn::ImportValue": "shared"}}}')
    report = play(
        from_text(
            f'run p\n    Net1: {NETWORK}\n    export shared: {{"Ref": "Net1"}}\nrun q\n    Net1: {importing}\n'
            "advance 60\nkill p\nadvance 60\n"
        )
    )
    assert not report.problems, report
    assert any("Process p exports shared, imported by q (Net1)" in line for line in report.log)


def test_what_imports_from_nobody_is_killed_by_people() -> None:
    importing = NETWORK.replace("}}", ', "Label": {"Fn::ImportValue": "shared"}}}')
    report = play(from_text(f"run q\n    Net1: {importing}\nadvance 60\n"))
    assert not report.problems, report
    assert any("q imports what nobody exports" in line for line in report.log)
