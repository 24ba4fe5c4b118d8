"""Pure functions over values: compare, plan, phase rules, admission, explanations, the audit.

No clock, no randomness, no input or output, no log: time and ids arrive as arguments.
"""
