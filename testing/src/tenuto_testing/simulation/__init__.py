"""The parts of the simulator (`tenuto_testing.simulator`).

steps          the steps of a history, as values that read as lines of a scenario
compositions   random compositions that a cloud can build
scenery        all that differs between clouds, as one value for each
ground         the cloud of a run, seen from outside with full knowledge
simulated      the simulated cloud as scenery and ground
strict         the strict cloud, with the real AWS provider, as ground and (strict_scenery) scenery
sceneries      both, by name
histories      from a seed to the steps of one run
script         scenario files: a history as text, and back
rehearsals     dry runs, and plans that are executed later
rest           whether all comes to rest in a calm world
crew           tasks in a random but repeatable order, some of them slow
lives          the store and the provider as one life of a Conductor sees them
cast           the Conductors that live now
laws           the conditions that must always hold
reality        whether the world is as declared
stage          store, ground, cast, and time
trial          one run: steps, then calm, then the checks of its end
"""
