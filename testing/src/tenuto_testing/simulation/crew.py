"""Tasks in a random but repeatable order, some of them slow: the work of a pool of threads, made to a script.

Theory of operation. Most tasks are performed at once. A slow one gets a thread of its own and is stopped at each call
to the provider, once before it and once after; it goes on when its time has come, and meanwhile others are performed,
commands are given, and the Conductor may die. Only one thread ever runs: it hands the baton back when it stops. So the
order of everything follows from the random numbers, and those from the seed.
"""

import threading
from collections.abc import Callable
from random import Random

from tenuto.model.ids import Instant
from tenuto.ports.clock import Clock
from tenuto_testing.mortality import Crash

PAUSES_S = (0.0, 0.0, 0.5, 3.0, 16.0, 40.0)
SLOW = 0.1
"""The share of tasks that are slow."""

Task = Callable[[], None]


class Crew:
    """Performs tasks. Give it a new source of chance before every step (`rng`)."""

    def __init__(self, clock: Clock) -> None:
        self.rng = Random(0)
        self.is_calm = False
        self._clock = clock
        self._stopped: list[_Hand] = []
        self._running: _Hand | None = None

    def perform(self, tasks: list[Task]) -> None:
        """All of them, in some order; slow ones only begin. Raises Crash when one of them died."""
        self.rng.shuffle(tasks)
        for task in tasks:
            if self.is_calm or self.rng.random() >= SLOW:
                task()
            else:
                self._go_on(_Hand(task))

    def resume(self) -> bool:
        """Let each task whose pause is over go on until its next one. Returns whether there was any."""
        now = self._clock.now()
        due = [hand for hand in self._stopped if hand.wake_at <= now]
        self.rng.shuffle(due)
        for hand in due:
            self._stopped.remove(hand)
            self._go_on(hand)
        return bool(due)

    def pause(self) -> None:
        """Called at the provider's door: the task that runs now stops here for a while, if it is a slow one."""
        if self._running is not None:
            self._running.stop(Instant(self._clock.now() + self.rng.choice(PAUSES_S)))

    def next_wake(self) -> Instant | None:
        return min((hand.wake_at for hand in self._stopped), default=None)

    def dismiss(self) -> None:
        """Stop all tasks for good: the Conductor is dead."""
        stopped, self._stopped = self._stopped, []
        for hand in stopped:
            hand.is_dead = True
            hand.go()

    def _go_on(self, hand: "_Hand") -> None:
        self._running = hand
        hand.go()
        self._running = None
        if hand.error is not None:
            raise hand.error
        if not hand.is_done:
            self._stopped.append(hand)


class _Hand:
    """One slow task and its thread."""

    def __init__(self, task: Task) -> None:
        self.wake_at = Instant(0.0)
        self.is_done = False
        self.is_dead = False
        self.error: BaseException | None = None
        self._task = task
        self._mine = threading.Semaphore(0)
        self._theirs = threading.Semaphore(0)
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def go(self) -> None:
        """Give it the baton, and wait until it comes back."""
        self._mine.release()
        self._theirs.acquire()
        if self.is_done:
            self._thread.join()

    def stop(self, until: Instant) -> None:
        """Called on its own thread: hand the baton back, and wait for it."""
        if self.is_dead:
            raise Crash("with the Conductor")
        self.wake_at = until
        self._theirs.release()
        self._mine.acquire()
        if self.is_dead:
            raise Crash("with the Conductor")

    def _work(self) -> None:
        self._mine.acquire()
        try:
            self._task()
        except BaseException as error:  # noqa: BLE001 - handed to the thread that gave the baton
            self.error = error
        finally:
            self.is_done = True
            self._theirs.release()
