"""The session of the README is what comes when it is typed; `TENUTO_GOLDEN=update` writes it anew."""

import os
import re
import shutil
import sys
import time
from pathlib import Path

import pytest
from installation import EXAMPLE, Installation
from live import ended_at
from typed_page import Reader, with_answers

README = Path(__file__).parents[2] / "README.md"
GROUP = re.compile(r"sg-[0-9a-f]+")
OPENS = "aws ec2 authorize-security-group-ingress"
AWS = f"""#!{sys.executable}
import os, sys, botocore.session
assert " ".join(sys.argv[1:3]) == "{OPENS[4:]}"
given = dict(zip(sys.argv[3::2], sys.argv[4::2], strict=True))
ec2 = botocore.session.get_session().create_client("ec2", region_name=os.environ["AWS_REGION"])
tagged = [{{"Name": "tag:tenuto:resource", "Values": ["Web"]}}]
(group,) = ec2.describe_security_groups(Filters=tagged)["SecurityGroups"]
port = int(given["--port"])
ec2.authorize_security_group_ingress(
    GroupId=group["GroupId"], IpProtocol=given["--protocol"], FromPort=port, ToPort=port, CidrIp=given["--cidr"]
)
"""
"""The one command of the AWS CLI that the session types, for the group that there is."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def test_the_session_of_the_readme_is_what_comes(installation: Installation) -> None:
    shutil.copy(EXAMPLE, installation.folder)
    program = installation.folder / ".programs/aws"
    program.write_text(AWS)
    program.chmod(0o755)
    is_produced = os.environ.get("TENUTO_GOLDEN") == "update"

    live = installation.live

    def period(seconds: int) -> None:
        live.tenuto("runtime", "set", "jobs.period", str(seconds), check=True)

    def leave_alone() -> None:
        """The job that is due already comes still; the port is opened after it."""
        period(3600)
        since = time.time()
        live.until(lambda: ended_at(live.status("shop")) > since, "the last job of the short period ends")

    def see() -> None:
        """What has just been made may not be seen everywhere yet, and is not judged for a moment."""
        live.until(lambda: "modify" in live.asked("plan", "shop").out, "the open port is seen")

    def repair() -> None:
        period(1)
        live.until(lambda: "enforce  SUCCEEDED" in live.asked("history", "shop").out, "it is closed")

    reader = Reader(
        page=README,
        section="A session",
        bash=installation.bash,
        conductor=installation.restart,
        before={OPENS: leave_alone, "tenuto plan shop": see, "tenuto history shop": repair},
        instead={"127.0.0.1:8686": live.listen, "/home/ada/.local/share/tenuto": str(installation.folder)},
        passing=r"shop (?:Running|Killing): |  \w+: ",
        is_blind=is_produced,
    )
    reader.follow()
    if is_produced:
        produce(reader)


def produce(reader: Reader) -> None:
    """Show what came, with the names of the reader who is imagined."""
    theirs = {mine: name for name, mine in reader.instead.items()}
    known = re.compile("|".join(map(re.escape, theirs)))
    said = {line: known.sub(lambda found: theirs[found[0]], told) for line, told in reader.said.items()}
    shown = with_answers(reader.text, said)
    group = GROUP.findall(said["tenuto plan shop"])[0]
    lines = [GROUP.sub(group, line) if OPENS in line else line for line in shown.splitlines(keepends=True)]
    README.write_text(README.read_text(encoding="utf-8").replace(reader.text, "".join(lines)), encoding="utf-8")
