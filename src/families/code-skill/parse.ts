import {
  limitIn,
  normaliseName,
  optional,
  readHeaded,
  readToolBound,
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
  'allowed-tools': [],
  summary: [],
  help: [],
};
/** The recognised sections and their aliases. All except the description can also be frontmatter fields. */
export const sections = { description: [], ...values };

/** Parses a `cskill.md` file. The input and output types come from fenced JSON Schemas in their sections. */
export function parse(bundle: Bundle): Parsed<CodeSkillDefinition> {
  const headed = readHeaded(bundle, sections, ['description', 'summary']);
  const { name, issues } = headed;
  const read = valuesOf(bundle, headed, values);
  const { given, text, lineOf } = read;
  const inputFormat = given('input-format');
  const input = headed.card.input ?? schemaFence(inputFormat, 'Input Format', issues);
  const output = headed.card.output ?? schemaFence(given('output-format'), 'Output Format', issues);
  const card = {
    ...headed.card,
    ...optional('input', input),
    ...optional('output', output),
    ...optional('toolBound', readToolBound(headed, bundle, 'allowed-tools')),
  };
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

/**
 * Returns the full text of the description section, or the card's description if the frontmatter declares one
 * or the section is empty.
 */
function descriptionIn({ fields, sections: read, card }: Headed<'description'>): string {
  const isDeclared = (fields.text('description')?.trim() ?? '') !== '';
  const section = isDeclared ? '' : (read.get('description')?.text.trim() ?? '');
  return section === '' ? card.description : section;
}

function inputMissing(fault: 'missing' | 'empty', line: number): Issue {
  return {
    level: 'warning',
    code: `section.${fault}`,
    message: `The section "Input Format" is ${fault}; the skill cannot run without it.`,
    line,
    hint: 'Describe the input, preferably as a JSON Schema in a json fence.',
  };
}

const timeout = { key: 'timeout', unit: 'seconds', least: 1, most: 3600 };
const memory = { key: 'memory', unit: 'MiB', least: 64, most: 8192 };

/** Reads the limits that a descriptor sets for calls. */
function limitsIn(
  { given }: Values<'timeout' | 'memory'>,
  issues: Issue[],
): Pick<CodeSkillDefinition, 'timeout' | 'memory'> {
  return {
    ...optional('timeout', limitIn(given('timeout'), timeout, issues)),
    ...optional('memory', limitIn(given('memory'), memory, issues)),
  };
}

const usualTimeout = 60; // The default timeout, in seconds.
const usualMemory = 512; // The default memory limit, in MiB.

/** Returns the limits for a call, in milliseconds and bytes, with defaults applied. */
export function codeLimits(definition: CodeSkillDefinition): Pick<CodeCall, 'timeoutMs' | 'memoryBytes'> {
  return {
    timeoutMs: (definition.timeout ?? usualTimeout) * 1000,
    memoryBytes: (definition.memory ?? usualMemory) * 2 ** 20,
  };
}

/** The contents of a `cskill.md` file. The code is in the same bundle. */
export interface CodeSkillDefinition {
  /** The normalised name, used for commands in messages. */
  readonly name: string;
  /** The full description. The card contains only its beginning. */
  readonly description: string;
  /** The input's JSON Schema. Absent if any input is accepted. */
  readonly input?: JsonObject;
  /** The result's JSON Schema. Absent if any result is accepted. */
  readonly output?: JsonObject;
  readonly inputFormat?: string;
  readonly outputFormat?: string;
  readonly constraints?: string;
  readonly examples?: string;
  readonly help?: string;
  /** The time limit for a call, in seconds. */
  readonly timeout?: number;
  /** The memory limit for a call, in MiB. */
  readonly memory?: number;
}

/** A code skill after its code has been generated, if necessary. */
export interface PreparedCodeSkill extends CodeSkillDefinition {
  /** The error that prevented code from being generated from the current specs. */
  readonly failure?: ErrorData;
  /** The generated files that were edited by hand. */
  readonly drifted?: readonly string[];
}
