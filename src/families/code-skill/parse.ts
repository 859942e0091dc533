import type { Bundle } from '../../core/descriptor/bundle.ts';
import { optional } from '../../core/collections.ts';
import type { Parsed } from '../../core/family.ts';
import { readHeaded, type Headed } from '../../core/descriptor/read-descriptor.ts';
import { valuesOf } from '../../core/descriptor/values.ts';
import type { Issue } from '../../core/issue.ts';
import { schemaFence } from '../../core/json/schema.ts';
import { normaliseName } from '../../core/names.ts';
import { limitsIn } from './code-limits.ts';
import type { CodeSkillDefinition } from './definition.ts';

const values = {
  'input-format': [],
  'output-format': [],
  constraints: [],
  examples: [],
  timeout: [],
  memory: [],
  summary: [],
  help: [],
};
/** The sections that it reads, each with its other spellings; all but the description may stand in the frontmatter. */
export const sections = { description: [], ...values };

/** Reads a cskill.md; a JSON Schema fence in a format section makes that side typed. */
export function parse(bundle: Bundle): Parsed<CodeSkillDefinition> {
  const headed = readHeaded(bundle, sections, ['description', 'summary']);
  const { name, issues } = headed;
  const read = valuesOf(bundle, headed, values);
  const { given, text, lineOf } = read;
  const inputFormat = given('input-format');
  const input = headed.card.input ?? schemaFence(inputFormat, 'Input Format', issues);
  const output = headed.card.output ?? schemaFence(given('output-format'), 'Output Format', issues);
  const card = { ...headed.card, ...optional('input', input), ...optional('output', output) };
  const limits = limitsIn(read, issues);
  if (!headed.usable) return { name, card, definition: undefined, issues };
  if (input === undefined && (inputFormat?.text ?? '') === '') {
    issues.push(inputMissing(inputFormat === undefined ? 'missing' : 'empty', lineOf('input-format')));
  }
  const definition = {
    name: normaliseName(name === '' ? bundle.stem : name),
    description: descriptionIn(headed),
    ...optional('input', input),
    ...optional('output', output),
    ...optional('inputFormat', inputFormat?.text),
    ...optional('outputFormat', text('output-format')),
    ...optional('constraints', text('constraints')),
    ...optional('examples', text('examples')),
    ...optional('help', text('help')),
    ...limits,
  };
  return { name, card, definition, issues };
}

/** The section as a whole, unless something else describes the skill. */
function descriptionIn({ fields, sections: read, card }: Headed<'description'>): string {
  const isDeclared = (fields.text('description')?.trim() ?? '') !== '';
  const section = isDeclared ? '' : (read.get('description')?.text.trim() ?? '');
  return section === '' ? card.description : section;
}

function inputMissing(fault: 'missing' | 'empty', line: number): Issue {
  return {
    level: 'warning',
    code: `section.${fault}`,
    message: `The section "Input Format" is ${fault}; the skill cannot be executed without it.`,
    line,
    hint: 'Say what the code takes, best as a JSON Schema in a json fence.',
  };
}
