"""The public test kit for plugins, providers and stores, inside this project and outside.

clock, ids             time and chance that are the same in every run
world, mortality       a whole Tenuto in one thread, and its sudden death at a chosen moment
phase_world            a small world to try phases in
*_conformance          the duties of every store, provider and phase
scenario               scripts that a person could type, run on a simulated world
"""
