"""The public test kit: what a plugin, a provider or a store is tested with, inside this project and outside.

    clock, ids             time and chance that are the same in every run
    builders               small values of the model, named by what matters in a test
    *_conformance          what every store, provider and phase must do
    scenario               scripts that a person could type, run on a simulated world
"""
