import {
  badInput,
  checkEmptyList,
  describeFromBody,
  fieldsOf,
  fillFolder,
  fitDescription,
  isKnownEffort,
  isSkillName,
  isToolRule,
  normaliseName,
  optional,
  readCard,
  schemaOf,
  type Bundle,
  type DefinedSkill,
  type Fields,
  type Frontmatter,
  type Issue,
  type Json,
  type JsonObject,
  type Parsed,
  type SkillCard,
} from '../../core/index.ts';
import { readHooks, type Hook } from './hooks.ts';

/** Parses a SKILL.md file. The body is decoded only if the frontmatter has no description. */
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
  issues.push(...checkEmptyList(bundle.head, 'allowed-tools'));
  if (bundle.head.refused) return { name, card, definition: undefined, issues };
  if (description === '') {
    issues.push({
      level: 'error',
      code: 'descriptor.empty',
      message: 'The file has no description and no text to derive one from.',
      line: 1,
      hint: 'Add frontmatter with a name and a description.',
    });
    return { name, card, definition: undefined, issues };
  }
  checkName(name, bundle, issues);
  const listed = bundle.loose && declared === '' ? { ...card, listed: false as const } : card;
  return { name, card: listed, definition: definitionOf(name, card, bundle, fields, issues), issues };
}

/** Reports a missing or invalid name as an issue. Such a skill is still loaded. */
function checkName(name: string, bundle: Bundle, issues: Issue[]): void {
  if (isSkillName(name)) return;
  const line = bundle.head.lineOf('name');
  const used = normaliseName(name) || normaliseName(bundle.stem);
  const called = used === '' ? 'a generated name is used' : `the skill is called "${used}"`;
  issues.push({
    level: 'warning',
    code: name === '' ? 'name.derived' : 'name.form',
    message:
      name === ''
        ? `The ${bundle.loose ? 'file' : 'descriptor'} has no name; ${called}.`
        : `The name "${name}" is not valid in the standard; ${called}.`,
    ...optional('line', line),
    hint: 'Use 1 to 64 lowercase letters and digits, with single hyphens between them.',
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
    ...optional('shell', fields.choice<Shell>('shell', ['bash', 'sh', 'powershell'])),
    ...optional('maxTicks', ticksIn(fields, head, issues)),
    ...optional('hooks', hooks.length === 0 ? undefined : hooks),
    ...optional('allowDash', fields.flag('allow-dash')),
  };
}

/** Returns the maximum number of model steps. Ignores a limit of 0, with which the skill could not run. */
function ticksIn(fields: Fields, head: Frontmatter, issues: Issue[]): number | undefined {
  const ticks = fields.wholeNumber('maxticks') ?? fields.wholeNumber('max-ticks');
  if (ticks !== 0) return ticks;
  issues.push({
    level: 'warning',
    code: 'field.type',
    message: '"maxTicks" must be a whole number greater than zero; it is ignored.',
    ...optional('line', head.lineOf('maxticks') ?? head.lineOf('max-ticks')),
  });
  return undefined;
}

/** Converts a skill defined in code to a definition, if the skill consists of instructions for a model. */
export function adopt(skill: DefinedSkill): AgentSkillDefinition | undefined {
  const { instructions, name } = skill;
  if (instructions === undefined) return undefined;
  return {
    name,
    body: () => instructions,
    bodyLine: 1,
    hasFolder: false,
    ...optional('argumentNames', skill.argumentNames),
    ...inputOf(skill),
    ...optional('maxTicks', skill.maxTicks),
  };
}

/**
 * Returns the input schema. A Zod schema also applies defaults and conversions. Its JSON Schema is built
 * once, on first use.
 */
function inputOf({ name, input: given }: DefinedSkill): Pick<AgentSkillDefinition, 'input' | 'fit'> {
  if (given === undefined) return {};
  let schema: JsonObject | undefined;
  return {
    input: () => (schema ??= schemaOf(given)),
    fit: (input: Json) => {
      const { success, data, error } = (typeof given === 'function' ? given() : given).safeParse(input);
      if (success) return data;
      throw badInput({ skill: name }, error.issues, input);
    },
  };
}

/** The contents of a SKILL.md file except its card. The body is rendered when it is used. */
export interface AgentSkillDefinition {
  /** The declared name, or the name of the skill's folder or file if none is declared. */
  readonly name: string;
  readonly body: () => string;
  /** The one-based line number in the file where the body starts. */
  readonly bodyLine: number;
  /** Whether the skill has its own folder. False for a single file and for a skill defined in code. */
  readonly hasFolder: boolean;
  readonly argumentNames?: readonly string[];
  /** Returns the JSON Schema of the input. */
  readonly input?: () => JsonObject | undefined;
  /** Checks the input against the schema of a skill defined in code. Throws `usage.bad-input`. */
  readonly fit?: (input: Json) => unknown;
  readonly model?: string;
  readonly effort?: string;
  readonly agent?: string;
  /** The shell for the skill's commands. Default: any available shell. */
  readonly shell?: Shell;
  readonly maxTicks?: number;
  readonly hooks?: readonly Hook[];
  /** Whether arguments that begin with a dash may be inserted into commands. */
  readonly allowDash?: boolean;
}

/** The shells that a file can select. `powershell` is never available. */
type Shell = 'bash' | 'sh' | 'powershell';

/** Reads the reasoning effort for the model. An unknown value is reported as an issue but still passed on. */
function readEffort(fields: Fields, head: Frontmatter, issues: Issue[]): string | undefined {
  const effort = fields.text('effort')?.trim().toLowerCase();
  if (effort === undefined || effort === '') return undefined;
  if (!isKnownEffort(effort)) {
    issues.push({
      level: 'warning',
      code: 'effort.unknown',
      message: `"${effort}" is not a known effort level.`,
      ...optional('line', head.lineOf('effort')),
      hint: 'Use low, medium, high, xhigh or max.',
    });
  }
  return effort;
}

/** Reads whether a skill runs in a separate conversation and whether the caller waits for it. */
function readForks(fields: Fields, head: Frontmatter, issues: Issue[]): SkillCard['forks'] {
  const context = fields.choice('context', ['fork', 'inline']);
  const inBackground = fields.flag('background') === true;
  if (context === 'fork') return inBackground ? 'background' : 'awaited';
  if (inBackground) {
    issues.push({
      level: 'warning',
      code: 'field.unused',
      message: '"background" has no effect without "context: fork".',
      ...optional('line', head.lineOf('background')),
      hint: 'Add "context: fork", or remove "background".',
    });
  }
  return undefined;
}

/**
 * Reads the tool rules in a field. An entry that cannot be parsed is an error and has no effect. A list that
 * cannot be read has no effect either. Variables for the skill's folder are replaced with its path.
 */
function toolRules(
  key: string,
  fields: Fields,
  bundle: Bundle,
  issues: Issue[],
): readonly string[] | undefined {
  if (!fields.has(key)) return undefined;
  const entries = fields.list(key) ?? [];
  const line = bundle.head.lineOf(key);
  return entries
    .filter((entry) => isToolRule(entry, { key, line }, issues))
    .map((entry) => fillFolder(entry, bundle));
}
