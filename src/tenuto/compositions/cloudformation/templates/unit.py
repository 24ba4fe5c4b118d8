"""The compilation of one template of a composition: the outermost one, or one that another one nests.

Four passes over one tree: the reader gives it places, the sections give it names, evaluation folds the values that can
be decided, the schema check gives the properties their types. No pass stops the next one unless there is nothing left
to look at.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from tenuto.compositions.cloudformation.dialects.cdk_functions import understood
from tenuto.compositions.cloudformation.dialects.hosted_rotation import with_rotations
from tenuto.compositions.cloudformation.dialects.includes import Includes, has_includes
from tenuto.compositions.cloudformation.dialects.serverless import Serverless, installed_translator, without_globals
from tenuto.compositions.cloudformation.functions.conditions import Conditions
from tenuto.compositions.cloudformation.functions.dynamic_references import DynamicReferences
from tenuto.compositions.cloudformation.functions.evaluator import Evaluator
from tenuto.compositions.cloudformation.functions.loops import Loops
from tenuto.compositions.cloudformation.functions.mappings import compile_mappings
from tenuto.compositions.cloudformation.functions.scope import Scope, region_values
from tenuto.compositions.cloudformation.reading.building import most_nodes
from tenuto.compositions.cloudformation.sections.outputs import compile_outputs
from tenuto.compositions.cloudformation.sections.parameters import Given, Parameters, compile_parameters
from tenuto.compositions.cloudformation.sections.resources import (
    Resources,
    Source,
    check_any_left,
    left_out,
    with_conditions,
)
from tenuto.compositions.cloudformation.sections.rule_conditions import RuleConditions
from tenuto.compositions.cloudformation.sections.template import (
    Template,
    check_types,
    known_sections,
    open_template,
    parameter_section,
    resource_sources,
)
from tenuto.compositions.cloudformation.sections.transforms import Transforms, could_bring, open_transforms
from tenuto.compositions.cloudformation.sections.unsubstituted import check_unsubstituted
from tenuto.compositions.cloudformation.templates.bootstrap_rule import needed_parameters
from tenuto.compositions.cloudformation.templates.nested import Compile, NestedTemplates, exported
from tenuto.compositions.cloudformation.templates.nested_tags import tagged
from tenuto.compositions.cloudformation.templates.placement import Placement, Setting, Unit
from tenuto.compositions.cloudformation.templates.rules_section import RulesSection
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Fields, Node, Scalar, walk
from tenuto.compositions.diagnostics.problems import Problems, listed
from tenuto.core.language.resolve import Environment, open_expressions
from tenuto.model.composition import Assertion
from tenuto.model.ids import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiler:
    """Compiles one template. `compile_file` compiles those that it nests."""

    setting: Setting
    placement: Placement
    problems: Problems
    compile_file: Compile

    def compile(self, root: Fields, text: str, given: Mapping[str, Given]) -> Unit | None:
        """The template as a part of the composition; None, with a problem reported, when nothing can be told of it."""
        problems = self.problems
        if has_includes(root):
            root = self._included(root, given)
        transforms = open_transforms(root, problems)
        is_serverless = transforms.serverless is not None
        if not is_serverless:
            problems.excuse(transforms.could_change)
        root = known_sections(root, problems, is_serverless=is_serverless)
        values = self._parameters(root, given, problems)
        expanded = self._expanded(root, transforms, values, most_nodes(text))
        if expanded is not None and is_serverless:
            expanded = self._serverless(expanded, transforms, values)
        if expanded is not None:
            expanded = with_rotations(expanded, self.setting.region, problems)
        native = understood(expanded) if expanded is not None else None
        template = open_template(native.root, problems) if native is not None else None
        if native is None or template is None or template.resources is None:
            return None
        sources = resource_sources(template, self.setting.schemas, problems)
        problems.excuse(partial(could_bring, {name: source.type for name, source in sources.items()}))
        nested = NestedTemplates(sources, self.placement, self.compile_file, problems)
        scope = self._scope(template, transforms, values, sources, nested)
        conditions = self._conditions(template, scope)
        if transforms.has_language_extensions:
            sources = with_conditions(sources, Evaluator(scope, scope.deciding, problems).evaluate, problems)
        absent = left_out(sources.values(), conditions, problems)
        check_types(sources, absent, self.setting.schemas, self.setting.region, self.setting.managed, problems)
        if not self.placement.names:
            check_any_left(sources, absent, problems)
        check_unsubstituted(sources.values(), absent, template.outputs, scope, problems)
        return self._fold(template, scope, sources, values, conditions, absent, nested, native.more)

    def _parameters(self, root: Fields, given: Mapping[str, Given], problems: Problems) -> Parameters:
        section = parameter_section(root, problems)
        looked_up = self.setting.looked_up
        return compile_parameters(section, given, problems, prefix=self.placement.prefix, looked_up=looked_up)

    def _included(self, root: Fields, given: Mapping[str, Given]) -> Fields:
        """The template with the files that it includes. Its parameters are judged later, when all are there."""
        silent = Problems(self.problems.file, "")
        values = self._parameters(root, given, silent)
        known = self._environment(values.known, self.setting.account_id)
        scope = Scope(region=self.setting.region, folding=known, deciding=known, parameters=values.names)
        evaluate = Evaluator(scope, known, self.problems).evaluate
        return Includes(self.placement.file, evaluate, self.problems).expand(root)

    def _expanded(self, root: Fields, transforms: Transforms, values: Parameters, most: int) -> Fields | None:
        """The template without loops. Their lists are written into the composition, so they hold no secrets."""
        declared, mappings = root.get("Resources"), root.get("Mappings")
        known = self._environment(values.known, self.setting.account_id)
        scope = Scope(
            region=self.setting.region,
            folding=known,
            deciding=known,
            parameters=values.names,
            resources=dict.fromkeys(declared.names if isinstance(declared, Fields) else ()),
            mappings=compile_mappings(mappings, self.problems) if isinstance(mappings, Fields) else {},
            has_language_extensions=transforms.has_language_extensions,
        )
        evaluate = Evaluator(scope, known, self.problems).evaluate
        return Loops(
            evaluate,
            self.problems,
            secrets=values.secrets.keys(),
            is_allowed=transforms.has_language_extensions,
            most_nodes=most,
        ).expand(root)

    def _serverless(self, root: Fields, transforms: Transforms, values: Parameters) -> Fields:
        """The template as the translator of SAM writes it; as it stands, when that cannot be had: its problems are told
        all the same, as far as the translator could not change it."""
        serverless = Serverless(
            installed_translator(),
            file=self.placement.file,
            region=self.setting.region,
            parameters=values.folded,
            problems=self.problems,
        )
        translated = serverless.translated(root)
        if translated is None:
            self.problems.excuse(transforms.could_change)
        return translated or without_globals(root)

    def _environment(self, parameters: Mapping[str, Json], account_id: str | None) -> Environment:
        account = {"AWS::AccountId": account_id} if account_id else {}
        region = self.setting.region
        pseudo = self.placement.pseudo_parameters()
        return Environment(references={**region_values(region), **pseudo, **account, **parameters}, region=region)

    def _scope(
        self,
        template: Template,
        transforms: Transforms,
        values: Parameters,
        sources: Mapping[str, Source],
        nested: NestedTemplates,
    ) -> Scope:
        return Scope(
            region=self.setting.region,
            folding=self._environment(values.folded, None),
            deciding=self._environment(values.decided, self.setting.account_id),
            parameters=values.names,
            resources={name: source.schema for name, source in sources.items()},
            mappings=compile_mappings(template.mappings, self.problems),
            inert=frozenset(name for name, source in sources.items() if source.is_inert),
            has_language_extensions=transforms.has_language_extensions,
            nested=nested,
            prefix=self.placement.prefix,
        )

    def _conditions(self, template: Template, scope: Scope) -> Conditions:
        section = template.conditions
        decided = Evaluator(scope, scope.deciding, self.problems)
        named = {entry.name: entry.value for entry in section.entries} if section else {}
        conditions = Conditions(named, decided.evaluate, self.problems)
        conditions.check()
        return conditions

    def _assertions(
        self, template: Template, scope: Scope, values: Parameters, conditions: Conditions
    ) -> tuple[Assertion, ...]:
        deciding, folding = (
            RuleConditions(
                Evaluator(scope, environment, self.problems, conditions=conditions).evaluate,
                conditions,
                frozenset(values.names),
                frozenset(values.open),
                self.problems,
            )
            for environment in (scope.deciding, scope.folding)
        )
        rules = self._decidable(template.rules, values)
        return RulesSection(deciding, folding, frozenset(values.secrets), self.problems).compile(rules)

    def _decidable(self, rules: Fields | None, values: Parameters) -> Fields | None:
        """The rules without those about a value that another template passes and only the running process knows."""
        passed = {
            name
            for name, value in values.folded.items()
            if any(one.name not in values.open for one in open_expressions(value))
        }
        if rules is None or not passed:
            return rules
        kept = []
        for entry in rules.entries:
            about = [one.text for one in _references(entry.value) if one.text in passed]
            if about:
                why = f"{listed(about)} is passed a value that is known only when the process runs"
                self.problems.add(codes.RULES_IGNORED, entry.key, f"Rule {entry.name} is not checked: {why}.")
            else:
                kept.append(entry)
        return replace(rules, entries=tuple(kept))

    def _fold(
        self,
        template: Template,
        scope: Scope,
        sources: Mapping[str, Source],
        values: Parameters,
        conditions: Conditions,
        absent: frozenset[str],
        nested: NestedTemplates,
        more: Mapping[str, Mapping[str, Json]],
    ) -> Unit:
        evaluator = Evaluator(scope, scope.folding, self.problems, conditions=conditions, left_out=absent)
        deciding = Evaluator(scope, scope.deciding, self.problems, conditions=conditions, left_out=absent)
        nested.bind(evaluator, deciding)
        dynamic = DynamicReferences(self.problems)
        resources = Resources(
            *(sources, absent, evaluator, deciding, dynamic, self.problems),
            scoped=scope.scoped,
            nested=nested,
            more=more,
        )
        declarations = resources.compile()
        outputs = compile_outputs(template.outputs, conditions, evaluator, self.problems)
        unit = Unit(
            description=template.description,
            declarations=declarations,
            outputs=outputs,
            values=values.values,
            secrets=values.secrets,
            open={**values.open, **dynamic.parameters},
            assertions=(*values.assertions, *self._assertions(template, scope, values, conditions)),
            sources={scope.scoped(name): source for name, source in sources.items()},
            properties=resources.properties,
        )
        for source, found in nested.units(absent):
            tags = nested.tags(source)
            members = [tagged(one, found.sources[one.logical_id].schema, tags) for one in found.declarations]
            inner = replace(found, declarations=tuple(members))
            unit = _with(unit, scope.scoped(source.name), source, inner, resources)
        return replace(unit, open=needed_parameters(unit, template.rules))


def _references(node: Node) -> Iterator[Scalar]:
    """The names that something in it refers to."""
    for found in walk(node):
        name = found.get("Ref") if isinstance(found, Fields) else None
        if isinstance(name, Scalar):
            yield name


def _with(unit: Unit, name: str, source: Source, inner: Unit, resources: Resources) -> Unit:
    """The unit with everything of a nested one."""
    return replace(
        unit,
        declarations=(*unit.declarations, *resources.within(source, inner.declarations)),
        exports=(*unit.exports, *exported(source, inner)),
        secrets={**unit.secrets, **inner.secrets},
        open={**unit.open, **inner.open},
        assertions=(*unit.assertions, *inner.assertions),
        sources={**unit.sources, **inner.sources},
        properties={**unit.properties, **inner.properties},
        members={**unit.members, **inner.members, name: tuple(one.logical_id for one in inner.declarations)},
    )
