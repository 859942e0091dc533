import {
  limitIn,
  normaliseName,
  optional,
  readHeaded,
  schemaFence,
  valuesOf,
  type Bundle,
  type CodeCall,
  type ErrorData,
  type Headed,
  type Issue,
  type JsonObject,
  type Parsed,
  type Values,
} from '../../core/index.ts';

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

const timeout = { key: 'timeout', unit: 'seconds', least: 1, most: 3600 };
const memory = { key: 'memory', unit: 'MiB', least: 64, most: 8192 };

/** The limits of calls that a descriptor sets. */
function limitsIn(
  { given }: Values<'timeout' | 'memory'>,
  issues: Issue[],
): Pick<CodeSkillDefinition, 'timeout' | 'memory'> {
  return {
    ...optional('timeout', limitIn(given('timeout'), timeout, issues)),
    ...optional('memory', limitIn(given('memory'), memory, issues)),
  };
}

const usualTimeout = 60; // seconds
const usualMemory = 512; // MiB

/** The limits of one call, as they are counted. */
export function codeLimits(definition: CodeSkillDefinition): Pick<CodeCall, 'timeoutMs' | 'memoryBytes'> {
  return {
    timeoutMs: (definition.timeout ?? usualTimeout) * 1000,
    memoryBytes: (definition.memory ?? usualMemory) * 2 ** 20,
  };
}

/** What a cskill.md says; the code lies beside it in the bundle. */
export interface CodeSkillDefinition {
  /** As it is called, for messages that name commands. */
  readonly name: string;
  /** The whole text, of which the card has the beginning. */
  readonly description: string;
  /** JSON Schema; absent where any input is taken. */
  readonly input?: JsonObject;
  /** JSON Schema; absent where any result is taken. */
  readonly output?: JsonObject;
  readonly inputFormat?: string;
  readonly outputFormat?: string;
  readonly constraints?: string;
  readonly examples?: string;
  readonly help?: string;
  /** Seconds that a call may work. */
  readonly timeout?: number;
  /** MiB of memory that a call may use. */
  readonly memory?: number;
}

/** A code skill whose code was made as far as that went. */
export interface PreparedCodeSkill extends CodeSkillDefinition {
  /** Why its code is not what its specs say. */
  readonly failure?: ErrorData;
  /** Files that were changed by hand since they were made. */
  readonly drifted?: readonly string[];
}
