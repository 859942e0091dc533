import { optional } from '../collections.ts';
import type { Issue } from '../issue.ts';
import { didYouMean, matchesWildcard, nearestNames } from '../names.ts';
import type { Permissions } from '../policy.ts';
import type { Skill } from '../skill.ts';
import { isSkillRule, namesTool, parseRule, type Rule } from './rules.ts';

/** The words by which rules name the built-in tools: that of their permission, or their own name. */
export const builtInTools: readonly string[] = [
  ...['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash', 'WebFetch', 'AskUser', 'FindSkills', 'RunSop'],
  ...['MirrorCodeGenerator', 'ask-user', 'find-skills', 'run-sop', 'mirror-code-generator'],
];

/** Why a rule can never mean a call. */
interface RuleFault {
  /** As it was written. */
  readonly rule: string;
  /** The tool that it names, where it has the form of a rule. */
  readonly tool?: string;
  readonly near: readonly string[];
  /** The end of a sentence that begins with "It must be". */
  readonly expected: string;
  /** A sentence. */
  readonly hint: string;
}

const examples = 'such as "Read", "Bash(git diff *)" or "Skill(name)"';

/**
 * Why a rule can never match a call; undefined for one that can. The only place that decides it. `tools` are the words of tools that
 * the host registers itself. Skills and tools of servers may not be there yet, so their names are not looked at. Pure.
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
  if (known.some((word) => matchesWildcard(tool.toLowerCase(), word.toLowerCase()))) return undefined;
  const near = nearestNames(tool, known);
  const expected = `a rule for a tool that exists; "${rule}" names none`;
  return { rule, tool, near, expected, hint: hintFor(parsed, known) };
}

/** `mcp__server__tool`, also with `*`, or the name `server.tool` under which the tool is called. */
function isServerTool(tool: string): boolean {
  return /^mcp__[^*]+__.|^mcp__\*|^[\w-]+\.[\w.*-]+$/i.test(tool);
}

function hintFor({ tool, spec }: Rule, known: readonly string[]): string {
  if (/^mcp__/i.test(tool)) return `Write ${tool.replace(/_+$/, '')}__* for all tools of that server.`;
  const meant = didYouMean(tool, known) ?? `Tools are ${builtInTools.slice(0, 9).join(', ')}.`;
  return spec === undefined && /^[\w-]+$/.test(tool)
    ? `${meant} Write Skill(${tool}) if a skill is meant.`
    : meant;
}

/** What is registered in a run, as far as rules can name it. */
interface Registered {
  readonly skills: readonly Skill[];
  /** Names of servers that are described; which tools they have is known later. */
  readonly servers: readonly string[];
}

/**
 * Diagnostics for rules that deny or ask and mean nothing that is registered now. They have the right form, and what they
 * name may come later; misspelt, they protect from nothing. Pure.
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
          message: `The rule "${text}" in permissions.${kind} means no skill or tool that is registered now.`,
          hint: `${didYouMean(name ?? '', names) ?? 'Check its spelling.'} \`skilled config explain permissions\` shows where it is.`,
          details: { kind, rule: text, near: [...near] },
        },
      ];
    }),
  );
}

function isMet(rule: Rule, { skills, servers }: Registered): boolean {
  const { tool, spec } = rule;
  if (isSkillRule(tool) && (spec === undefined || spec.includes('*'))) return true;
  const server = /^mcp__(.+?)__/i.exec(tool)?.[1] ?? /^([\w-]+)\./.exec(tool)?.[1];
  if (server !== undefined && servers.some((name) => matchesWildcard(server, name))) return true;
  return skills.some(({ name: skill, aliases, card }) =>
    namesTool(rule, {
      skill,
      aliases,
      input: null,
      workspace: undefined,
      permission: optional('label', card.label),
    }),
  );
}
