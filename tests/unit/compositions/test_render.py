from tenuto.compositions.diagnostics.render import render_diagnostics
from tenuto.model.diagnostic import Diagnostic, Position, Severity

PROPERTY = Diagnostic(
    severity=Severity.ERROR,
    code="T504",
    summary="Unknown property",
    detail="AWS::EC2::VPC has no property CidrBlok.",
    hint="Did you mean CidrBlock?",
    position=Position(file="web.yaml", line=12, column=7, length=8),
    source_line="      CidrBlok: 10.0.0.0/16",
)


def test_a_diagnostic_shows_the_place_the_line_and_what_to_do() -> None:
    assert render_diagnostics([PROPERTY]) == (
        "error[T504]: Unknown property\n"
        "  --> web.yaml:12:7\n"
        "   |\n"
        "12 |       CidrBlok: 10.0.0.0/16\n"
        "   |       ^^^^^^^^\n"
        "   AWS::EC2::VPC has no property CidrBlok.\n"
        "   hint: Did you mean CidrBlock?\n"
    )


def test_a_diagnostic_without_a_place_still_says_what_to_do() -> None:
    placeless = Diagnostic(severity=Severity.WARNING, code="T803", summary="S", detail="D.", hint="H.")
    assert render_diagnostics([placeless]) == "warning[T803]: S\n D.\n hint: H.\n"


def test_diagnostics_are_parted_by_a_blank_line() -> None:
    assert render_diagnostics([PROPERTY, PROPERTY]).count("\n\n") == 1
    assert render_diagnostics([]) == ""


def test_carets_stand_under_the_token_behind_tabs() -> None:
    tabbed = Diagnostic(
        severity=Severity.ERROR,
        code="T004",
        summary="S",
        detail="D.",
        position=Position(file="a.json", line=1, column=3, length=2),
        source_line="\t\tab",
    )
    assert "1 | \t\tab\n  | \t\t^^\n" in render_diagnostics([tabbed])


def test_a_very_long_line_is_cut_around_the_carets() -> None:
    long = Diagnostic(
        severity=Severity.ERROR,
        code="T004",
        summary="S",
        detail="D.",
        position=Position(file="a.json", line=1, column=501, length=4),
        source_line="x" * 500 + "here" + "y" * 500,
    )
    lines = render_diagnostics([long]).splitlines()
    assert len(lines[3]) < 200
    start = lines[4].index("^")
    assert lines[3][start : start + 4] == "here"
    assert lines[4].count("^") == 4


def test_colour_is_added_only_when_asked_for() -> None:
    assert "\x1b" not in render_diagnostics([PROPERTY])
    coloured = render_diagnostics([PROPERTY], color=True)
    assert "\x1b[31;1merror[T504]\x1b[0m" in coloured
