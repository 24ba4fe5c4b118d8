"""Jobs: the scheduler finds due processes, a job observes and plans, and the broker starts the steps of a plan."""
