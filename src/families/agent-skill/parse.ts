import type { Bundle } from '../../core/bundle.ts';
import { fitDescription, optional, readCard } from '../../core/card.ts';
import { describeFromBody } from '../../core/describe.ts';
import { isSkillName } from '../../core/define-skill.ts';
import type { Parsed } from '../../core/family.ts';
import { blankList, fieldsOf, type Fields } from '../../core/fields.ts';
import type { Issue } from '../../core/issue.ts';
import { normaliseName } from '../../core/names.ts';
import type { AgentSkillDefinition } from './definition.ts';
import { toolRules } from './tool-rules.ts';

/** Reads a SKILL.md; the body is only decoded when the head has no description. */
export function parse(bundle: Bundle): Parsed<AgentSkillDefinition> {
  const issues: Issue[] = [...bundle.issues, ...bundle.head.issues];
  const fields = fieldsOf(bundle.head, issues);
  const name = fields.text('name')?.trim() ?? '';
  const declared = fields.text('description')?.trim() ?? '';
  const description =
    declared === ''
      ? describeFromBody(bundle, issues)
      : fitDescription(declared, issues, bundle.head.lineOf('description'));
  const allowedTools = toolRules('allowed-tools', fields, bundle.head, issues);
  issues.push(...blankList(bundle.head, 'allowed-tools'));
  const card = {
    ...readCard(fields, description, bundle, issues),
    ...optional('allowedTools', allowedTools),
  };
  if (bundle.head.refused) return { name, card, definition: undefined, issues };
  if (description === '') {
    issues.push({
      level: 'error',
      code: 'descriptor.empty',
      message: 'The file has no text to name or describe a skill with.',
      line: 1,
      hint: 'Add frontmatter with a name and a description.',
    });
    return { name, card, definition: undefined, issues };
  }
  checkName(name, bundle, issues);
  const listed = bundle.loose && declared === '' ? { ...card, listed: false as const } : card;
  return { name, card: listed, definition: definitionOf(bundle, fields, allowedTools, issues), issues };
}

/** A name that is missing or used in another form than written is worth a finding, never a reason to skip the skill. */
function checkName(name: string, bundle: Bundle, issues: Issue[]): void {
  if (isSkillName(name)) return;
  const line = bundle.head.lineOf('name');
  const used = normaliseName(name) || normaliseName(bundle.stem);
  const called = used === '' ? 'a name is made up' : `the skill is called "${used}"`;
  issues.push({
    level: 'warning',
    code: name === '' ? 'name.derived' : 'name.form',
    message:
      name === ''
        ? `No name is given by the ${bundle.loose ? 'file' : 'descriptor'}; ${called}.`
        : `The name "${name}" breaks the rules of the standard; ${called}.`,
    ...optional('line', line),
    hint: 'Use 1 to 64 lower-case letters, digits and single hyphens inside.',
  });
}

function definitionOf(
  bundle: Bundle,
  fields: Fields,
  allowedTools: readonly string[] | undefined,
  issues: Issue[],
): AgentSkillDefinition {
  return {
    body: () => bundle.body,
    ...optional('allowedTools', allowedTools),
    ...optional('disallowedTools', toolRules('disallowed-tools', fields, bundle.head, issues)),
    ...optional('enforceTools', fields.flag('enforce-tools')),
    ...optional('model', fields.text('model')),
    ...optional('effort', fields.text('effort')),
    ...optional('context', fields.word<'fork' | 'inline'>('context', ['fork', 'inline'])),
    ...optional('agent', fields.text('agent')),
    ...optional('background', fields.flag('background')),
    ...optional('shell', fields.text('shell')),
    ...optional('maxTicks', fields.wholeNumber('maxticks') ?? fields.wholeNumber('max-ticks')),
    ...optional('hooks', fields.map('hooks')),
    ...optional('allowDash', fields.flag('allow-dash')),
    ...optional('license', fields.text('license')),
    ...optional('compatibility', fields.text('compatibility')),
  };
}
