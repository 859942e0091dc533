import { optional } from '../collections.ts';
import type { Issue } from '../issue.ts';
import type { ListEntry } from '../names.ts';
import { parseRule } from '../policy/rules.ts';
import type { ToolBound } from '../skill.ts';
import type { Bundle } from './bundle.ts';
import { emptyListIssue, splitList } from './fields.ts';
import type { Headed } from './read-descriptor.ts';
import { lineIn } from './sections.ts';
import { fieldEntries } from './values.ts';

const toolRule = /^[A-Za-z][\w.*-]*(?:\((?:[^()]|\([^()]*\))*\))?$/;

/**
 * Whether an entry in a tool list is a valid rule. Adds an issue for an invalid entry, which has no effect.
 */
export function isToolRule(
  entry: string,
  position: { readonly key: string; readonly line: number | undefined },
  issues: Issue[],
): boolean {
  if (toolRule.test(entry) && parseRule(entry) !== undefined) return true;
  const { key, line } = position; // Finding the line of an entry can be slow.
  issues.push({
    level: 'warning',
    code: 'field.tool-rule',
    message: `"${entry}" in "${key}" is not a tool rule and has no effect.`,
    ...optional('line', line),
    hint: 'Write Tool or Tool(pattern), such as Read or Bash(git add *).',
    standard: true,
  });
  return false;
}

const ownFolder = /\$\{(?:SKILLED|CLAUDE|AGENTICK)_SKILL_DIR\}|(?<!\$)\{baseDir\}/g;
const pluginFolder = /\$\{(?:SKILLED|CLAUDE|AGENTICK)_PLUGIN_ROOT\}/g;
// Matches folder paths without characters that are special in rules.
const plainFolder = /^[\w@%+=:,./-]+$/;

/** Replaces the variables for a skill's folder and its plugin's folder in a rule with the folders' paths. */
export function fillFolder(
  entry: string,
  { dir, loose, plugin }: Pick<Bundle, 'dir' | 'loose' | 'plugin'>,
): string {
  const filled = loose || !plainFolder.test(dir) ? entry : entry.replace(ownFolder, () => dir);
  const root = plugin?.dir ?? '';
  return plainFolder.test(root) ? filled.replace(pluginFolder, () => root) : filled;
}

/**
 * Reads the list of tools that a skill and the skills that it calls may use, from the field `allowed-tools`
 * or else from a section. An invalid entry is reported and allows nothing. A server's tool can also be
 * written as `server.tool`.
 */
export function readToolBound<Key extends string>(
  { fields, sections, issues }: Headed<Key>,
  bundle: Bundle,
  key: Key,
): ToolBound | undefined {
  const { head } = bundle;
  const section = sections.get(key);
  const listed = fields.allowList(field);
  const line = listed === undefined ? (section?.line ?? 1) : (head.lineOf(field) ?? 1);
  if (listed === undefined && section === undefined) return undefined;
  if (listed === undefined && section?.text === '') issues.push(emptyListIssue('"Allowed Tools"', line));
  const entries =
    listed === undefined
      ? (section?.text ?? '').split('\n').flatMap((written, index) => {
          const at = section === undefined ? line : lineIn(section, index);
          return entriesIn(written).map((text): ListEntry => ({ text, line: at }));
        })
      : fieldEntries(bundle, field, listed);
  const rules = entries.filter((one) =>
    isToolRule(one.text, { key: 'Allowed Tools', line: one.line }, issues),
  );
  return {
    rules: rules.map(({ text }) => fillFolder(serverRule(text), bundle)),
    lines: rules.map((one) => one.line),
    line,
  };
}

const field = 'allowed-tools';

/** Returns the entries on a line of a section, separated by commas or spaces. A leading bullet is removed. */
function entriesIn(line: string): readonly string[] {
  if (/^\s*<!--.*-->\s*$/.test(line)) return [];
  return splitList(
    line
      .trim()
      .replace(/^(?:[-*+]|\d+[.)])(?:\s+|$)/, '')
      .replaceAll('`', ''),
  );
}

/** Converts `server.tool` to the name that permission rules use for a server's tool. */
function serverRule(entry: string): string {
  const [, server, tool] = /^([A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_))*)\.([\w.*-]+)$/.exec(entry) ?? [];
  return server === undefined || tool === undefined ? entry : `mcp__${server}__${tool}`;
}
