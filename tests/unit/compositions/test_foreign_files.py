"""Files of other tools are recognised, and templates are never taken for them."""

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic

HCL = """# a network
resource "aws_vpc" "main" {
  cidr_block = "10.0.0.0/16"
}
"""
KUBERNETES = """apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
---
apiVersion: v1
kind: Service
"""
COMPOSE = """services:
  web:
    image: nginx
"""
ANSIBLE = """- name: Web servers
  hosts: web
  tasks:
    - debug: {msg: hello}
"""
SERVERLESS = """service: shop
provider: {name: aws, runtime: python3.12}
functions: {hello: {handler: hello.main}}
"""
WITH_STATEMENTS = """service: shop
provider:
  name: aws
  iam: {role: {statements: [], Statement: [{Version: "2012-10-17"}]}}
"""
PULUMI = "name: shop\nruntime: yaml\nresources: {b: {type: aws.s3.Bucket}}\n"
FOREIGN = [
    ("main.tf", HCL, "HCL", 2, "tenuto import"),
    ("main.yaml", HCL, "HCL", 2, "tenuto import"),
    ("vars.tf", 'variable "stage" {}\n', "HCL", 1, "tenuto import"),
    ("main.tf.json", '{"resource": {"aws_vpc": {"main": {}}}}', "Terraform or OpenTofu in JSON", 1, "tenuto import"),
    (
        "x.tfstate",
        '{\n "version": 4,\n "terraform_version": "1.9",\n "lineage": "x"}',
        "state file",
        3,
        "tenuto import",
    ),
    ("state.json", '{"format_version": "1.0",\n "terraform_version": "1.9"}', "state file", 2, "tenuto import"),
    ("queue.yaml", "{% for x in y %}\nResources: {}\n{% endfor %}\n", "template engine", 1, "Render it"),
    ("web.yaml", KUBERNETES, "manifest of Kubernetes", 1, "kubectl"),
    ("web.json", '{"kind": "Pod",\n "apiVersion": "v1"}', "manifest of Kubernetes", 2, "kubectl"),
    ("t.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: {{ .Values.name }}}\n", "Helm", 3, "helm"),
    ("compose.yaml", COMPOSE, "Docker Compose", 1, "docker compose"),
    ("flow.yaml", "services:\n  web: {image: nginx}\n", "Docker Compose", 1, "docker compose"),
    ("site.yml", ANSIBLE, "playbook of Ansible", 1, "ansible-playbook"),
    ("serverless.yml", SERVERLESS, "Serverless Framework", 1, "serverless package"),
    ("serverless.yml", WITH_STATEMENTS, "Serverless Framework", 1, "serverless package"),
    ("web.yaml", "Resources:\n  N:\n    Type: !Rain::Module vpc.yml\n", "directive of Rain", 3, "rain pkg"),
    (
        "web.json",
        '{"Resources": {"N": {"Type":\n {"Rain::Module": "vpc.yml"}},\n "O": {"Type": "x"}}}',
        "directive of Rain",
        2,
        "rain pkg",
    ),
    ("Pulumi.yaml", PULUMI, "Pulumi", 2, "pulumi"),
    ("web.yaml", PULUMI, "program of Pulumi", 2, "pulumi"),
    ("Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n", "description of a Helm chart", 1, "helm"),
    (
        "web.yaml",
        "Resources:\n<<<<<<< HEAD\n  A: {}\n=======\n  B: {}\n>>>>>>> other\n",
        "conflict of a merge",
        2,
        "Keep one of the two",
    ),
    ("web.yaml", "https://example.com/web.yaml\n", "an address", 1, "Download the template"),
    ("web.yaml", "<!DOCTYPE html>\n<html></html>\n", "HTML or XML", 1, "what the server said"),
    ("web.xml", "<?xml version='1.0'?><a/>", "HTML or XML", 1, "what the server said"),
    (
        "p.json",
        '[{"ParameterKey": "Stage", "ParameterValue": "test"}]',
        "list of parameter values",
        1,
        "--parameter KEY=VALUE",
    ),
    (
        "p.json",
        '[\n  {\n    "ParameterKey": "Stage",\n    "ParameterValue": "test"\n  }\n]',
        "list of parameter values",
        3,
        "--parameter KEY=VALUE",
    ),
    ("web.yaml", "--- a/web.yaml\n+++ b/web.yaml\n@@ -1 +1 @@\n-a\n+b\n", "difference", 1, "git apply"),
    ("tree.json", '{"version":"tree-0.1","x":{"Statement":[],"Version":"2012-10-17"}}', "cdk synth", 1, "whole folder"),
    ("manifest.json", '{\n "version": "55.0.0",\n "artifacts": {}}', "cdk synth", 1, "whole folder"),
    ("Api.assets.json", '{"version": "55.0.0", "files": {}}', "cdk synth", 1, "whole folder"),
    ("cdk.out", '{"version":"55.0.0"}', "cdk synth", 1, "whole folder"),
    ("cdk.json", '{"app": "python app.py"}', "CDK", 1, "cdk synth"),
    ("ci.yml", "on: push\njobs: {a: {}}\n", "GitHub Actions", 2, "CloudFormation template"),
    (
        "arm.json",
        '{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#"}',
        "Azure",
        1,
        "az deployment",
    ),
]


def said_of(name: str, text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(CompileError) as failed:
        compile_text(text, file=name, parameters={}, region="us-east-1")
    return tuple(one for one in failed.value.diagnostics if isinstance(one, Diagnostic))


@pytest.mark.parametrize(("name", "text", "tool", "line", "advice"), FOREIGN, ids=[one[0] for one in FOREIGN])
def test_a_file_of_another_tool_is_one_error_that_names_the_tool(
    name: str, text: str, tool: str, line: int, advice: str
) -> None:
    [found] = said_of(name, text)
    assert found.code == "T112"
    assert tool in found.detail
    assert advice in found.hint
    assert found.position is not None
    assert found.position.line == line


def test_a_template_is_no_file_of_another_tool_whatever_its_texts_say() -> None:
    text = f"Resources: {{Q: {{Type: AWS::SQS::Queue}}}}\nMetadata:\n  Note: |\n    {KUBERNETES[:40]!r}\nkind: x\n"
    codes = {one.code for one in said_of("apiVersion.yaml", text + "apiVersion: v1\nservices: {a: {image: b}}\n")}
    assert codes == {"T102"}


def test_what_belongs_to_no_known_tool_is_told_as_before() -> None:
    assert [one.code for one in said_of("x.yaml", "a: 1\n")] == ["T102", "T103"]
    [found] = said_of("x.yaml", "- a\n")
    assert (found.code, found.summary) == ("T101", "A template must be a mapping with a Resources section")


def test_a_broken_template_is_no_policy_of_iam() -> None:
    text = "Resources:\n  P:\n    Properties:\n      Statement: []\n      Version: 2012-10-17\n   Type: x\n"
    [found] = said_of("x.yaml", text)
    assert found.code == "T003"
    assert found.position is not None
    assert found.position.line == 6


def test_a_broken_template_with_a_conflict_is_told_as_one() -> None:
    text = "Resources:\n<<<<<<< ours\n  A: {Type: a}\n=======\n  B: {Type: b}\n>>>>>>> theirs\n"
    assert [one.code for one in said_of("x.yaml", text)] == ["T112"]
