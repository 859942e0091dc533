import type { Bundle } from '../../core/descriptor/bundle.ts';
import { optional } from '../../core/collections.ts';
import type { Parsed } from '../../core/family.ts';
import { readHeaded } from '../../core/descriptor/read-descriptor.ts';
import { valuesOf } from '../../core/descriptor/values.ts';
import { schemaFence } from '../../core/json/schema.ts';
import { skillNames } from '../../core/names.ts';
import type { DynamicCodeDefinition } from './definition.ts';
import { modelIn, tierIn } from './model-choice.ts';
import { limitsIn } from './snippet-limits.ts';

const values = {
  summary: [],
  prompt: [],
  model: ['LLM Model', 'LLM-Model'],
  tier: ['LLM Mode', 'LLM-Mode', 'Mode'],
  'allowed-skills': ['Skill-Allowlist', 'Skill-Allow-List', 'Skills'],
  timeout: [],
  memory: [],
  help: [],
};
/** The sections that it reads, each with its other spellings. In the frontmatter, `input` is the schema itself, so the argument is only read as a section. */
export const sections = { description: [], argument: ['Input', 'Parameters'], ...values };

/** Reads a dcgskill.md; a JSON Schema fence in the argument section makes the input typed, and without a list nothing may be called. */
export function parse(bundle: Bundle): Parsed<DynamicCodeDefinition> {
  const headed = readHeaded(bundle, sections, ['description', 'summary', 'prompt']);
  const { name, issues } = headed;
  const read = valuesOf(bundle, headed, values);
  const { given, text, list, lineOf } = read;
  const section = headed.sections.get('argument');
  const argument = section === undefined ? undefined : { text: section.text, line: section.textLine };
  const input = headed.card.input ?? schemaFence(argument, 'Argument', issues);
  const allowedSkills = skillNames(list('allowed-skills'), lineOf('allowed-skills'), issues) ?? [];
  const card = { ...headed.card, ...optional('input', input), allowedSkills };
  if (!headed.usable) return { name, card, definition: undefined, issues };
  const definition = {
    ...optional('prompt', text('prompt')),
    ...optional('argument', argument?.text),
    ...optional('model', modelIn(given('model'), issues)),
    ...optional('tier', tierIn(given('tier'), issues)),
    ...limitsIn(read, issues),
    ...optional('help', text('help')),
  };
  return { name, card, definition, issues };
}
