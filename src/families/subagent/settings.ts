import type { Bundle } from '../../core/descriptor/bundle.ts';
import { fieldsOf, splitWords, type Fields } from '../../core/descriptor/fields.ts';
import type { Frontmatter } from '../../core/descriptor/frontmatter.ts';
import type { Issue } from '../../core/issue.ts';
import { optional } from '../../core/collections.ts';
import type { SubagentSettings } from './definition.ts';
import { canonicalKey, withCanonicalKeys } from './spelling.ts';

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
