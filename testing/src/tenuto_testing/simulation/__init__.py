"""The parts of the simulator (`tenuto_testing.simulator`).

steps          what can happen to a Tenuto, as values that read as lines of a scenario
compositions   random compositions of what a cloud can build
scenery        all that differs between clouds, as one value for each
ground         what the stage stands on: a cloud, seen by somebody who knows everything
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
laws           what must hold whatever happens
reality        whether the world is as declared
stage          store, ground, cast, and time
trial          one run: steps, then calm, then what must have come of it
"""
