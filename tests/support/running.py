"""A program of Tenuto that runs beside a test, and the ways in which it ends."""

import signal
import subprocess

from forked import Program


class Running:
    """At most one process."""

    process: subprocess.Popen[bytes] | Program | None = None

    def has_ended(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def kill_9(self) -> None:
        """The end without notice."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process = None

    def stop(self) -> int:
        """SIGTERM, and its exit code. 0 when none runs."""
        if self.process is None:
            return 0
        process, self.process = self.process, None
        process.send_signal(signal.SIGCONT)  # A test that failed in the middle may have left it stopped.
        process.terminate()
        try:
            return process.wait(timeout=60)
        finally:
            process.kill()  # Nothing happens to one that has ended.
            process.wait()
