import { allowsTool, optional, parseRule, parseRules, type Act, type SkillCard } from '../../core/index.ts';
import { readToolEntry, toolLabel } from '../../engines/servers/allowed-tools.ts';
import { squeeze, type SubagentSettings } from './settings.ts';

/** What the settings of a subagent mean for its card: its tools as rules, and its bounds. */
export function buildCard(settings: SubagentSettings): Partial<SkillCard> {
  const { excludeTools = [], timeoutMs = 0, maxSubagentDepth } = settings;
  const disallowed = rulesOf(excludeTools.filter((entry) => !nameSubagents([entry])));
  return {
    ...optional('allowedTools', allowedTools(settings)),
    ...optional('disallowedTools', disallowed.length === 0 ? undefined : disallowed),
    ...optional('limits', timeoutMs === 0 ? undefined : { callSeconds: timeoutMs / 1000 }),
    ...optional('nesting', nameSubagents(excludeTools) ? 0 : maxSubagentDepth),
  };
}

function allowedTools(settings: SubagentSettings): readonly string[] | undefined {
  if (settings.tools === undefined) return undefined;
  return withMeans(rulesOf(settings.tools), { ...settings, lists: listsSkills(settings) });
}

/** Rules with what the rest of a file cannot do without: to read the skills it lists, to load those it inherits. An empty list stays empty. */
export function withMeans(
  rules: readonly string[],
  { lists, inheritSkills }: { readonly lists: boolean; readonly inheritSkills?: boolean },
): readonly string[] {
  if (rules.length === 0) return rules;
  return [
    ...rules,
    ...(lists && !nameReader(rules) ? ['Read'] : []),
    ...(inheritSkills === true && !rules.some(isAnySkill) ? ['Skill'] : []),
  ];
}

/** Whether its prompt only says where its skills are. */
export function listsSkills({ skills = [], skillInjection }: SubagentSettings): boolean {
  return skills.length > 0 && skillInjection === 'light';
}

/** Whether its own lists keep it from reading the skills that are listed for it: it has no tools at all, or takes that one away. */
export function lacksReader(settings: SubagentSettings): boolean {
  if (!listsSkills(settings)) return false;
  const { tools, excludeTools = [] } = settings;
  if (tools?.length === 0) return true;
  return nameReader(rulesOf(excludeTools).filter(isWhole));
}

/** Whether its tools name skills as such: it is shown the catalog then. */
export function wantsCatalog({ inheritSkills, tools = [] }: SubagentSettings): boolean {
  return inheritSkills === true || tools.some(isAnySkill);
}

function isAnySkill(rule: string): boolean {
  return rule.toLowerCase() === 'skill';
}

function isWhole(rule: string): boolean {
  return !rule.includes('(');
}

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
function nameSubagents(entries: readonly string[]): boolean {
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
