"""A process that is killed amid its commits leaves nothing torn, and nothing lost that it was told is safe."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tenuto.ports.store_reads import EventQuery
from tenuto.storage.file.database import Database
from tenuto.storage.sqlite.store import SqliteStore
from tenuto_testing.store_samples import WEB

WRITER = """
import sys
from pathlib import Path
from tenuto.ports.store_changes import CreateObject, CreateProcess, SaveProcess
from tenuto.storage.file.database import Database
from tenuto.storage.sqlite.store import SqliteStore
from tenuto_testing.store_samples import a_process, an_object

store = SqliteStore(Database(Path(sys.argv[1])))
store.commit([CreateProcess(process=a_process(), actor="t")])
for number in range(1, 100_000):
    objects = [CreateObject(object=an_object(f"{number}-{part}"), actor="t") for part in range(20)]
    process = SaveProcess(process=a_process(last_message=str(number)), expected_generation=number)
    store.commit([process, *objects])
    print(number, flush=True)
"""


@pytest.mark.parametrize("acknowledged", [1, 2, 7, 23])
def test_a_killed_writer_leaves_whole_commits_only(tmp_path: Path, acknowledged: int) -> None:
    path = tmp_path / "tenuto.db"
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for _ in range(acknowledged):
            last = int(writer.stdout.readline())
        os.kill(writer.pid, signal.SIGKILL)
        # What it still said before it died was safe too.
        last = max([last, *(int(line) for line in writer.stdout if line.endswith("\n"))])
    database = Database(path)
    store = SqliteStore(database)
    process = store.process(WEB)
    assert process is not None
    commits = int(process.last_message)
    assert commits >= last == max(last, acknowledged)
    assert process.generation == commits + 1
    assert len(store.objects(WEB)) == 20 * commits
    assert len(store.events(EventQuery(limit=10**6))) == 20 * commits + 1
    assert database.writer.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    assert database.writer.execute("PRAGMA foreign_key_check").fetchall() == []
    store.close()
