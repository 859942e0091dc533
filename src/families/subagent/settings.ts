import {
  fieldsOf,
  normaliseKey,
  optional,
  splitList,
  type Bundle,
  type Fields,
  type Frontmatter,
  type Issue,
  type Json,
  type JsonObject,
  type OtherProgram,
} from '../../core/index.ts';

/**
 * Reads a subagent file's settings without defaults. Also returns its frontmatter under canonical names, and
 * its fields.
 */
export function readSettings(
  bundle: Bundle,
  issues: Issue[],
): { readonly settings: SubagentSettings; readonly fields: Fields; readonly head: Frontmatter } {
  const head = withCanonicalKeys(bundle.head, issues);
  const fields = fieldsOf(head, issues);
  const text = (key: string): string | undefined => nonEmpty(fields.text(key));
  const list = (key: string, split: (text: string) => readonly string[]): readonly string[] | undefined => {
    const value = fields.raw(key);
    if (value === undefined)
      return key === 'tools' ? fields.allowList(key) : head.isBlank(key) ? [] : undefined;
    const items = typeof value === 'string' ? split(value) : fields.list(key);
    return items === undefined ? undefined : [...new Set(items)];
  };
  const output = fields.raw('output');
  const settings: SubagentSettings = {
    ...optional('name', text('name')),
    ...optional('package', text('package')),
    ...optional('aliases', list('aliases', splitAtCommas)),
    ...optional('description', text('description')),
    ...optional('tools', toolNames(list('tools', splitList))),
    ...optional('excludeTools', toolNames(list('excludeTools', splitList))),
    ...optional('skills', list('skill', splitAtCommas) ?? list('skills', splitAtCommas)),
    ...optional('skillPath', list('skillPath', splitAtCommas)),
    ...optional('skillInjection', fields.choice('skillInjection', ['full', 'light'] as const)),
    ...optional('systemPromptMode', fields.choice('systemPromptMode', ['replace', 'append'] as const)),
    ...optional('inheritProjectContext', fields.flag('inheritProjectContext')),
    ...optional('inheritSkills', fields.flag('inheritSkills')),
    ...optional('model', text('model')),
    ...optional('fallbackModels', list('fallbackModels', splitAtCommas)),
    ...optional('thinking', text('thinking')),
    ...optional('maxSubagentDepth', fields.wholeNumber('maxSubagentDepth')),
    ...optional('timeoutMs', fields.wholeNumber('timeoutMs')),
    ...optional('defaultContext', fields.choice('defaultContext', ['fresh', 'fork'] as const)),
    ...optional('output', typeof output === 'string' ? nonEmpty(output) : undefined),
  };
  return { settings, fields, head };
}

/** Converts tool names to the names in this package and removes duplicates. `find` and `ls` become `glob`. */
export function toolNames(tools: readonly string[] | undefined): readonly string[] | undefined {
  return tools && [...new Set(tools.map((tool) => (/^(?:find|ls)$/i.test(tool) ? 'glob' : tool)))];
}

/** Splits a comma-separated list into its items. Items can contain spaces. */
export function splitAtCommas(text: string): readonly string[] {
  return text
    .trim()
    .replace(/^\[(.*)\]$/s, '$1')
    .split(',')
    .map((item) => item.trim().replace(/^(["'])(.*)\1$/s, '$2'))
    .filter(Boolean);
}

function nonEmpty(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}

/** A subagent file's frontmatter settings, under canonical names. */
export interface SubagentSettings {
  readonly name?: string;
  /** The qualifier of the name. With `package: review` and `name: scout`, the name is `review.scout`. */
  readonly package?: string;
  /** Other names under which the subagent can be called. The name of another skill takes precedence. */
  readonly aliases?: readonly string[];
  readonly description?: string;
  /**
   * The tools that the subagent may use, as listed. If absent, it may use the default tools; if empty, none.
   */
  readonly tools?: readonly string[];
  readonly excludeTools?: readonly string[];
  readonly skills?: readonly string[];
  /** Files and folders that contain the subagent's own skills, relative to its file. */
  readonly skillPath?: readonly string[];
  readonly skillInjection?: 'full' | 'light';
  readonly systemPromptMode?: 'replace' | 'append';
  readonly inheritProjectContext?: boolean;
  readonly inheritSkills?: boolean;
  readonly model?: string;
  /** The models to try, in order, if the first one fails. */
  readonly fallbackModels?: readonly string[];
  readonly thinking?: string;
  readonly maxSubagentDepth?: number;
  readonly timeoutMs?: number;
  readonly defaultContext?: 'fresh' | 'fork';
  /** The file that the answer is written to. An output schema is on the card instead. */
  readonly output?: string;
}

/** A subagent's settings with defaults applied. */
export interface SubagentDefinition extends Omit<
  SubagentSettings,
  'name' | 'package' | 'aliases' | 'description'
> {
  readonly systemPrompt: () => string;
  readonly skillInjection: 'full' | 'light';
  readonly systemPromptMode: 'replace' | 'append';
  readonly inheritProjectContext: boolean;
  readonly inheritSkills: boolean;
  /** All other frontmatter keys, as written. */
  readonly extra: JsonObject;
}

/** The fields that have a specific meaning in subagent files, as each program spells them. */
export const fieldsByProgram = {
  'pi-subagents': [
    ...['name', 'description', 'tools', 'excludeTools', 'skill', 'skills', 'skillPath', 'skillInjection'],
    ...[
      'systemPromptMode',
      'inheritProjectContext',
      'inheritSkills',
      'model',
      'thinking',
      'maxSubagentDepth',
    ],
    ...['timeoutMs', 'defaultContext', 'output', 'package', 'aliases', 'fallbackModels'],
  ],
  'Claude Code': ['name', 'description', 'tools', 'disallowedTools', 'skills', 'model'],
} as const satisfies Partial<Record<OtherProgram, readonly string[]>>;

/** The fields that have a specific meaning in subagent files, under canonical names. */
export const subagentFields: readonly string[] = fieldsByProgram['pi-subagents'];
const spellings: ReadonlyMap<string, string> = new Map([
  ...subagentFields.map((name): [string, string] => [squeeze(name), name]),
  ['disallowedtools', 'excludeTools'],
  ['alias', 'aliases'],
  ['fallbackmodel', 'fallbackModels'],
]);

/**
 * Returns a key's canonical name. For example, `skill-injection` and `SkillInjection` become
 * `skillInjection`.
 */
export function canonicalKey(written: string): string {
  return spellings.get(squeeze(written)) ?? normaliseKey(written);
}

/** Whether the key has a specific meaning in subagent files. */
export function isSubagentKey(written: string): boolean {
  return spellings.has(squeeze(written));
}

/**
 * Returns the frontmatter with fields under canonical names. If a field is written in several spellings, the
 * first one with a value is used.
 */
export function withCanonicalKeys(head: Frontmatter, issues: Issue[]): Frontmatter {
  const fields = new Map<string, Json>();
  const written = new Map<string, string>();
  for (const key of head.keys) {
    const canonical = canonicalKey(key);
    const value = head.fields.get(normaliseKey(key));
    const earlier = written.get(canonical);
    if (earlier === undefined || !fields.has(canonical)) written.set(canonical, key);
    else if (normaliseKey(earlier) !== normaliseKey(key))
      issues.push(twoSpellings(earlier, key, head.lineOf(key)));
    if (value !== undefined && !fields.has(canonical)) fields.set(canonical, value);
  }
  return {
    ...head,
    fields,
    isBlank: (key) => !fields.has(key) && head.isBlank(written.get(key) ?? key),
    lineOf: (key) => head.lineOf(written.get(key) ?? key),
  };
}

function twoSpellings(earlier: string, key: string, line: number | undefined): Issue {
  return {
    level: 'warning',
    code: 'frontmatter.repeated',
    message: `"${key}" is the same setting as "${earlier}"; the first one is used.`,
    ...(line === undefined ? {} : { line }),
  };
}

/** Lowercases a key or name and removes spaces, hyphens and underscores. */
export function squeeze(key: string): string {
  return normaliseKey(key).replaceAll('-', '');
}

/** Returns the reasoning effort for a `thinking` level. */
export function effortFor(thinking: string): string {
  const effort = thinking.toLowerCase();
  return effort === 'off' || effort === 'false' ? 'none' : effort;
}
