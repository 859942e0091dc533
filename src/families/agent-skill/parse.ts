import type { Bundle } from '../../core/descriptor/bundle.ts';
import { fitDescription, readCard } from '../../core/descriptor/card.ts';
import { optional } from '../../core/collections.ts';
import { describeFromBody } from '../../core/descriptor/read-descriptor.ts';
import { isSkillName } from '../../core/define-skill.ts';
import type { Parsed } from '../../core/family.ts';
import { blankList, fieldsOf, type Fields } from '../../core/descriptor/fields.ts';
import type { Frontmatter } from '../../core/descriptor/frontmatter.ts';
import type { Issue } from '../../core/issue.ts';
import { normaliseName } from '../../core/names.ts';
import type { SkillCard } from '../../core/skill.ts';
import type { AgentSkillDefinition, Shell } from './definition.ts';
import { readEffort } from './effort.ts';
import { readForks } from './forks.ts';
import { readHooks } from './hooks.ts';
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
  const card: SkillCard = {
    ...readCard(fields, description, bundle, issues),
    ...optional('allowedTools', toolRules('allowed-tools', fields, bundle, issues)),
    ...optional('disallowedTools', toolRules('disallowed-tools', fields, bundle, issues)),
    ...(fields.flag('enforce-tools') === true ? { enforceTools: true } : {}),
    ...optional('forks', readForks(fields, bundle.head, issues)),
  };
  issues.push(...blankList(bundle.head, 'allowed-tools'));
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
  return { name, card: listed, definition: definitionOf(name, card, bundle, fields, issues), issues };
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
  name: string,
  { input, argumentNames }: SkillCard,
  bundle: Bundle,
  fields: Fields,
  issues: Issue[],
): AgentSkillDefinition {
  const { head } = bundle;
  const hooks = readHooks(fields, head.lineOf('hooks'), issues);
  return {
    name: normaliseName(name) || bundle.stem,
    body: () => bundle.body,
    bodyLine: head.bodyLine,
    hasFolder: !bundle.loose && bundle.dir !== '',
    ...optional('argumentNames', argumentNames),
    ...optional('input', input === undefined ? undefined : () => input),
    ...optional('model', fields.text('model')?.trim()),
    ...optional('effort', readEffort(fields, head, issues)),
    ...optional('agent', fields.text('agent')?.trim()),
    ...optional('shell', fields.word<Shell>('shell', ['bash', 'sh', 'powershell'])),
    ...optional('maxTicks', ticksIn(fields, head, issues)),
    ...optional('hooks', hooks.length === 0 ? undefined : hooks),
    ...optional('allowDash', fields.flag('allow-dash')),
  };
}

/** Model steps at most; none at all would be no skill. */
function ticksIn(fields: Fields, head: Frontmatter, issues: Issue[]): number | undefined {
  const ticks = fields.wholeNumber('maxticks') ?? fields.wholeNumber('max-ticks');
  if (ticks !== 0) return ticks;
  issues.push({
    level: 'warning',
    code: 'field.type',
    message: '"maxTicks" should be a whole number above zero; it was left out.',
    ...optional('line', head.lineOf('maxticks') ?? head.lineOf('max-ticks')),
  });
  return undefined;
}
