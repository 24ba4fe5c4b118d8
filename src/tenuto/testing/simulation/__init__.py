"""The parts of the simulator (`tenuto.testing.simulator`).

compositions   random compositions that the simulated cloud can build
properties     random properties for each type
steps          what can happen to a Tenuto, as values that read as lines of a script
histories      from a seed to the steps of one run
crew           tasks in a random but repeatable order, some of them slow
lives          the store and the provider as one life of a Conductor sees them
laws           what must hold whatever happens
reality        whether the world is as declared
stage          store, cloud, the Conductor that lives now, and time
trial          one run: steps, then calm, then what must have come of it
"""
