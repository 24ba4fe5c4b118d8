"""The composition root: the only place that knows every adapter.

`system.build` makes the object graph of one Conductor; tests, the demo and the `conductor` command differ only in the
adapters they give it. `serve.serve` runs one with its API in the foreground.
"""
