import {
  limitIn,
  optional,
  readHeaded,
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

/** The model a section names: its first word; a name with prose behind it would reach no provider. */
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
      message: `Only "${model}" is read as the model; the text behind it is not.`,
      line: given.line,
      hint: 'Move the explanation to another section.',
    });
  }
  return model;
}

/** The tier a section asks for: `deep` or `code` anywhere in it mean code, everything else means fast. */
function tierIn(given: GivenText | undefined, issues: Issue[]): 'code' | 'fast' | undefined {
  if (given === undefined) return undefined;
  if (/deep|code/i.test(given.text)) return 'code';
  if (!/fast/i.test(given.text)) {
    issues.push({
      level: 'warning',
      code: 'tier.unknown',
      message: 'The tier is neither "code" nor "fast"; fast is used.',
      line: given.line,
      hint: 'Write code or fast, or name a model in a "Model" section.',
    });
  }
  return 'fast';
}

const timeout = { key: 'timeout', unit: 'seconds', least: 1, most: 300 };
const memory = { key: 'memory', unit: 'MiB', least: 8, most: 512 };

/** The limits of snippets that a descriptor sets. */
function limitsIn(
  { given }: Values<'timeout' | 'memory'>,
  issues: Issue[],
): Pick<DynamicCodeDefinition, 'timeout' | 'memory'> {
  return {
    ...optional('timeout', limitIn(given('timeout'), timeout, issues)),
    ...optional('memory', limitIn(given('memory'), memory, issues)),
  };
}

const usualTimeout = 10; // seconds
const usualMemory = 64; // MiB

/** The limits of the snippets of a skill, as they are counted. */
export function snippetLimits(definition: DynamicCodeDefinition): {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
} {
  return {
    timeoutMs: (definition.timeout ?? usualTimeout) * 1000,
    memoryBytes: (definition.memory ?? usualMemory) * 2 ** 20,
  };
}

/** What a dcgskill.md says beyond its card. */
export interface DynamicCodeDefinition {
  /** Guidance for the model; absent when the description has to do. */
  readonly prompt?: string;
  /** What the input means, as prose. */
  readonly argument?: string;
  /** A model by name; it goes before the tier. */
  readonly model?: string;
  readonly tier?: 'code' | 'fast';
  /** Seconds that a snippet may take. */
  readonly timeout?: number;
  /** MiB of memory that a snippet may use. */
  readonly memory?: number;
  readonly help?: string;
}
