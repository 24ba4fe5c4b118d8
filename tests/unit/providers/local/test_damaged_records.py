"""The record of a machine on its host, damaged: it hides no other machine, and ends no executor."""

from pathlib import Path
from typing import Any

import pytest

from tenuto.kit.documents import to_document
from tenuto.model.ids import ObjectId
from tenuto.providers.local.executor.executor import Executor
from tenuto.providers.local.executor.kernel.spawning import booted_at, document
from tenuto.providers.local.executor.requests import Request, ShowMany, ShowVirtual
from tenuto.providers.local.rules.machines.spec import MachineSpec
from tenuto.providers.local.rules.machines.virtual_spec import DiskSpec, VirtualSpec


def question(name: str) -> ShowVirtual:
    machine = MachineSpec(object_id=ObjectId(name), name="web", vcpus=1, memory_mib=64)
    return ShowVirtual(machine=VirtualSpec(machine=machine, disks=(DiskSpec(base="tiny"),)))


def test_a_fault_of_one_question_is_the_answer_to_that_one_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The executor ended of it, and its agent with it, at each sweep: no machine of the host was told of any more."""
    record = tmp_path / "virtual/bad/process"
    record.parent.mkdir(parents=True)
    record.write_text('{"sayings": []}')
    asked: Any = to_document(ShowMany(questions=(question("bad"), question("other"))), as_type=Request)
    bad, other = Executor(tmp_path, name="tenuto-none").answer(asked)["done"]
    assert bad["refused"].startswith("its executor failed, and its log has the details: TypeError(")
    assert not bad["is_final"]
    assert other is None
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "{}", '"x"', "[]", "null", "1e300", "-1", "NaN", "true"])
def test_a_record_without_a_moment_tells_none(text: str) -> None:
    """A moment beyond the calendar kept the host from telling of anything."""
    assert booted_at(document(f'{{"booted_at": {text}}}')) in (0.0, 1.0)


def test_a_record_tells_its_moment() -> None:
    assert booted_at(document('{"booted_at": 1796076663.5}')) == 1796076663.5
