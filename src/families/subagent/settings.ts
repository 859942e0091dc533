import {
  fieldsOf,
  normaliseKey,
  optional,
  splitWords,
  type Bundle,
  type Fields,
  type Frontmatter,
  type Issue,
  type Json,
  type JsonObject,
} from '../../core/index.ts';

/** The settings of a subagent file without defaults, and its head and fields under canonical names. */
export function readSettings(
  bundle: Bundle,
  issues: Issue[],
): { readonly settings: SubagentSettings; readonly fields: Fields; readonly head: Frontmatter } {
  const head = withCanonicalKeys(bundle.head, issues);
  const fields = fieldsOf(head, issues);
  const text = (key: string): string | undefined => nonBlank(fields.text(key));
  const list = (key: string, split: (text: string) => readonly string[]): readonly string[] | undefined => {
    const value = fields.raw(key);
    if (value === undefined) return isWrittenEmpty(bundle, head, key) ? [] : undefined;
    const items = typeof value === 'string' ? split(value) : fields.list(key);
    return items === undefined ? undefined : [...new Set(items)];
  };
  const output = fields.raw('output');
  const settings: SubagentSettings = {
    ...optional('name', text('name')),
    ...optional('description', text('description')),
    ...optional('tools', toolNames(list('tools', splitWords))),
    ...optional('excludeTools', toolNames(list('excludeTools', splitWords))),
    ...optional('skills', list('skill', splitAtCommas) ?? list('skills', splitAtCommas)),
    ...optional('skillPath', list('skillPath', splitAtCommas)),
    ...optional('skillInjection', fields.word('skillInjection', ['full', 'light'] as const)),
    ...optional('systemPromptMode', fields.word('systemPromptMode', ['replace', 'append'] as const)),
    ...optional('inheritProjectContext', fields.flag('inheritProjectContext')),
    ...optional('inheritSkills', fields.flag('inheritSkills')),
    ...optional('model', text('model')),
    ...optional('thinking', text('thinking')),
    ...optional('maxSubagentDepth', fields.wholeNumber('maxSubagentDepth')),
    ...optional('timeoutMs', fields.wholeNumber('timeoutMs')),
    ...optional('defaultContext', fields.word('defaultContext', ['fresh', 'fork'] as const)),
    ...optional('output', typeof output === 'string' ? nonBlank(output) : undefined),
  };
  return { settings, fields, head };
}

/** Tools under the names they have here, each once: looking for files is `glob`, whatever it is called elsewhere. */
export function toolNames(tools: readonly string[] | undefined): readonly string[] | undefined {
  return tools && [...new Set(tools.map((tool) => (/^(?:find|ls)$/i.test(tool) ? 'glob' : tool)))];
}

/** The entries of a comma list; names and paths may hold blanks. */
export function splitAtCommas(text: string): readonly string[] {
  return text
    .trim()
    .replace(/^\[(.*)\]$/s, '$1')
    .split(',')
    .map((item) => item.trim().replace(/^(["'])(.*)\1$/s, '$2'))
    .filter(Boolean);
}

function nonBlank(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}

/** `tools:` with nothing behind it is an empty list, while `tools: null` is no list. */
function isWrittenEmpty(bundle: Bundle, head: Frontmatter, key: string): boolean {
  if (!head.keys.some((written) => canonicalKey(written) === key)) return false;
  const line = head.lineOf(key);
  return line !== undefined && /:\s*(?:#.*)?$/.test(bundle.text.split('\n')[line - 1] ?? '');
}

/** What the head of a subagent file may say, by the names this project writes. */
export interface SubagentSettings {
  readonly name?: string;
  readonly description?: string;
  /** Absent: the default set; empty: none; else exactly these. */
  readonly tools?: readonly string[];
  readonly excludeTools?: readonly string[];
  readonly skills?: readonly string[];
  /** Files and folders with skills of its own, relative to the file. */
  readonly skillPath?: readonly string[];
  readonly skillInjection?: 'full' | 'light';
  readonly systemPromptMode?: 'replace' | 'append';
  readonly inheritProjectContext?: boolean;
  readonly inheritSkills?: boolean;
  readonly model?: string;
  readonly thinking?: string;
  readonly maxSubagentDepth?: number;
  readonly timeoutMs?: number;
  readonly defaultContext?: 'fresh' | 'fork';
  /** A file for its answer; an output schema is on the card instead. */
  readonly output?: string;
}

/** A subagent with its defaults filled in. */
export interface SubagentDefinition extends Omit<SubagentSettings, 'name' | 'description'> {
  readonly systemPrompt: () => string;
  readonly skillInjection: 'full' | 'light';
  readonly systemPromptMode: 'replace' | 'append';
  readonly inheritProjectContext: boolean;
  readonly inheritSkills: boolean;
  /** Every other key of the head, under its written name. */
  readonly extra: JsonObject;
}

/** Every field that subagent files give a meaning of their own. */
export const subagentFields = [
  ...['name', 'description', 'tools', 'excludeTools', 'skill', 'skills', 'skillPath', 'skillInjection'],
  ...['systemPromptMode', 'inheritProjectContext', 'inheritSkills', 'model', 'thinking', 'maxSubagentDepth'],
  ...['timeoutMs', 'defaultContext', 'output'],
];
const spellings: ReadonlyMap<string, string> = new Map([
  ...subagentFields.map((name): [string, string] => [squeeze(name), name]),
  ['disallowedtools', 'excludeTools'],
]);

/** The name of a key as this project writes it: `skill-injection` and `SkillInjection` are `skillInjection`. */
export function canonicalKey(written: string): string {
  return spellings.get(squeeze(written)) ?? normaliseKey(written);
}

/** Whether subagent files give the key a meaning of its own. */
export function isSubagentKey(written: string): boolean {
  return spellings.has(squeeze(written));
}

/** The same head with its fields under canonical names; of two spellings the first that has a value counts. */
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
  return { ...head, fields, lineOf: (key) => head.lineOf(written.get(key) ?? key) };
}

function twoSpellings(earlier: string, key: string, line: number | undefined): Issue {
  return {
    level: 'warning',
    code: 'frontmatter.repeated',
    message: `"${key}" says the same as "${earlier}"; the first counts.`,
    ...(line === undefined ? {} : { line }),
  };
}

/** A key or name without case, blanks, hyphens and underscores. */
export function squeeze(key: string): string {
  return normaliseKey(key).replaceAll('-', '');
}

/** The effort that `thinking` asks for. */
export function effortFor(thinking: string): string {
  const word = thinking.toLowerCase();
  return word === 'off' || word === 'false' ? 'none' : word;
}
