"""The stacks of an assembly of the CDK, for the commands that take a file: each is a composition of its own."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from tenuto.cli.compositions.compiling import Source
from tenuto.cli.terminal.session import Session

if TYPE_CHECKING:
    from tenuto.compositions.assemblies import Stack
    from tenuto.compositions.compile import Compiled


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One composition that a command works on. `stack` is None for a plain file."""

    source: Source
    stack: "Stack | None" = None

    @property
    def is_protected(self) -> bool:
        """Whether the stack has termination protection."""
        return self.stack is not None and self.stack.is_protected

    def alias(self, given: str | None) -> str | None:
        """The alias of its process: that of the command, else the name of the stack."""
        return given or (self.stack.name if self.stack else None)


def parts_of(session: Session, source: Source, *, alias: str | None = None) -> tuple[Part, ...]:
    """Every composition that FILE and --stack name, in the order in which they must be made.

    A stack without resources beside others is left out and told, as by the CDK. Raises click.UsageError for an option
    that only one composition can have.
    """
    from tenuto.compositions.assemblies import chosen, read_assembly

    if not source.file.is_dir():
        if source.stack:
            raise click.UsageError(f"--stack names a stack of an assembly of the CDK, and {source.file} is a file.")
        return (Part(source=source),)
    stacks = read_assembly(source.file)
    if source.stack:
        stacks = chosen(stacks, source.stack, source.file)
    if not stacks:
        raise click.UsageError(f"{source.file} has no stacks.")
    stacks = _with_resources(session, stacks)
    if len(stacks) > 1:
        _tell_pipelines(session, stacks)
        names = ", ".join(one.shown for one in stacks)
        for is_given, what in (
            (bool(alias), "An alias names one process"),
            (session.is_json, "--json prints one document"),
            (session.plan_file is not None, "-o saves one plan"),
            (bool(source.parameters), "--parameter gives a value to one composition"),
        ):
            if is_given:
                raise click.UsageError(f"{what}, and {source.file} has the stacks {names}. Name one with --stack.")
    return tuple(_part(source, stack) for stack in stacks)


def _with_resources(session: Session, stacks: "tuple[Stack, ...]") -> "tuple[Stack, ...]":
    """The stacks that declare resources; all of them where none does, for the compiler to refuse."""
    found = tuple(one for one in stacks if one.has_resources)
    if not found:
        return stacks
    for one in stacks:
        if one not in found:
            session.say(
                f"Note: {one.shown} has no resources, so it is left out. A process that it had before stays as it is; "
                f"'tenuto kill {one.name}' ends it."
            )
    return found


def _tell_pipelines(session: Session, stacks: "tuple[Stack, ...]") -> None:
    """Say which of the stacks a pipeline among them deploys, too: they would stand twice."""
    for pipeline in stacks:
        names = [one.shown for one in stacks if one.shown.startswith(f"{pipeline.shown}/")]
        if names and pipeline.deploys_stacks:
            session.say(
                f"Note: the pipeline of {pipeline.shown} deploys {', '.join(names)} by itself, with CloudFormation. "
                "Name with --stack what Tenuto is to make, or each of them is made twice."
            )


def part_of(session: Session, source: Source) -> Part:
    """The one composition that FILE and --stack name."""
    found = parts_of(session, source)
    if len(found) > 1:
        names = ", ".join(one.stack.shown for one in found if one.stack)
        raise click.UsageError(f"{source.file} has the stacks {names}. Name one with --stack.")
    return found[0]


def _part(source: Source, stack: "Stack") -> Part:
    if stack.region and source.region not in (None, stack.region):
        raise click.UsageError(
            f"{stack.shown} was synthesized for {stack.region}, so it cannot run in {source.region}. Leave out "
            "--region, or synthesize it for another environment."
        )
    made = replace(
        source,
        file=stack.template,
        region=source.region or stack.region or None,
        parameters={**stack.parameters, **source.parameters},
        tags=stack.tags,
    )
    return Part(source=made, stack=stack)


def check_place(part: Part, source: Source) -> None:
    """Raise click.UsageError when the stack is made for another account than the one that it would run in."""
    stack = part.stack
    if stack and stack.account and source.account_id and stack.account != source.account_id:
        raise click.UsageError(
            f"{stack.shown} was synthesized for account {stack.account}, and would run in {source.account_id}. Name "
            "the account with --account, or synthesize it for another environment."
        )


def tell_stack(session: Session, part: Part, compiled: "Compiled", alias: str | None) -> None:
    """Tell the tags and the protection that a stack has by the manifest of its assembly, and the files that must be in
    a bucket before the stack can stand."""
    if part.stack is None:
        return
    for line in (*_tags(part.stack, compiled), *_protection(part.stack, alias), *_missing(part, compiled)):
        session.say(line)


def _tags(stack: "Stack", compiled: "Compiled") -> Iterator[str]:
    """Tags that the template has already are no news."""
    if compiled.tagged:
        count, keys = len(compiled.tagged), list(stack.tags)
        get = f"1 resource of {stack.shown} gets" if count == 1 else f"{count} resources of {stack.shown} get"
        yield f"Note: {get} the {'tag' if len(keys) == 1 else 'tags'} of the stack: {', '.join(keys)}."


def _protection(stack: "Stack", alias: str | None) -> Iterator[str]:
    if stack.is_protected:
        name = alias or stack.name
        yield (
            f"Note: {stack.shown} has termination protection, which is the lock of its process: it refuses changes and "
            f"its end until 'tenuto property {name} lock --set off'."
        )


def _missing(part: Part, compiled: "Compiled") -> Iterator[str]:
    """A file that nothing refers to is not needed."""
    from tenuto.compositions.documents.document import canonical_json, to_document

    assets = part.stack.assets if part.stack else {}
    if not assets:
        return
    text = canonical_json(to_document(compiled.composition))
    needed = [(name, path) for name, path in assets.items() if name in text]
    for path in dict.fromkeys(path for _, path in needed):
        count = sum(one == path for _, one in needed)
        what = "1 asset" if count == 1 else f"{count} assets"
        shown = part.stack.shown if part.stack else ""
        yield f"Note: {what} of {shown} must be in a bucket before: npx cdk-assets publish --path {path}"
