"""Text to composition, with positions: `compile.compile_file` and `.compile_text`, and diagnostics as text (`render`).

Nothing is imported here: most commands read no composition, and the compiler takes longer to import than they take.
"""
