"""The reader recognises files of other tools by marks that each of their formats needs.

A user who gives such a file to Tenuto has mistaken the file or the tool, and a list of unknown sections helps with
neither. A file is checked here only when it has no Resources section, or cannot be read at all; so nothing that is a
template is ever taken for something else. A file that cannot be read but has a line `Resources:` is a broken template:
only marks that tear a text apart (a conflict of a merge, a template engine) are looked for in it. Texts are compared
and not documents, because HCL is no YAML, a playbook is a list, and a file of Kubernetes holds many documents.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Fields
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.model.diagnostic import Position

_IMPORT = "To take over what exists, let 'tenuto import TYPE ID …' write a template of it."
_INSTEAD = "Declare what you need in a CloudFormation template; 'tenuto types' lists what can be managed."


_BEGINNING = 200_000
"""Letters that are looked at: the marks come early, and a search in a file of many megabytes takes seconds."""


@dataclass(frozen=True, slots=True)
class _Tool:
    """A tool, the name of its file, and the marks that must all be in it. The first mark is the one to point at."""

    detail: str
    hint: str
    marks: tuple[str, ...]
    name: str = ""
    """A pattern of the file's name, where the marks alone are those of many files."""
    breaks: bool = False
    """True for marks that stand in templates, too, and make them unreadable."""


def _key(name: str) -> str:
    """A key at the top of a YAML file, or anywhere in a JSON file."""
    return rf'^(?:{name}:(?= |$)|[ \t{{]*"{name}"[ ]*:)'


_TOOLS: Sequence[_Tool] = (
    _Tool(
        "It holds a conflict of a merge.",
        "Keep one of the two sides, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>.",
        (r"^<{7}[ ]", r"^={7}$", r"^>{7}[ ]"),
        breaks=True,
    ),
    _Tool(
        "It is an address, and not a template.",
        "Download the template, and give Tenuto the file.",
        (r"\A\s*(?:https?|s3)://\S+\s*\Z",),
    ),
    _Tool(
        "It is a page of HTML or XML.",
        "Where it was downloaded, look at what the server said, and download the template itself.",
        (r"(?i)\A\s*<(?:!doctype|html|\?xml)\b",),
    ),
    _Tool(
        "It is a list of parameter values, and not a template.",
        "Give the template, and each value with --parameter KEY=VALUE.",
        (_key("ParameterKey").replace(r"[ \t{]*", r"[ \t{\[-]*"), r"\"?ParameterValue\"?[ ]*:"),
    ),
    _Tool(
        "It is a difference between two files.",
        "Apply it with 'git apply' or 'patch', and give Tenuto the whole template.",
        (r"^--- \S", r"^\+\+\+ \S", r"^@@ "),
    ),
    _Tool("It is a script.", f"Run it without Tenuto. {_INSTEAD}", (r"\A#![ ]*/",)),
    # Before the policy: such a file often has the statements of the roles of its functions.
    _Tool(
        "It is a file of the Serverless Framework.",
        "'serverless package' writes a CloudFormation template below .serverless; give that to Tenuto.",
        (_key("service"), _key("provider")),
    ),
    # Before the policy, too: the tree of an app has all properties of all resources.
    _Tool(
        "It is a file that 'cdk synth' writes beside the templates.",
        "Give Tenuto the whole folder, most often cdk.out, or one of its files *.template.json.",
        (r'\A\s*\{\s*"version"[ ]*:',),
        r"^(?:tree|manifest|.+\.assets)\.json$|^cdk\.out$",
    ),
    _Tool(
        "It is a policy of IAM, and not a template.",
        "Declare an AWS::IAM::ManagedPolicy, or a bucket policy, with it as the PolicyDocument.",
        (r'(?:^|[{,])[ \t]*"?Statement"?[ ]*:', r"\b20(?:08|12)-10-17\b"),
    ),
    _Tool("It is a file of settings in the form of INI.", _INSTEAD, (r"\A\s*\[[\w .-]+\][ ]*$", r"^[\w.-]+[ ]*=")),
    _Tool("It is a state file of Terraform or OpenTofu.", _IMPORT, (_key("terraform_version"),)),
    _Tool(
        "It is written in the language of Terraform and OpenTofu (HCL).",
        f"Tenuto runs CloudFormation templates. {_IMPORT}",
        (
            r'^(?:resource|data)[ ]+"[\w-]+"[ ]+"[\w-]+"[ ]*\{|^(?:terraform|locals|(?:provider|variable|module|output)'
            r'[ ]+"[\w-]+")[ ]*\{',
        ),
    ),
    _Tool(
        "It is a file of Terraform or OpenTofu in JSON.",
        f"Tenuto runs CloudFormation templates. {_IMPORT}",
        (_key("(?:resource|provider|terraform|variable|module|data|output|locals)"),),
        r"\.tf\.json$",
    ),
    _Tool(
        "It is a template of a Helm chart.",
        f"Install the chart with helm. {_INSTEAD}",
        (r"\{\{-?[ ]*(?:\.Values|\.Release|include|template)\b", _key("kind")),
    ),
    _Tool(
        "It is the description of a Helm chart.",
        f"Install the chart with helm. {_INSTEAD}",
        (r"^apiVersion:[ ]+v[12]$", _key("version"), _key("name")),
    ),
    _Tool(
        "It is a manifest of Kubernetes.",
        f"Give it to kubectl: Tenuto manages resources of cloud providers, and not what runs in a cluster. {_INSTEAD}",
        (_key("apiVersion"), _key("kind")),
    ),
    _Tool(
        "It is a file of Docker Compose.",
        f"Give it to docker compose: Tenuto manages resources of cloud providers, and not containers. {_INSTEAD}",
        (_key("services"), r"(?:^|[{,])[ ]*\"?(?:image|build|container_name|ports|command)\"?[ ]*:"),
    ),
    _Tool(
        "It is a playbook of Ansible.",
        f"Give it to ansible-playbook. {_INSTEAD}",
        (r"^- *(?:name|hosts|import_playbook):", r"^(?:- |  )(?:hosts|tasks|roles|import_playbook):"),
    ),
    _Tool(
        "It is a program of Pulumi.",
        f"Give it to pulumi. {_IMPORT}",
        (_key("runtime"), _key("name"), _key("(?:resources|config|description)")),
    ),
    _Tool("It is a program of Pulumi.", f"Give it to pulumi. {_IMPORT}", (_key("runtime"), _key("name")), r"^Pulumi\."),
    _Tool(
        "It is the configuration of an AWS CDK app, and not a template.",
        "'cdk synth' writes the templates to cdk.out; give one of these to Tenuto.",
        (_key("app"),),
        r"^cdk\.json$",
    ),
    _Tool(
        "It is a template of Azure Resource Manager.",
        f"Give it to az deployment. {_INSTEAD}",
        (r'"\$schema"[ ]*:[ ]*"[^"]*deploymentTemplate',),
    ),
    _Tool(
        "It is a text for a template engine such as Jinja, which has not been run over it.",
        "Render it first, and give the result to Tenuto.",
        (r"^[ \t]*\{%-?[ ]*\w.*%\}",),
        breaks=True,
    ),
    _Tool("It is a workflow of GitHub Actions.", _INSTEAD, (_key("jobs"), _key('(?:on|"on")'))),
)


def report_foreign(text: str, problems: Problems) -> bool:
    """Whether the file belongs to another tool, which is reported."""
    text = text[:_BEGINNING]
    is_template = re.search(_key("Resources"), text, re.MULTILINE) is not None
    for tool in _TOOLS:
        if is_template and not tool.breaks:
            continue
        if tool.name and not re.search(tool.name, PurePath(problems.file).name):
            continue
        found = [re.search(mark, text, re.MULTILINE) for mark in tool.marks]
        first = found[0]
        if first is None or not all(found):
            continue
        start = first.start() + len(first[0]) - len(first[0].lstrip(" \t{"))
        line = text.count("\n", 0, start) + 1
        column = start - text.rfind("\n", 0, start)
        position = Position(file=problems.file, line=line, column=column, length=max(1, first.end() - start))
        problems.add(codes.FOREIGN_FILE, position, tool.detail, hint=tool.hint)
        return True
    return False


def is_foreign(text: str, root: Fields | None, problems: Problems) -> bool:
    """Whether the text, which was read as `root` or could not be read, belongs to another tool. That is reported."""
    return (root is None or root.entry("Resources") is None) and report_foreign(text, problems)
