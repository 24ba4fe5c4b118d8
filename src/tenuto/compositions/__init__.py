"""Text to composition, with positions: `compile_file`, `compile_text`, and diagnostics as text."""

from tenuto.compositions.compile import Compiled, compile_file, compile_text
from tenuto.compositions.render import render_diagnostics

__all__ = ["Compiled", "compile_file", "compile_text", "render_diagnostics"]
