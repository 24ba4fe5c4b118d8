"""The scanner of YAML, with block texts as PyYAML and the reader of CloudFormation take them.

A text may begin with lines of nothing but spaces. ruamel.yaml refuses it when the first line of the text has more
spaces than the first of these. No rule of YAML says that (only the opposite is forbidden), and AWS publishes templates
that are written so.
"""

from typing import Any

from ruamel.yaml.scanner import Scanner


class BlockScanner(Scanner):
    """Finds the indentation of a block text: the widest of the lines before its first sign, as others do."""

    def scan_block_scalar_indentation(self) -> tuple[list[Any], int, Any]:
        """Return the empty lines, the indentation, and the place where the text begins."""
        breaks, widest, end = [], 0, self.reader.get_mark()
        while (sign := self.reader.peek()) in " \r\n\x85\u2028\u2029":
            if sign == " ":
                self.reader.forward()
                widest = max(widest, self.reader.column)
            else:
                breaks.append(self.scan_line_break())
                end = self.reader.get_mark()
        return breaks, widest, end
