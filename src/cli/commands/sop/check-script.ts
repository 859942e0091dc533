import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import type { Skill } from '../../../core/skill.ts';
import { checkSop } from '../../../engines/sop/check/check-sop.ts';
import type { ResolvedStep } from '../../../engines/sop/check/resolve-step.ts';
import type { SopIssue } from '../../../engines/sop/issue.ts';
import { statusText } from '../../output/status.ts';
import { agentCommands } from './agent-commands.ts';
import type { Script } from './read-script.ts';

/** A script and all that is to be said of it. */
export interface CheckedFile {
  readonly file: string;
  readonly steps: readonly ResolvedStep[];
  readonly issues: readonly SopIssue[];
  /** Whether it can run. */
  readonly isSound: boolean;
}

/** Holds a script against the skills of an agent. */
export function checkScript(
  agent: RecursiveSkilledAgent,
  { file, text, issue }: Script,
  hasInput: boolean,
): CheckedFile {
  if (issue !== undefined) return { file, steps: [], issues: [issue], isSound: false };
  const { steps, issues, plan } = checkSop(text, agentCommands(agent), { hasInput });
  const skillAt = skillsBy(agent, steps);
  return {
    file,
    steps,
    issues: issues.map((one) => explain(one, skillAt(one))),
    isSound: plan !== undefined,
  };
}

/** A skill that is there and lacks something is not unknown, and whoever seeks another can have them listed. */
function explain(issue: SopIssue, skill: Skill | undefined): SopIssue {
  const { code, details } = issue;
  if (code !== 'sop.unknown-command') return issue;
  if (skill === undefined)
    return details?.['known'] === undefined ? issue : { ...issue, hint: 'List the skills: `skilled list`' };
  return {
    ...issue,
    message: `"${skill.name}" cannot be used here: ${statusText(skill)}.`,
    hint: `See what it needs: \`skilled show ${skill.name}\``,
  };
}

/** Finds the skill that the command at a place names. */
function skillsBy(
  { skills }: RecursiveSkilledAgent,
  steps: readonly ResolvedStep[],
): (place: SopIssue) => Skill | undefined {
  const commands = new Map(
    steps.map(({ command, commandPlace: { line, column } }) => [`${line}:${column}`, command]),
  );
  return ({ line, column }) => skills.get(commands.get(`${line}:${column}`) ?? '');
}
