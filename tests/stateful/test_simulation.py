"""Whatever happens to it, Tenuto keeps the laws, and comes to rest once the world is calm.

Each seed is one history of commands, strangers, faults and crashes on a virtual clock, on the simulated cloud or on
the strict one; what must hold is told in `tenuto_testing.simulation.laws` and `.trial`. A seed that fails here is
printed as a scenario file with few steps. `scripts/simulate` runs thousands.
"""

import pytest
from night import by_day

from tenuto_testing.simulator import CLOUDS, Report, from_text, play, render, shrink, simulate

BLOCKS = by_day(3, [("simulated", range(first, first + 8)) for first in range(1, 49, 8)])
BLOCKS += by_day(1, [("aws", range(first, first + 5)) for first in range(1, 11, 5)])
"""Some dozens of histories; scripts/nightly tries these and twelve thousand more. A block is short, so that all
processors have work and none comes near the time limit."""


def fails(report: Report) -> None:
    pytest.fail(render(shrink(report)), pytrace=False)


@pytest.mark.slow
@pytest.mark.parametrize(("cloud", "seeds"), BLOCKS, ids=lambda value: str(getattr(value, "start", value)))
def test_no_history_leaves_an_orphan_a_duplicate_or_a_process_without_rest(cloud: str, seeds: range) -> None:
    for seed in seeds:
        report = simulate(seed, cloud)
        if report.problems:
            fails(report)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_seed_gives_the_same_run_every_time(cloud: str) -> None:
    assert simulate(7, cloud) == simulate(7, cloud)


def test_any_steps_of_a_history_are_a_history() -> None:
    whole = simulate(7)
    kept = frozenset(number for number, _ in whole.history.steps[::2])
    report = play(whole.history.only(kept))
    assert not report.problems, fails(report)


def test_what_is_lost_while_a_drift_is_corrected_is_held() -> None:
    """The correction waits for a sweep that shows its resource, which is gone with everything else."""
    network = '{"Type": "Simulated::Network", "Properties": {"CidrBlock": "10.1.0.0/16", "Label": "one"}}'
    networks = "".join(f"    Net{number}: {network}\n" for number in range(1, 8))
    report = play(
        from_text(
            f'run p\n{networks}advance 100\ntamper p.Net1 Label="two"\nfault modify * unavailable x20 1\n'
            "advance 31\nvanish p.*\nadvance 200\n"
        )
    )
    assert not report.problems, fails(report)
    assert any("p was Suspended: the plan would create again 7 of 7 resources" in line for line in report.log)


TWICE = (
    "cloud aws new_s=6 changed_s=0 flickering=0 pace=1 buckets=0\nfault * * twice x500 1\nrun p\n"
    '    Net1: {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.1.0.0/16"}}\n'
    '    Tab1: {"Type": "AWS::EC2::RouteTable", "Properties": {"VpcId": {"Ref": "Net1"}}}\n'
    '    Igw1: {"Type": "AWS::EC2::InternetGateway", "Properties": {}}\n'
    '    Adr1: {"Type": "AWS::EC2::EIP", "Properties": {"Domain": "vpc"}}\n'
    '    Vol1: {"Type": "AWS::EC2::Volume", "Properties": {"AvailabilityZone": "us-east-1a", "Size": 8}}\n'
)
"""Most of these creations take no client token: they make two things, of which one is deleted again."""


@pytest.mark.parametrize(
    "more", ["advance 100\n", "advance 2\nkill p\nadvance 200\n"], ids=["made", "killed before it is seen"]
)
def test_what_every_request_asks_for_twice_is_there_once_and_goes_with_a_kill(more: str) -> None:
    report = play(from_text(TWICE + more))
    assert not report.problems, fails(report)


DOUBLE = (
    "cloud aws new_s=0 changed_s=0 flickering=0 pace=1 buckets=0.1\nseed 95000104\n2 fault CreateVpc * twice x2 20\n"
    "21 fault Delete* * denied x{count} 3\n41 run p\n"
    '    Net1: {{"Type": "AWS::EC2::VPC", "Properties": {{"CidrBlock": "10.1.0.0/16"}}}}\n'
    "42 advance {seconds}\n"
)


@pytest.mark.parametrize(
    ("count", "seconds", "more"),
    [
        (2, 600, ""),
        (9999, 90, "crash\nadvance 300\n"),
        (9999, 900, "crash\n"),
        *((count, 2, "kill p\nadvance 300\n") for count in (3, 4, 5, 6, 7)),
    ],
)
def test_a_duplicate_that_cannot_be_deleted_now_is_deleted_before_its_resource_counts_as_made_or_gone(
    count: int, seconds: int, more: str
) -> None:
    """It stood for ever beside a process that said that it had converged, and after its kill as an orphan."""
    report = play(from_text(DOUBLE.format(count=count, seconds=seconds) + more))
    assert not report.problems, fails(report)


def test_a_process_whose_duplicate_nobody_lets_it_delete_says_so_and_waits_for_a_person() -> None:
    report = play(from_text(DOUBLE.format(count=9999, seconds=1500)))
    assert not report.problems, fails(report)
    [told] = [line for line in report.log if "p was Suspended" in line]
    assert "resource.configure failed: it was made twice, and vpc-" in told
    assert "cannot be deleted again: ec2 DeleteVpc: You are not authorized" in told


SWAPPED = {
    "simulated": (
        "run p\n"
        '    Net1: {"Type": "Simulated::Network", "Properties": {"CidrBlock": "10.1.0.0/16", "Label": "one"}}\n'
        '    Bkt1: {"Type": "Simulated::Bucket", "Properties": {"Name": "tenuto-p"}}\n',
        '    Net2: {"Type": "Simulated::Network", "Properties": {"CidrBlock": "10.2.0.0/16", "Label": "two"}}\n',
        'tamper p.Net1 Label="theirs"\n',
    ),
    "aws": (
        "run p\n"
        '    Net1: {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.1.0.0/16"}}\n'
        '    Bkt1: {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "tenuto-p"}}\n'
        '    Que1: {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "jobs", "VisibilityTimeout": 30}}\n',
        '    Net2: {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.2.0.0/16"}}\n',
        "tamper p.Que1 VisibilityTimeout=120\n",
    ),
}


@pytest.mark.parametrize("cloud", CLOUDS)
def test_nothing_is_done_in_an_account_into_which_swapped_credentials_lead(cloud: str) -> None:
    """Drift, an update, a death and a kill meet credentials that lead elsewhere."""
    run, more, drift = SWAPPED[cloud]
    report = play(
        from_text(
            f"cloud {cloud}\n{run}advance 100\ncredentials other\n{drift}advance 200\n"
            f"{run.replace('run', 'update', 1)}{more}advance 611\ncrash\nadvance 64\ncredentials own\nadvance 2\n"
            "credentials other\nadvance 200\ncredentials own\nadvance 100\nkill p\ncredentials other\nadvance 611\n"
        )
    )
    assert not report.problems, fails(report)
