"""Benchmarks: what Tenuto costs, beside what others cost. `python -m benchmarks --help` says how to run them.

Nothing here is a test: numbers of one machine say little about another, and a machine that is busy doubles them. Each
measurement is a function of a size that returns its numbers; it runs in a process of its own, so that its memory is its
own, on an idle machine one after the other. Compare ratios: between sizes, and with the peer measured in the same run.
"""
