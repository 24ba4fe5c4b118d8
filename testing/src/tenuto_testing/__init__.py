"""The public test kit: what a plugin, a provider or a store is tested with, inside this project and outside.

clock, ids             time and chance that are the same in every run
world, mortality       a whole Tenuto in one thread, and its sudden death at a chosen moment
phase_world            a small world to try phases in
*_conformance          what every store, provider and phase must do
scenario               scripts that a person could type, run on a simulated world
"""
