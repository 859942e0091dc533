import { optional } from '../collections.ts';
import type { Issue } from '../issue.ts';
import { assistantName, assistantNames, didYouMean, matchesWildcard, nearestNames } from '../names.ts';
import type { Permissions, RulePosition } from '../policy.ts';
import type { Skill } from '../skill.ts';
import { isSkillRule, namesTool, parseRule, type Rule } from './rules.ts';

/** The names that rules can use for built-in tools: their permission labels and their skill names. */
export const builtInTools: readonly string[] = [
  ...['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash', 'WebFetch', 'AskUser', 'FindSkills', 'RunSop'],
  ...['BashOutput', 'BashKill', 'Todo', 'MirrorCodeGenerator'],
  ...['ask-user', 'find-skills', 'run-sop', 'bash-output', 'bash-kill', 'mirror-code-generator'],
];

/**
 * The companions of a tool, keyed by the tool's label. A list that allows the tool also allows its
 * companions. They are useful only with that tool, and affect only what its calls started.
 */
export const companionTools: Readonly<Record<string, readonly string[]>> = {
  Bash: ['BashOutput', 'BashKill'],
};

const labels = builtInTools.filter((name) => /^[A-Z]/.test(name));
const labelByName = new Map(labels.map((label) => [label.toLowerCase(), label]));

/**
 * Returns the permission label of the built-in tool with this name in any spelling, such as `web_fetch`, or
 * undefined if there is none. Pure.
 */
export function builtInLabel(name: string): string | undefined {
  return labelByName.get(name.toLowerCase().replace(/[-_]/g, ''));
}

/** The reason why a rule can never match a call. */
interface RuleFault {
  /** The rule as written. */
  readonly rule: string;
  /** The tool that the rule names. Absent if the rule cannot be parsed. */
  readonly tool?: string;
  readonly near: readonly string[];
  /** The expected value, worded to end a sentence that begins with "It must be". */
  readonly expected: string;
  /** The hint, as a complete sentence. */
  readonly hint: string;
}

const examples = 'such as "Read", "Bash(git diff *)" or "Skill(name)"';

/**
 * Returns the reason why a rule can never match a call, or undefined if it can match one. `tools` contains
 * the names of tools that the host registers. Names of skills and server tools are not checked, because they
 * can be added later. Pure. The only check of this kind.
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
  /** The positions of the rules that come from settings files. Default: none. */
  readonly positions?: readonly RulePosition[] | undefined;
}

/**
 * Returns warnings about deny and ask rules that match nothing currently registered, and about rules that
 * refer to the assistant by an earlier name. An unmatched rule is valid, because its skill or tool can be
 * added later, but a misspelled rule protects nothing. Pure.
 */
export function checkRules(permissions: Permissions, registered: Registered): readonly Issue[] {
  return (['deny', 'ask', 'allow'] as const).flatMap((kind) =>
    [...new Set(permissions[kind])].flatMap((text): readonly Issue[] => {
      const rule = parseRule(text);
      if (rule === undefined) return [];
      const isUnmatched = kind !== 'allow' && !isMet(rule, registered);
      const issue = isUnmatched
        ? unmatchedIssue(kind, text, rule, registered)
        : isRenamed(rule, registered)
          ? renamedIssue(kind, text, rule)
          : undefined;
      if (issue === undefined) return [];
      const positions = (registered.positions ?? []).filter((one) => one.kind === kind && one.rule === text);
      if (positions.length === 0) return [issue];
      return positions.map(({ file, line }) => ({ ...issue, file, ...optional('line', line) }));
    }),
  );
}

const shownBy = '`skilled config explain permissions` shows where it is set.';

function unmatchedIssue(kind: string, text: string, rule: Rule, { skills }: Registered): Issue {
  const name = (isSkillRule(rule.tool) ? rule.spec : rule.tool) ?? '';
  const names = skills.map((skill) => skill.name);
  return {
    level: 'warning',
    code: 'rule.unmatched',
    message: `The rule "${text}" in permissions.${kind} does not match any registered skill or tool.`,
    hint: `${didYouMean(name, names) ?? 'Check the spelling.'} ${shownBy}`,
    details: { kind, rule: text, near: [...nearestNames(name, names)] },
  };
}

function renamedIssue(kind: string, text: string, { tool }: Rule): Issue {
  const current = `${tool}(${assistantName})`;
  return {
    level: 'warning',
    code: 'settings.renamed',
    message: `"${text}" in permissions.${kind} is now "${current}". The next release will ignore the old name.`,
    hint: `Rename it in the rule. ${shownBy}`,
    details: { rule: text, current },
  };
}

/**
 * Whether a rule refers to the assistant by an earlier name. False if a skill has that name without brackets.
 */
function isRenamed(rule: Rule, { skills }: Registered): boolean {
  if (!isSkillRule(rule.tool) || rule.spec === undefined || rule.spec.includes('*')) return false;
  if (isMeant(rule, assistantName, []) || !assistantNames.some((name) => isMeant(rule, name, [])))
    return false;
  return !skills.some(({ name, aliases }) => isMeant(rule, name, aliases));
}

function isMet(rule: Rule, { skills, servers }: Registered): boolean {
  const { tool, spec } = rule;
  if (isSkillRule(tool) && (spec === undefined || spec.includes('*'))) return true;
  const server = /^(?:mcp__)?(.+?)__/i.exec(tool)?.[1] ?? /^([\w-]+)\./.exec(tool)?.[1];
  if (server !== undefined && servers.some((name) => matchesWildcard(server, name))) return true;
  if (isMeant(rule, assistantName, assistantNames)) return true; // The assistant is always available.
  return skills.some(({ name, aliases, card }) => isMeant(rule, name, aliases, card.label));
}

function isMeant(rule: Rule, skill: string, aliases: readonly string[], label?: string): boolean {
  const permission = optional('label', label);
  return namesTool(rule, { skill, aliases, input: null, workspace: undefined, permission });
}
