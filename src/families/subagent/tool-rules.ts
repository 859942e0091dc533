import { allowsTool, parseRule, parseRules, type Act } from '../../core/policy/rules.ts';
import { readToolEntry, toolLabel } from '../../engines/servers/tool-entry.ts';
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
 * `Agent(a, b)` as the skills a and b, tools of servers by theirs, and any other bare name as a tool of the host or the
 * skill of that name. What is no rule stays, and means nothing.
 */
export function rulesOf(entries: readonly string[]): readonly string[] {
  return [...new Set(entries.flatMap(rulesOfEntry))];
}

function rulesOfEntry(entry: string): readonly string[] {
  const { tool, spec } = parseRule(entry) ?? { tool: entry };
  const word = words.get(squeeze(tool));
  if (word !== undefined) {
    if (word.toLowerCase() === tool.toLowerCase()) return [entry];
    return [spec === undefined ? word : `${word}(${spec})`];
  }
  if (openers.has(squeeze(tool))) return subagentRules(spec);
  if (isServerTool(entry)) return serverRules(entry);
  return isBareName(entry) ? [entry, `Skill(${entry})`] : [entry];
}

/** A name with a dot in it may also be the word of a tool that the host made. */
function serverRules(entry: string): readonly string[] {
  const read = readToolEntry(entry);
  if (read === undefined) return [entry];
  return /^mcp(?::|__)/i.test(entry) ? [toolLabel(read)] : [entry, toolLabel(read)];
}

function subagentRules(names: string | undefined): readonly string[] {
  if (names === undefined) return ['Skill'];
  const each = names.split(',').map((name) => name.trim());
  return each.filter(Boolean).map((name) => `Skill(${name})`);
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

/** Whether it is clear that an entry means something: a known tool, a skill that is called one, a tool of a server, a pattern. */
export function isKnownEntry(entry: string): boolean {
  if (isServerTool(entry)) return true;
  const { tool } = parseRule(entry) ?? {};
  if (tool === undefined) return false;
  return words.has(squeeze(tool)) || openers.has(squeeze(tool)) || tool.includes('*');
}

/** Whether an entry can be the name of a skill. */
export function isBareName(entry: string): boolean {
  return /^[\p{L}\p{M}\p{N}_-]+$/u.test(entry);
}

/** Whether an entry means tools of a server: `mcp:server`, `mcp__server__tool`, `server.tool`. */
export function isServerTool(entry: string): boolean {
  return /^mcp(?::|__)./i.test(entry) || /^[\w-]+\.[\w.*-]+$/.test(entry);
}
