import { optional } from '../collections.ts';
import type { Issue } from '../issue.ts';
import { parseRule } from '../policy/rules.ts';
import type { ToolBound } from '../skill.ts';
import type { Bundle } from './bundle.ts';
import { checkEmptyList, splitList } from './fields.ts';
import type { Headed } from './read-descriptor.ts';

const toolRule = /^[A-Za-z][\w.*-]*(?:\((?:[^()]|\([^()]*\))*\))?$/;

/** Whether an entry of a tool list is a valid rule. If not, reports an error and ignores the entry. */
export function isToolRule(
  entry: string,
  { key, line }: { readonly key: string; readonly line: number | undefined },
  issues: Issue[],
): boolean {
  if (toolRule.test(entry) && parseRule(entry) !== undefined) return true;
  issues.push({
    level: 'error',
    code: 'field.tool-rule',
    message: `"${entry}" in "${key}" is not a tool rule and has no effect.`,
    ...optional('line', line),
    hint: 'Write Tool or Tool(pattern), such as Read or Bash(git add *).',
  });
  return false;
}

const ownFolder = /\$\{(?:SKILLED|CLAUDE|AGENTICK)_SKILL_DIR\}/g;
// Matches folder paths without characters that are special in rules.
const plainFolder = /^[\w@%+=:,./-]+$/;

/** Replaces the variables for a skill's folder in a rule with the folder's path. */
export function fillFolder(entry: string, { dir, loose }: Pick<Bundle, 'dir' | 'loose'>): string {
  return loose || !plainFolder.test(dir) ? entry : entry.replace(ownFolder, () => dir);
}

/**
 * Reads the list of tools that a skill and its callees may use, from the field `allowed-tools` or else from a
 * section. An invalid entry is reported and allows nothing. A server's tool can also be written as
 * `server.tool`.
 */
export function readToolBound<Key extends string>(
  { fields, sections, issues }: Headed<Key>,
  bundle: Bundle,
  key: Key,
): ToolBound | undefined {
  const { head } = bundle;
  const section = sections.get(key);
  const line = fields.has(field) ? (head.lineOf(field) ?? 1) : (section?.line ?? 1);
  issues.push(...checkEmptyList(head, field));
  if (!fields.has(field) && section === undefined) return undefined;
  const entries = fields.has(field)
    ? (fields.list(field) ?? []).map((entry) => ({ entry, line }))
    : (section?.text ?? '').split('\n').flatMap((text, index) => {
        const at = (section?.textLine ?? line) + index;
        return entriesIn(text).map((entry) => ({ entry, line: at }));
      });
  const rules = entries.filter((one) =>
    isToolRule(one.entry, { key: 'Allowed Tools', line: one.line }, issues),
  );
  return {
    rules: rules.map(({ entry }) => fillFolder(serverRule(entry), bundle)),
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
