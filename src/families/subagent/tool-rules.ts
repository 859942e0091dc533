import {
  allowsTool,
  findForeignTool,
  optional,
  parseRule,
  parseRules,
  type Act,
  type SkillCard,
} from '../../core/index.ts';
import { readToolEntry, toolLabel } from '../../engines/servers/allowed-tools.ts';
import { squeeze, type SubagentSettings } from './settings.ts';

/** Builds the part of the card that depends on the settings: tools as permission rules, and limits. */
export function buildCard(settings: SubagentSettings): Partial<SkillCard> {
  const { excludeTools = [], timeoutMs = 0, maxSubagentDepth } = settings;
  const disallowed = rulesOf(excludeTools.filter((entry) => !nameSubagents([entry])));
  return {
    ...optional('allowedTools', allowedTools(settings)),
    ...optional('disallowedTools', disallowed.length === 0 ? undefined : disallowed),
    ...optional('limits', timeoutMs === 0 ? undefined : { callSeconds: timeoutMs / 1000 }),
    ...optional('aliases', settings.aliases?.length ? settings.aliases : undefined),
    ...optional('nesting', nameSubagents(excludeTools) ? 0 : maxSubagentDepth),
  };
}

function allowedTools(settings: SubagentSettings): readonly string[] | undefined {
  if (settings.tools === undefined) return undefined;
  return withMeans(rulesOf(settings.tools), { ...settings, lists: listsSkills(settings) });
}

/**
 * Adds the tools that other settings require: `Read` for listed skills and `Skill` for inherited skills. An
 * empty tool list stays empty.
 */
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

/** Whether the subagent's prompt contains only the locations of its skills. */
export function listsSkills({ skills = [], skillInjection }: SubagentSettings): boolean {
  return skills.length > 0 && skillInjection === 'light';
}

/**
 * Whether the subagent's own settings prevent it from reading its listed skills: it has no tools, or it
 * excludes the read tool.
 */
export function lacksReader(settings: SubagentSettings): boolean {
  if (!listsSkills(settings)) return false;
  const { tools, excludeTools = [] } = settings;
  if (tools?.length === 0) return true;
  return nameReader(rulesOf(excludeTools).filter(isWhole));
}

/**
 * Whether the subagent sees the skill catalog, because it inherits skills or its tools include `Skill`
 * without a name.
 */
export function needsCatalog({ inheritSkills, tools = [] }: SubagentSettings): boolean {
  return inheritSkills === true || tools.some(isAnySkill);
}

function isAnySkill(rule: string): boolean {
  return rule.toLowerCase() === 'skill';
}

function isWhole(rule: string): boolean {
  return !rule.includes('(');
}

/** The built-in tools' labels in permission rules, keyed by the lowercase tool name without hyphens. */
const builtinTools: ReadonlyMap<string, string> = new Map(
  ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash', 'WebFetch', 'AskUser', 'FindSkills', 'Skill']
    .concat(['BashOutput', 'BashKill', 'Todo'])
    .map((name) => [squeeze(name), name]),
);

/** The names that other programs use for the tool that starts subagents. */
const openers: ReadonlySet<string> = new Set(['agent', 'task', 'subagent']);

/** The labels of the built-in tools. */
export const builtinToolNames: readonly string[] = [...builtinTools.values()];

/**
 * Converts entries of `tools` or `excludeTools` to permission rules without duplicates. Built-in and server
 * tools get their labels. `Agent(a, b)` becomes the skills a and b. Any other bare name refers to the host
 * tool or skill with that name. An invalid entry becomes a rule that matches nothing.
 */
export function rulesOf(entries: readonly string[]): readonly string[] {
  return [...new Set(entries.flatMap(rulesOfEntry))];
}

function rulesOfEntry(entry: string): readonly string[] {
  const { tool, spec } = parseRule(entry) ?? { tool: entry };
  const name = builtinTools.get(squeeze(tool));
  if (name !== undefined) {
    if (name.toLowerCase() === tool.toLowerCase()) return [entry];
    return [spec === undefined ? name : `${name}(${spec})`];
  }
  if (openers.has(squeeze(tool))) return subagentRules(spec);
  if (isServerTool(entry)) return serverRules(entry);
  return isBareName(entry) ? [entry, `Skill(${entry})`] : [entry];
}

/** Returns the rules for a server tool. A name with a dot can also refer to a host tool. */
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

/** Whether any entry refers to the tool that starts subagents. */
function nameSubagents(entries: readonly string[]): boolean {
  return entries.some((entry) => openers.has(squeeze(entry)));
}

/** Whether rules allow the `read` tool, with or without a pattern. */
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

/** Whether an entry has a known meaning as a built-in tool, a subagent, a server tool or a wildcard. */
export function isKnownEntry(entry: string): boolean {
  if (isServerTool(entry)) return true;
  const { tool } = parseRule(entry) ?? {};
  if (tool === undefined) return false;
  if (builtinTools.has(squeeze(tool)) || openers.has(squeeze(tool)) || tool.includes('*')) return true;
  return (findForeignTool(tool)?.tools.length ?? 0) > 0;
}

/** Whether an entry can be the name of a skill. */
export function isBareName(entry: string): boolean {
  return /^[\p{L}\p{M}\p{N}_-]+$/u.test(entry);
}

/** Whether an entry has the form of a server tool: `mcp:server`, `mcp__server__tool` or `server.tool`. */
export function isServerTool(entry: string): boolean {
  return /^mcp(?::|__)./i.test(entry) || /^[\w-]+\.[\w.*-]+$/.test(entry);
}
