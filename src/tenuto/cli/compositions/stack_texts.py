"""The texts of `tenuto import --stack`: the report and the parameters beside a template, and the next steps."""

from pathlib import Path

from tenuto.cli.terminal.tables import filled, table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.kit.visible import visible
from tenuto.model.ids import JsonMap

PARAMETERS, REPORT = "parameters.yaml", "report.md"


def template_name(found: JsonMap) -> str:
    """The name of the file for the template: the composition is called by it, so it is that of the stack."""
    name = f"{found['stack']}.{found['format']}"
    return name if name != PARAMETERS else f"template.{found['format']}"


def resources_text(count: int) -> str:
    """`1 resource`, `2 resources`."""
    return f"{count} resource{'' if count == 1 else 's'}"


def standing(found: JsonMap) -> str:
    """The resources of a stack, and the process that holds each."""
    rows = [(one["logical_id"], one["type"], one["id"] or "", one["held_by"] or "(none)") for one in found["resources"]]
    return table(("Resource", "Type", "Id", "Held by"), rows)


def obstacles(found: JsonMap) -> list[str]:
    """The obstacles to taking a stack over, a line each; empty for none."""
    if found["problem"]:
        return [found["problem"]]
    return [f"{one['logical_id']} ({one['type']}): {one['problem']}" for one in found["resources"] if one["problem"]]


def next_steps(found: JsonMap, template: Path) -> str:
    """The answer to an import that has written its files."""
    wrote = (
        f"Wrote {template} with {resources_text(len(found['resources']))} of the stack {found['stack']}, and beside it "
        f"{PARAMETERS} and {REPORT}. Next, adopt {'it' if len(found['resources']) == 1 else 'them'}; nothing else is "
        "done:"
    )
    # The command stays on its line, also a long one: it is copied.
    return f"{filled(wrote, terminal_width())}\n  {_adopting(found, template)}"


def report(found: JsonMap, template: Path) -> str:
    """The report on a stack that can be taken over: its resources and exports, and the steps."""
    lines = [
        f"# The stack {found['stack']}",
        "",
        _where(found),
        "",
        "| resource | type | id |",
        "|---|---|---|",
        *(f"| {one['logical_id']} | {one['type']} | {one['id']} |" for one in found["resources"]),
        "",
    ]
    for one in found["exports"]:
        users = ", ".join(one["importers"])
        lines.append(f"* It exports `{one['name']}`{f', which {users} imports' if users else ''}.")
    lines += _about_tags(found) + _about_id(found)
    lines += [f"* The parameter `{name}` is hidden: it is given with the command." for name in found["hidden"]]
    lines += [
        "",
        "1. Adopt, and only watch: the command is refused when the account is not as the template says.",
        "",
        f"       {_adopting(found, template)}",
        "",
        "2. Let the stack go. Its resources stay.",
        "",
        f"       tenuto import --stack {found['stack']}{_place(found)} --let-go",
        "",
        *_about_state(found),
        "3. Correct drift from then on.",
        "",
        f"       tenuto property {found['stack']} enforcement --set on",
        "",
    ]
    return visible("\n".join(lines))


def _about_tags(found: JsonMap) -> list[str]:
    """The tags of a stack, which its own template does not declare."""
    if not found["tags"]:
        return []
    keys = ", ".join(f"`{key}`" for key in found["tags"])
    lines = [
        f"* CloudFormation puts the tags of the stack on its resources: {keys}. The template declares them now, where "
        f"the account shows them: {', '.join(found['tagged']) or 'at no resource'}."
    ]
    if found["untagged"]:
        lines.append(
            f"* The tags of {', '.join(found['untagged'])} are the result of a function, and nothing was added to it. "
            f"Declare {keys} there yourself: an adoption takes away tags that are not declared."
        )
    return lines


def _about_id(found: JsonMap) -> list[str]:
    """The resources that an adoption would change, because the id of the stack is another one in a process."""
    if not found["saying_id"]:
        return []
    return [
        f"* `AWS::StackId` stands in the properties of {', '.join(found['saying_id'])}. It is the ARN of the stack in "
        "CloudFormation and the FID of the process in Tenuto, so that the adoption would change these properties, and "
        f"`--only-adopt` refuses that. Before you adopt, write `{found['stack_id']}` in its place, or remove it."
    ]


def _about_state(found: JsonMap) -> list[str]:
    """The reason why the stack cannot be let go yet: it may be adopted all the same."""
    if not found["unsettled"]:
        return []
    return [f"   Tenuto refuses that now. {found['unsettled'].removesuffix(' Nothing was changed.')}", ""]


def refusal_report(found: JsonMap, folder: Path) -> str:
    """The report on a stack that cannot be taken over as it is: the obstacles, each with advice."""
    lines = [
        f"# The stack {found['stack']} cannot be taken over as it is",
        "",
        f"{_where(found)} Tenuto wrote no template. In the way:",
        "",
        *(f"* {one}" for one in obstacles(found)),
        "",
        "When nothing is in the way any more, read the stack again:",
        "",
        f"       tenuto import --stack {found['stack']} -o {folder}{_place(found)}",
        "",
    ]
    return visible("\n".join(lines))


def _where(found: JsonMap) -> str:
    return f"Account {found['account']}, region {found['region']}, {found['status']}. Read, and not changed."


def parameters_text(found: JsonMap) -> str:
    """The file of parameters of a stack."""
    lines = [f"# The parameters of the stack {visible(found['stack'])}."]
    lines += [f"# {name}: CloudFormation does not tell it; give it as --parameter {name}=…" for name in found["hidden"]]
    lines += [f"{name}: {_quoted(value)}" for name, value in sorted(found["parameters"].items())]
    return "\n".join(lines) + "\n"


def _quoted(value: str) -> str:
    text = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'


def _place(found: JsonMap) -> str:
    """The options that name the account and the region."""
    account = f" --account {found['account']}" if found["account"] != "default" else ""
    return f"{account} --region {found['region']}"


def _adopting(found: JsonMap, template: Path) -> str:
    secrets = "".join(f" --parameter {name}=…" for name in found["hidden"])
    parameters = f" --parameters {template.with_name(PARAMETERS)}" if found["parameters"] else ""
    return (
        f"tenuto run {template} -a {found['stack']}{_place(found)}{parameters}{secrets} "
        "--import --only-adopt --enforcement off --wait"
    )
