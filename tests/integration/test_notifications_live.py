"""A real Conductor tells a webhook, a topic and a program, through death and silence, and each once per change."""

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from emulation import emulated_aws
from live import Live
from receiver import Receiver, receiving

TEMPLATE = """
Resources:
  Vpc:
    Type: AWS::EC2::VPC
    Properties: {CidrBlock: 10.0.0.0/16}
  Group:
    Type: AWS::EC2::SecurityGroup
    Properties: {GroupDescription: told, VpcId: !Ref Vpc}
"""
PROGRAM = "import sys; open(sys.argv[1], 'ab').write(sys.stdin.buffer.read() + b'\\n')"

pytestmark = pytest.mark.slow


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as made:
        yield made


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with emulated_aws() as emulator:
        made = Live(tmp_path, emulator.url, TENUTO_WEBHOOK_ALLOW="127.0.0.1")
        yield made
        made.stop()


def test_changes_are_told_to_all_kinds_of_sinks_and_survive_kill_9(live: Live, receiver: Receiver) -> None:
    file, template = live.folder / "told.jsonl", live.folder / "net.yaml"
    template.write_text(TEMPLATE)
    program = shlex.join([sys.executable, "-c", PROGRAM, str(file)])
    live.start("--notify-command", f"file={program}")
    sns, sqs = live.aws("sns"), live.aws("sqs")
    topic = sns.create_topic(Name="changes")["TopicArn"]
    queue = sqs.create_queue(QueueName="changes")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn)
    url = f"http://127.0.0.1:{receiver.server_port}/hook"
    added = live.tenuto("--json", "notification", "add", "hook", "--webhook", url, check=True)
    assert added.document["secret"]
    live.tenuto("notification", "add", "topic", "--topic", topic, check=True)
    live.tenuto("notification", "test", "hook", check=True)
    [probe] = receiver.accepted
    assert probe["id"].startswith("test-")

    live.tenuto("run", str(template), "-a", "net", "--wait", check=True)
    live.until(lambda: receiver.of("build"), "the webhook is told of the build")
    live.until(lambda: file.exists() and "build" in file.read_text(), "the program is told of the build")
    live.until(lambda: "build" in _messages(sqs, queue), "the topic is told of the build")

    receiver.is_closed = True
    live.aws("ec2").delete_security_group(GroupId=_group(live))
    live.until(lambda: receiver.refused, "the webhook refuses the repair")
    live.kill_9()
    receiver.is_closed = False
    live.start("--notify-command", f"file={program}")
    live.until(lambda: receiver.of("enforce"), "the webhook is told of the repair after all")
    live.tenuto("kill", "net", "--wait", check=True)
    live.until(lambda: receiver.of("kill"), "the webhook is told of the kill")

    assert len(receiver.of("build")) == 1
    assert {event["id"] for event in receiver.of("enforce")} & set(receiver.refused)
    ids = {event["id"] for event in receiver.accepted if "job" in event}
    live.until(lambda: {json.loads(line)["id"] for line in file.read_text().splitlines()} >= ids, "so is the program")


def test_what_never_arrives_is_dead_until_it_is_redelivered(live: Live, receiver: Receiver) -> None:
    template = live.folder / "net.yaml"
    template.write_text(TEMPLATE)
    live.start()
    receiver.is_closed = True
    url = f"http://127.0.0.1:{receiver.server_port}/hook"
    live.tenuto("notification", "add", "hook", "--webhook", url, "--tries", "2", check=True)
    refused = live.tenuto("notification", "test", "hook")
    assert (refused.code, "HTTP 503" in refused.err) == (1, True)
    live.tenuto("run", str(template), "-a", "net", "--wait", check=True)
    live.until(lambda: _dead(live), "the event is given up")
    [dead] = _dead(live)
    assert (dead["tries"], dead["process"]) == (2, "net")
    receiver.is_closed = False
    live.tenuto("notification", "redeliver", "hook", check=True)
    live.until(lambda: receiver.of("build"), "it arrives")
    live.until(lambda: not _dead(live), "nothing is left")
    live.tenuto("notification", "remove", "hook", check=True)
    assert live.tenuto("notification", "test", "hook").code == 4


def test_a_program_that_hangs_ends_with_the_conductor_and_one_that_is_missing_is_told_at_the_start(live: Live) -> None:
    file = live.folder / "hangs"
    hangs = "import os, sys, time; os.fork(); open(sys.argv[1], 'a').write(f'{os.getpid()} '); time.sleep(600)"
    program = shlex.join([sys.executable, "-c", hangs, str(file)])
    live.start("--notify-command", f"slow={program}", "--notify-command", "gone=/nowhere/page")
    assert "/nowhere/page" in live.log()
    listed = live.tenuto("--json", "notification", "list", check=True).document["notifications"]
    assert {one["name"]: one["trouble"] for one in listed} == {"slow": "", "gone": "there is no file /nowhere/page"}
    template = live.folder / "net.yaml"
    template.write_text(TEMPLATE)
    live.tenuto("run", str(template), "-a", "net", "--wait", check=True)
    live.until(lambda: file.exists() and len(file.read_text().split()) == 2, "the program and its child hang")
    assert live.stop() == 0
    live.until(lambda: not any(_runs(int(pid)) for pid in file.read_text().split()), "both have ended")


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _dead(live: Live) -> list[Any]:
    answer = live.tenuto("--json", "notification", "dead", "hook", check=True)
    return list(answer.document["dead"])


def _messages(sqs: Any, queue: str) -> str:
    found = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10, VisibilityTimeout=0)
    return str(found.get("Messages", []))


def _group(live: Live) -> str:
    return str(live.status("net")["resources"]["Group"]["id"])
