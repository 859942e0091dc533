import {
  limitIn,
  optional,
  readHeaded,
  readToolBound,
  schemaFence,
  skillNames,
  valuesOf,
  type Bundle,
  type GivenText,
  type Issue,
  type Parsed,
  type Values,
} from '../../core/index.ts';

const values = {
  summary: [],
  prompt: [],
  model: ['LLM Model', 'LLM-Model'],
  tier: ['LLM Mode', 'LLM-Mode', 'Mode'],
  'allowed-skills': ['Skill-Allowlist', 'Skill-Allow-List', 'Skills'],
  'allowed-tools': [],
  timeout: [],
  memory: [],
  help: [],
};
/**
 * The recognised sections and their aliases. `argument` can only be a section, because `input` in the
 * frontmatter is the schema.
 */
export const sections = { description: [], argument: ['Input', 'Parameters'], ...values };

/**
 * Parses a `dcgskill.md` file. A fenced JSON Schema in the argument section defines the input type. Without a
 * list of allowed skills, the code may not call any skills.
 */
export function parse(bundle: Bundle): Parsed<DynamicCodeDefinition> {
  const headed = readHeaded(bundle, sections, ['description', 'summary', 'prompt']);
  const { name, issues } = headed;
  const read = valuesOf(bundle, headed, values);
  const { given, text, entries } = read;
  const section = headed.sections.get('argument');
  const argument = section === undefined ? undefined : { text: section.text, line: section.textLine };
  const input = headed.card.input ?? schemaFence(argument, 'Argument', issues);
  const allowed = skillNames(entries('allowed-skills'), issues) ?? new Map<string, number>();
  const card = {
    ...headed.card,
    ...optional('input', input),
    allowedSkills: [...allowed.keys()],
    ...optional('allowedSkillLines', allowed.size === 0 ? undefined : [...allowed.values()]),
    ...optional('toolBound', readToolBound(headed, bundle, 'allowed-tools')),
  };
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

/** Returns the model named by the first word of a section. */
function modelIn(given: GivenText | undefined, issues: Issue[]): string | undefined {
  const [first = '', ...rest] =
    given?.text
      .replace(/^\s*[-*+]\s+/, '')
      .trim()
      .split(/\s+/) ?? [];
  const model = first.replace(/^(`|\*\*|")(.*)\1$/, '$2');
  if (given === undefined || model === '') return undefined;
  if (rest.length > 0) {
    issues.push({
      level: 'warning',
      code: 'model.prose',
      message: `Only "${model}" is used as the model; the text after it is ignored.`,
      line: given.line,
      hint: 'Move the explanation to another section.',
    });
  }
  return model;
}

/** Returns the tier for a section's text: `code` if the text contains "deep" or "code"; otherwise, `fast`. */
function tierIn(given: GivenText | undefined, issues: Issue[]): 'code' | 'fast' | undefined {
  if (given === undefined) return undefined;
  if (/deep|code/i.test(given.text)) return 'code';
  if (!/fast/i.test(given.text)) {
    issues.push({
      level: 'warning',
      code: 'tier.unknown',
      message: 'The tier is neither "code" nor "fast"; "fast" is used.',
      line: given.line,
      hint: 'Set the tier to "code" or "fast", or name a model in a "Model" section.',
    });
  }
  return 'fast';
}

const timeout = { key: 'timeout', unit: 'seconds', least: 1, most: 300 };
const memory = { key: 'memory', unit: 'MiB', least: 8, most: 512 };

/** Reads the limits that a descriptor sets for snippets. */
function limitsIn(
  { given }: Values<'timeout' | 'memory'>,
  issues: Issue[],
): Pick<DynamicCodeDefinition, 'timeout' | 'memory'> {
  return {
    ...optional('timeout', limitIn(given('timeout'), timeout, issues)),
    ...optional('memory', limitIn(given('memory'), memory, issues)),
  };
}

const usualTimeout = 10; // The default timeout, in seconds.
const usualMemory = 64; // The default memory limit, in MiB.

/** Returns the limits for a skill's snippets, in milliseconds and bytes, with defaults applied. */
export function snippetLimits(definition: DynamicCodeDefinition): {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
} {
  return {
    timeoutMs: (definition.timeout ?? usualTimeout) * 1000,
    memoryBytes: (definition.memory ?? usualMemory) * 2 ** 20,
  };
}

/** The contents of a `dcgskill.md` file, apart from its card. */
export interface DynamicCodeDefinition {
  /** Instructions for the model. If absent, the description is used instead. */
  readonly prompt?: string;
  /** A prose description of the input. */
  readonly argument?: string;
  /** The name of a model. Takes precedence over the tier. */
  readonly model?: string;
  readonly tier?: 'code' | 'fast';
  /** The time limit for a snippet, in seconds. */
  readonly timeout?: number;
  /** The memory limit for a snippet, in MiB. */
  readonly memory?: number;
  readonly help?: string;
}
