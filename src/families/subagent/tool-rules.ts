import { allowsTool, type Act } from '../../core/match-rules.ts';
import { parseRule, parseRules } from '../../core/rule.ts';
import { squeeze } from './spelling.ts';

/** The words by which permission rules name the built-in tools, by the names that files use without case and hyphens. */
const words: ReadonlyMap<string, string> = new Map(
  ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash', 'WebFetch', 'AskUser', 'FindSkills', 'Skill'].map(
    (word) => [squeeze(word), word],
  ),
);

/** What files of other programs write for the right to open subagents. */
const openers: ReadonlySet<string> = new Set(['agent', 'task', 'subagent']);

/** The names by which a file can mean built-in tools. */
export const toolWords: readonly string[] = [...words.values()];

/**
 * The permission rules that entries of `tools` or `excludeTools` stand for, each once: built-in tools by their words,
 * `Agent(a, b)` as the skills a and b, and a bare name that is no tool as the skill of that name. What is no rule stays,
 * and means nothing.
 */
export function rulesOf(entries: readonly string[]): readonly string[] {
  return [...new Set(entries.flatMap(rulesOfEntry))];
}

function rulesOfEntry(entry: string): readonly string[] {
  const rule = parseRule(entry);
  if (rule === undefined || isForeignTool(entry)) return [entry];
  const word = words.get(squeeze(rule.tool));
  if (word !== undefined) {
    if (word.toLowerCase() === rule.tool.toLowerCase()) return [entry];
    return [rule.spec === undefined ? word : `${word}(${rule.spec})`];
  }
  if (openers.has(squeeze(rule.tool))) {
    const named = rule.spec?.split(',').map((name) => name.trim()) ?? [];
    return named.length === 0 ? ['Skill'] : named.filter(Boolean).map((name) => `Skill(${name})`);
  }
  return isBareName(entry) ? [`Skill(${entry})`] : [entry];
}

/** Whether entries mean the right to open subagents, whichever. */
export function nameSubagents(entries: readonly string[]): boolean {
  return entries.some((entry) => openers.has(squeeze(entry)));
}

/** Whether rules mean the tool that reads files, in whatever bounds. */
export function nameReader(rules: readonly string[]): boolean {
  return parseRules(rules).some((rule) => allowsTool(rule, reading));
}

const reading: Act = {
  skill: 'read',
  aliases: [],
  permission: { label: 'Read' },
  input: null,
  workspace: undefined,
};

/** Whether an entry can mean something: a known tool, a skill that is named as one, a tool of a server, or a pattern. */
export function isKnownEntry(entry: string): boolean {
  if (isForeignTool(entry)) return true;
  const rule = parseRule(entry);
  if (rule === undefined) return false;
  const name = squeeze(rule.tool);
  return words.has(name) || openers.has(name) || rule.tool.includes('*');
}

/** Tools of servers: `mcp:server`, `mcp__server__tool`, `server.tool`. */
function isForeignTool(entry: string): boolean {
  return /^mcp(?::|__)./i.test(entry) || /^[\w-]+\.[\w.*-]+$/.test(entry);
}

function isBareName(entry: string): boolean {
  return /^[\w-]+$/.test(entry);
}
