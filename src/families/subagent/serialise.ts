import { AgentError, bundleOfText, nowhere, type Bundle } from '../../core/index.ts';
import { headLinesOf, withKey, type LineValue } from './head-lines.ts';
import { readSettings, toolNames, withCanonicalKeys, type SubagentSettings } from './settings.ts';

/** What to set in a subagent file; a member that is undefined removes its key. */
export type SubagentChanges = {
  readonly [Key in keyof SubagentSettings]?: SubagentSettings[Key] | undefined;
};

/**
 * The text of a subagent file after an edit. Without changes it is the same text; a change touches only the lines of
 * its key. Throws `usage.bad-input` rather than change what anything else in the file says.
 */
export function serialiseSubagent(original: string, changes: SubagentChanges): string {
  const before = settingsIn(original);
  const wanted = (Object.keys(changes) as (keyof SubagentSettings)[])
    .map((key) => ({ key, value: valueToWrite(key, changes[key]) }))
    .filter(({ key, value }) => value === undefined || !isSame(value, before[key]));
  if (wanted.length === 0) return original;
  const { before: opening, lines, after: rest, lineEnd } = headLinesOf(original);
  const edited = wanted.reduce((done, { key, value }) => withKey(done, key, value, lineEnd), lines);
  if (isSame(lines, edited)) return original;
  const text = opening + edited.join('') + rest;
  const keys = wanted.map(({ key }) => key);
  const after = settingsIn(text);
  if (
    !wanted.every(({ key, value }) => isSame(value, after[key])) ||
    !isSame(others(original, keys), others(text, keys))
  ) {
    throw new AgentError(
      'usage.bad-input',
      `"${keys.join('", "')}" cannot be changed here without changing more.`,
      {
        hint: 'Check the value, or edit the frontmatter by hand.',
      },
    );
  }
  return text;
}

/** The value as it will be read back; undefined when no line should stand for it. */
function valueToWrite(key: keyof SubagentSettings, value: LineValue | undefined): LineValue | undefined {
  if (key === 'skillInjection' && value === 'full') return undefined; // the default is never written
  if (typeof value === 'string') return value.trim() || undefined;
  if (typeof value !== 'object') return value;
  const items = [...new Set(value.map((item) => item.trim()).filter(Boolean))];
  return key === 'tools' || key === 'excludeTools' ? toolNames(items) : items;
}

function settingsIn(text: string): SubagentSettings {
  return readSettings(bundleIn(text), []).settings;
}

/** Everything a file says apart from some keys, in order. */
function others(text: string, keys: readonly string[]): unknown {
  const bundle = bundleIn(text);
  const names = keys.includes('skills') ? [...keys, 'skill'] : keys;
  const fields = [...withCanonicalKeys(bundle.head, []).fields].filter(([name]) => !names.includes(name));
  return [fields, bundle.body];
}

function bundleIn(text: string): Bundle {
  return bundleOfText(text.replace(/^\ufeff/, ''), nowhere);
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
