"""An installation as its user has it: files, a shell, a Conductor."""

import re
from pathlib import Path
from typing import Any

from accounts import Accounts
from typed_page import Bash, Reader

EXAMPLE = Path(__file__).parents[2] / "src/tenuto/examples/vpc.yaml"
NETWORK = """
Resources:
  Net:
    Type: AWS::EC2::VPC
    Properties: {CidrBlock: 10.0.0.0/16, Tags: [{Key: Name, Value: one}]}
  Right:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: !Ref Net, CidrBlock: 10.0.2.0/24}
"""
_LOGGED = re.compile(r"[\d-]+T[\d:.]+Z \[")


class Installation:
    """A folder, a shell, and a Conductor in front of an emulated AWS."""

    def __init__(self, folder: Path, live: Accounts) -> None:
        self.folder = folder
        self.live = live
        self.bash = Bash(folder, live.environment)

    def follow(self, page: Path, **given: Any) -> None:
        """Type a page; what is given to its reader is as `typed_page.Reader` says."""
        Reader(page=page, bash=self.bash, conductor=self.restart, **given).follow()

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def run(self, alias: str, text: str = NETWORK) -> None:
        """A process that stands."""
        self.write(f"of-{alias}.yaml", text)
        self.live.tenuto("run", str(self.folder / f"of-{alias}.yaml"), "-a", alias, "--wait", check=True)

    def answers(self) -> None:
        """Wait for the Conductor, which somebody has just started."""
        self.live.until(lambda: self.live.tenuto("status").code == 0, "the Conductor answers")

    def restart(self, *options: str) -> str:
        """Another Conductor; what it says first, without its log."""
        self.live.stop()
        log = self.folder / "conductor.log"
        log.unlink()
        self.live.start(*options)
        told = log.read_text(encoding="utf-8").splitlines(keepends=True)
        return "".join(line for line in told if not _LOGGED.match(line))
