import {
  badInput,
  describeFromBody,
  fieldEntries,
  fieldsOf,
  fillFolder,
  fitDescription,
  isKnownEffort,
  isSkillName,
  isToolRule,
  normaliseName,
  optional,
  readCard,
  readHooks,
  schemaOf,
  type Bundle,
  type DefinedSkill,
  type Fields,
  type Frontmatter,
  type Hook,
  type Issue,
  type Json,
  type JsonObject,
  type ListEntry,
  type Parsed,
  type SkillCard,
} from '../../core/index.ts';
import type { PositionalStyle } from './render/positions.ts';

/** Parses a SKILL.md file. The body is decoded only if the frontmatter has no description. */
export function parse(bundle: Bundle): Parsed<AgentSkillDefinition> {
  const issues: Issue[] = [...bundle.issues, ...bundle.head.issues];
  const fields = fieldsOf(bundle.head, issues);
  const isCommand = bundle.command === true;
  // A command is named after its path.
  const name = isCommand ? '' : (fields.text('name')?.trim() ?? '');
  const declared = fields.text('description')?.trim() ?? '';
  const description =
    declared === ''
      ? describeFromBody(bundle, isCommand ? [] : issues)
      : fitDescription(declared, issues, bundle.head.lineOf('description'));
  const card: SkillCard = {
    ...readCard(fields, description, bundle, issues),
    ...allowedTools(fields, bundle, issues),
    ...optional(
      'disallowedTools',
      toolRules('disallowed-tools', fields.list('disallowed-tools'), bundle, issues),
    ),
    ...(fields.flag('enforce-tools') === true ? { enforceTools: true } : {}),
    ...optional('forks', readForks(fields, bundle.head, issues)),
  };
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
  if (!isCommand) checkName(name, bundle, issues);
  const listed = bundle.loose && declared === '' && !isCommand ? { ...card, listed: false as const } : card;
  return { name, card: listed, definition: definitionOf(name, card, bundle, fields, issues), issues };
}

/** Reports a missing or invalid name as an issue. The skill is still loaded. */
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
  { input, argumentNames, argumentHint }: SkillCard,
  bundle: Bundle,
  fields: Fields,
  issues: Issue[],
): AgentSkillDefinition {
  const { head } = bundle;
  const hooks = readHooks(fields.map('hooks') ?? {}, optional('line', head.lineOf('hooks')), issues);
  return {
    name: normaliseName(name) || bundle.stem,
    body: () => bundle.body,
    bodyLine: head.bodyLine,
    hasFolder: !bundle.loose && bundle.dir !== '',
    ...optional('pluginDir', bundle.plugin?.dir),
    ...optional('pluginHooks', bundle.plugin?.hooks),
    ...optional('argumentNames', argumentNames),
    ...(bundle.command === true ? { positional: 'command' } : declared(argumentNames ?? argumentHint)),
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

function declared(hint: unknown): { readonly positional?: 'declared' } {
  return hint === undefined ? {} : { positional: 'declared' };
}

/**
 * Returns the maximum number of model steps. Reports and ignores a limit of 0, because a skill without model
 * steps cannot run.
 */
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

/** Returns the definition of a skill defined in code, or undefined if it has no instructions for a model. */
export function adopt(skill: DefinedSkill): AgentSkillDefinition | undefined {
  const { instructions, name } = skill;
  if (instructions === undefined) return undefined;
  return {
    name,
    body: () => instructions,
    bodyLine: 1,
    hasFolder: false,
    ...optional('argumentNames', skill.argumentNames),
    ...declared(skill.argumentNames ?? skill.argumentHint),
    ...inputOf(skill),
    ...optional('maxTicks', skill.maxTicks),
  };
}

/**
 * Returns two functions: `input` returns the input's JSON Schema, built once on first use, and `fit`
 * validates an input and applies the Zod schema's defaults and conversions.
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

/** The contents of a SKILL.md file, apart from its card. The body is rendered when the skill is used. */
export interface AgentSkillDefinition {
  /** The declared name, or the name of the skill's folder or file if none is declared. */
  readonly name: string;
  readonly body: () => string;
  /** The one-based line number in the file where the body starts. */
  readonly bodyLine: number;
  /** Whether the skill has its own folder. False for a single file and for a skill defined in code. */
  readonly hasFolder: boolean;
  /** The folder of the plugin that the skill belongs to. */
  readonly pluginDir?: string;
  /** The hooks that the plugin adds to each of its skills. */
  readonly pluginHooks?: readonly Hook[];
  readonly argumentNames?: readonly string[];
  /** The meaning of `$0`, `$1` and so on in the text. Absent if the file declares no arguments. */
  readonly positional?: PositionalStyle;
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

/** Determines whether a skill runs in a separate conversation and, if so, whether the caller waits for it. */
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

function allowedTools(
  fields: Fields,
  bundle: Bundle,
  issues: Issue[],
): Pick<SkillCard, 'allowedTools' | 'allowedToolsLine'> {
  const key = 'allowed-tools';
  const rules = toolRules(key, fields.allowList(key), bundle, issues);
  if (rules === undefined) return {};
  return {
    allowedTools: rules,
    ...optional('allowedToolsLine', rules.length === 0 ? undefined : bundle.head.lineOf(key)),
  };
}

/**
 * Reads the tool rules in a field. An entry that cannot be parsed is reported and dropped; if no entry
 * remains, the list is empty. Variables for the skill's folder are replaced with its path.
 */
function toolRules(
  key: string,
  entries: readonly string[] | undefined,
  bundle: Bundle,
  issues: Issue[],
): readonly string[] | undefined {
  let located: readonly ListEntry[] | undefined;
  return entries
    ?.filter((entry, index) => {
      // Find the lines once, and only if an entry is invalid, because this decodes the whole file.
      const position = {
        key,
        get line() {
          return (located ??= fieldEntries(bundle, key, entries))[index]?.line;
        },
      };
      return isToolRule(entry, position, issues);
    })
    .map((entry) => fillFolder(entry, bundle));
}
