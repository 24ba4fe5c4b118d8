"""Another logical id for what was adopted: refused within its process, and done by the steps of the guide."""

import re
import shlex
from pathlib import Path

from live import Live

from tenuto.cli.terminal.exits import Exit

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "update-safely.md"
NET = "  Net: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.46.0.0/16}}"


def queue(name: str, url: str, more: str = "") -> str:
    return f'  {name}: {{Type: AWS::SQS::Queue, {more}Metadata: {{Tenuto: {{ResourceIdentifier: "{url}"}}}}}}'


def written(folder: Path, name: str, *resources: str) -> str:
    path = folder / name
    path.write_text("\n".join(("Resources:", NET, *resources, "")))
    return str(path)


def adopted(live: Live, folder: Path) -> str:
    """A process `shop` that has adopted a queue as Q; the address of the queue."""
    url = str(live.aws("sqs").create_queue(QueueName="jobs")["QueueUrl"])
    live.tenuto("run", written(folder, "first.yaml", queue("Q", url)), "-a", "shop", "--import", "--wait", check=True)
    return url


def typed() -> list[list[str]]:
    section = GUIDE.read_text(encoding="utf-8").partition("## Rename a resource")[2].partition("\n## ")[0]
    lines = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)[0].splitlines()
    return [shlex.split(line)[1:] for line in lines]


def test_a_process_that_has_a_thing_under_another_logical_id_says_how_to_keep_it(live: Live, tmp_path: Path) -> None:
    url = adopted(live, tmp_path)
    refused = live.tenuto("update", "shop", written(tmp_path, "renamed.yaml", queue("Q2", url)))
    said = " ".join(refused.err.split())
    assert refused.code != Exit.DONE
    assert f"Q2 cannot adopt {url}: this process manages it already, as Q" in said
    assert "Keep the logical id Q. Or rename it by three updates: one that gives Q a DeletionPolicy Retain" in said
    assert "Without the identifier another one is made" in said
    assert "tenuto release" not in said
    assert live.id("shop", "Q") == url


def test_the_steps_of_the_guide_rename_a_queue_and_keep_it(live: Live, tmp_path: Path) -> None:
    url = adopted(live, tmp_path)
    live.aws("sqs").send_message(QueueUrl=url, MessageBody="kept")
    written(tmp_path, "retained.yaml", queue("Q", url, "DeletionPolicy: Retain, "))
    written(tmp_path, "without.yaml")
    written(tmp_path, "renamed.yaml", queue("Q2", url))
    network = live.id("shop", "Net")
    said = [
        live.tenuto(*(str(tmp_path / one) if one.endswith(".yaml") else one for one in command), check=True).out
        for command in typed()
    ]
    assert "adopt" in said[2]
    assert "create" not in said[2]
    status = live.status("shop")
    assert {name: one["id"] for name, one in status["resources"].items()} == {"Net": network, "Q2": url}
    assert live.aws("sqs").list_queues()["QueueUrls"] == [url]
    [kept] = live.aws("sqs").receive_message(QueueUrl=url)["Messages"]
    assert kept["Body"] == "kept"
