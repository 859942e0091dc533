import { optional } from '../collections.ts';
import type { Issue } from '../issue.ts';
import { assistantName, assistantNames, didYouMean, matchesWildcard, nearestNames } from '../names.ts';
import type { Permissions } from '../policy.ts';
import type { Skill } from '../skill.ts';
import { isSkillRule, namesTool, parseRule, type Rule } from './rules.ts';

/**
 * The names of the built-in tools in rules. Each is the label of the tool's permission or the tool's own
 * name.
 */
export const builtInTools: readonly string[] = [
  ...['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash', 'WebFetch', 'AskUser', 'FindSkills', 'RunSop'],
  ...['MirrorCodeGenerator', 'ask-user', 'find-skills', 'run-sop', 'mirror-code-generator'],
];

/** The reason why a rule can never match a call. */
interface RuleFault {
  /** The rule as written. */
  readonly rule: string;
  /** The tool that the rule names. Absent if the rule cannot be parsed. */
  readonly tool?: string;
  readonly near: readonly string[];
  /** The expected value, as the end of a sentence that begins with "It must be". */
  readonly expected: string;
  /** The hint, as a complete sentence. */
  readonly hint: string;
}

const examples = 'such as "Read", "Bash(git diff *)" or "Skill(name)"';

/**
 * Returns the reason why a rule can never match a call, or undefined if it can. This is the only check of
 * this kind. `tools` contains the names of tools that the host registers. The names of skills and server
 * tools are not checked, because they can be added later. Pure.
 */
export function faultOfRule(given: unknown, tools: readonly string[] = []): RuleFault | undefined {
  const known = [...builtInTools, ...tools, 'Skill'];
  const rule = typeof given === 'string' ? given : String(given);
  const parsed = typeof given === 'string' ? parseRule(given) : undefined;
  if (parsed === undefined) {
    const near = nearestNames(/[\w-]+/.exec(rule)?.[0] ?? '', known);
    return { rule, near, expected: `a rule ${examples}`, hint: `Write a rule ${examples}.` };
  }
  const { tool } = parsed;
  if (isSkillRule(tool) || isServerTool(tool)) return undefined;
  if (known.some((name) => matchesWildcard(tool.toLowerCase(), name.toLowerCase()))) return undefined;
  const near = nearestNames(tool, known);
  const expected = `a rule for an existing tool; "${rule}" does not name one`;
  return { rule, tool, near, expected, hint: hintFor(parsed, known) };
}

/** Whether a name has the form `mcp__server__tool`, optionally with `*`, `server__tool` or `server.tool`. */
function isServerTool(tool: string): boolean {
  if (/^mcp__/i.test(tool)) return /^mcp__(?:[^*]+__.|\*)/i.test(tool);
  return /^[\w-]+\.[\w.*-]+$|^[a-z0-9](?:[a-z0-9-]|_(?!_))*__[\w.*-]+$/i.test(tool);
}

function hintFor({ tool, spec }: Rule, known: readonly string[]): string {
  if (/^mcp__/i.test(tool)) return `Use ${tool.replace(/_+$/, '')}__* to match all tools of that server.`;
  const meant = didYouMean(tool, known) ?? `Known tools: ${builtInTools.slice(0, 9).join(', ')}.`;
  return spec === undefined && /^[\w-]+$/.test(tool) ? `${meant} For a skill, write Skill(${tool}).` : meant;
}

/** Everything registered in a run that rules can refer to. */
interface Registered {
  readonly skills: readonly Skill[];
  /** The names of configured servers. Their tools are not known yet. */
  readonly servers: readonly string[];
}

/**
 * Returns diagnostics for deny and ask rules that match nothing currently registered. The rules are
 * well-formed, and the skill or tool can be added later, but a misspelled rule protects nothing. Pure.
 */
export function findUnmatchedRules(permissions: Permissions, registered: Registered): readonly Issue[] {
  return (['deny', 'ask'] as const).flatMap((kind) =>
    (permissions[kind] ?? []).flatMap((text): Issue[] => {
      const rule = parseRule(text);
      if (rule === undefined || isMet(rule, registered)) return [];
      const name = isSkillRule(rule.tool) ? rule.spec : rule.tool;
      const names = registered.skills.map((skill) => skill.name);
      const near = nearestNames(name ?? '', names);
      return [
        {
          level: 'warning',
          code: 'rule.unmatched',
          message: `The rule "${text}" in permissions.${kind} does not match any registered skill or tool.`,
          hint: `${didYouMean(name ?? '', names) ?? 'Check the spelling.'} \`skilled config explain permissions\` shows where it is set.`,
          details: { kind, rule: text, near: [...near] },
        },
      ];
    }),
  );
}

function isMet(rule: Rule, { skills, servers }: Registered): boolean {
  const { tool, spec } = rule;
  if (isSkillRule(tool) && (spec === undefined || spec.includes('*'))) return true;
  const server = /^(?:mcp__)?(.+?)__/i.exec(tool)?.[1] ?? /^([\w-]+)\./.exec(tool)?.[1];
  if (server !== undefined && servers.some((name) => matchesWildcard(server, name))) return true;
  const isMeant = (skill: string, aliases: readonly string[], label?: string): boolean =>
    namesTool(rule, {
      skill,
      aliases,
      input: null,
      workspace: undefined,
      permission: optional('label', label),
    });
  if (isMeant(assistantName, assistantNames)) return true; // The assistant is always available.
  return skills.some(({ name, aliases, card }) => isMeant(name, aliases, card.label));
}
