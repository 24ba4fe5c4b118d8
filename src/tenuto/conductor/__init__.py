"""The Conductor: gathers snapshots, asks the pure core for plans, and has them executed by phases.

scheduler   the due processes, never two jobs of one process at once
reflector   the real things: bulk sweeps, shared by every process of a partition
manager     the snapshot of one process, and its plan
broker      executes a stored plan: targets and desired properties, wave by wave
jobs        one job from due to finished
phases      the phase engine: every object walks to its target
supervisor  the loop that drives all of them, on one thread with a virtual clock or on many with a real one
"""
