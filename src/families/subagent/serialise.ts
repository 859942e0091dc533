import { AgentError, bundleOfText, nowhere, type Bundle } from '../../core/index.ts';
import { headLinesOf, withKey, type LineValue } from './head-lines.ts';
import { readSettings, toolNames, withCanonicalKeys, type SubagentSettings } from './settings.ts';

/** The settings to change in a subagent file. Undefined removes the key. */
export type SubagentChanges = {
  readonly [Key in keyof SubagentSettings]?: SubagentSettings[Key] | undefined;
};

/**
 * Returns a subagent file's text after an edit. Each change affects only the lines of its key. Throws
 * `usage.bad-input` if the edit would change the meaning of anything else in the file.
 */
export function serialiseSubagent(original: string, changes: SubagentChanges): string {
  const before = settingsIn(original);
  const edits = (Object.keys(changes) as (keyof SubagentSettings)[])
    .map((key) => ({ key, value: valueToWrite(key, changes[key]) }))
    .filter(({ key, value }) => value === undefined || !isSame(value, before[key]));
  if (edits.length === 0) return original;
  const { before: opening, lines, after: rest, lineEnd } = headLinesOf(original);
  const edited = edits.reduce((done, { key, value }) => withKey(done, key, value, lineEnd), lines);
  if (isSame(lines, edited)) return original;
  const text = opening + edited.join('') + rest;
  const keys = edits.map(({ key }) => key);
  const after = settingsIn(text);
  if (
    !edits.every(({ key, value }) => isSame(value, after[key])) ||
    !isSame(others(original, keys), others(text, keys))
  ) {
    throw new AgentError(
      'usage.bad-input',
      `"${keys.join('", "')}" cannot be set without changing other parts of the file.`,
      {
        hint: 'Check the value, or edit the frontmatter by hand.',
      },
    );
  }
  return text;
}

/** Returns the value as the parser would read it back, or undefined if the key should be omitted. */
function valueToWrite(key: keyof SubagentSettings, value: LineValue | undefined): LineValue | undefined {
  if (key === 'skillInjection' && value === 'full') return undefined; // The default value is omitted.
  if (typeof value === 'string') return value.trim() || undefined;
  if (typeof value !== 'object') return value;
  const items = [...new Set(value.map((item) => item.trim()).filter(Boolean))];
  return key === 'tools' || key === 'excludeTools' ? toolNames(items) : items;
}

function settingsIn(text: string): SubagentSettings {
  return readSettings(bundleIn(text), []).settings;
}

/** Returns a file's fields, except `keys`, and its body. */
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
