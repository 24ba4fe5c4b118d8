"""docs/reference/audit.md, from the table of checks.

Run `python tests/support/audit_page.py` to write it.
"""

from pathlib import Path

from tenuto.core.reports.audit_codes import CHECKS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "audit.md"
_HEAD = """# The audit

What `tenuto doctor` finds. Each problem has a code that never changes its meaning, and advice. The first digit says
what is wrong: 0 the stored objects of a process, 1 a plan, 2 the store as a whole, 3 the cloud.

The checks of the objects and of the plan also run before a plan is executed. An error refuses the plan: the job fails,
nothing is changed, and the last message of the process tells the code and the advice. Errors elsewhere in the process
do not refuse it.

This page is written by `python tests/support/audit_page.py`; a test compares.
"""


def render_page() -> str:
    """The whole page."""
    return _HEAD + "".join(
        f"\n## {check.code} {check.summary}\n\n{check.severity.value.capitalize()}. "
        f"{check.advice.format(process='PROCESS')}\n"
        for check in CHECKS
    )


if __name__ == "__main__":
    PAGE.write_text(render_page(), encoding="utf-8")
