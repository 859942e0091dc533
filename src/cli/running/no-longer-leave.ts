import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { ownSettings, settingsSources } from '../../config/read/settings.ts';
import { valueAt } from '../../config/schema/key.ts';
import { AgentError } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import type { ApprovalRequest } from '../../core/policy.ts';
import { ruleAllows } from '../../doctor/rules.ts';
import type { CommonFlags } from '../command.ts';
import { codeSpan } from '../output/pasteable.ts';
import { shellWord } from '../shell-word.ts';
import { approveCommand, type Undecided } from './decision-lines.ts';

const key = ['permissions', 'allow'] as const;

/** The error for whoever wants to allow more than can be allowed, with the command that comes nearest to it. */
export function noLongerLeave(
  agent: RecursiveSkilledAgent,
  undecided: Undecided,
  flag: '--run' | '--always',
  flags: CommonFlags,
): AgentError {
  const { id, asks } = undecided;
  if (asks.each === true)
    return new AgentError(
      'usage.bad-input',
      `${id} is asked about each time; ${flag} would change nothing.`,
      {
        hint: `Allow it once: \`${approveCommand(undecided)}\``,
      },
    );
  return new AgentError('usage.bad-input', `${id} cannot be allowed for longer than its run.`, {
    hint: `No version of a skill stands behind it. --run allows it for its run; ${inAllRuns(agent, asks, flags)}`,
  });
}

/** In settings a star means more than itself, and some commands are let in by no rule of their own. */
function inAllRuns(agent: RecursiveSkilledAgent, asks: ApprovalRequest, flags: CommonFlags): string {
  if (!asks.rule.includes('*') && ruleAllows(agent, asks, flags.cwd))
    return `in all runs, unless a rule asks for it: ${settingFor(asks.rule, flags)}`;
  return `no rule for all runs means exactly this. What rules are: \`skilled config explain ${key.join('.')}\``;
}

/** The command that adds a rule to those that the user has. */
function settingFor(rule: string, { cwd }: CommonFlags): string {
  const known = valueAt(ownSettings(settingsSources(cwd)), key);
  const rules = new Set<Json>([...(Array.isArray(known) ? (known as readonly Json[]) : []), rule]);
  return codeSpan(`skilled config set ${key.join('.')} ${shellWord(JSON.stringify([...rules]))} --user`);
}
