import type { Bundle } from '../../core/bundle.ts';
import { optional } from '../../core/card.ts';
import type { Parsed } from '../../core/family.ts';
import { readHeaded } from '../../core/headed.ts';
import { valuesOf } from '../../core/headed-values.ts';
import type { Issue } from '../../core/issue.ts';
import { schemaFence } from '../../core/json-schema.ts';
import type { CodeSkillDefinition } from './definition.ts';

const values = {
  'input-format': [],
  'output-format': [],
  constraints: [],
  examples: [],
  summary: [],
  help: [],
};
const sections = { description: [], ...values };

/** Reads a cskill.md; a JSON Schema fence in a format section makes that side typed. */
export function parse(bundle: Bundle): Parsed<CodeSkillDefinition> {
  const headed = readHeaded(bundle, sections, ['description', 'summary']);
  const { name, issues } = headed;
  const { given, text, lineOf } = valuesOf(bundle, headed, values);
  const inputFormat = given('input-format');
  const input = headed.card.input ?? schemaFence(inputFormat, 'Input Format', issues);
  const output = headed.card.output ?? schemaFence(given('output-format'), 'Output Format', issues);
  const card = { ...headed.card, ...optional('input', input), ...optional('output', output) };
  if (!headed.usable) return { name, card, definition: undefined, issues };
  if (input === undefined && (inputFormat?.text ?? '') === '') {
    issues.push(inputMissing(inputFormat === undefined ? 'missing' : 'empty', lineOf('input-format')));
  }
  const definition = {
    ...optional('inputFormat', inputFormat?.text),
    ...optional('outputFormat', text('output-format')),
    ...optional('constraints', text('constraints')),
    ...optional('examples', text('examples')),
    ...optional('help', text('help')),
  };
  return { name, card, definition, issues };
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
