import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { optional } from '../../../core/collections.ts';
import type { RunEvent, RunHandle } from '../../../core/event.ts';
import type { RunLimits } from '../../../core/run-limits.ts';
import type { RunResult } from '../../../core/run.ts';
import type { Skill } from '../../../core/skill.ts';
import type { Invocation } from '../../command.ts';
import { pasteable } from '../../output/pasteable.ts';
import { oneLine } from '../../output/text.ts';
import { rolesOf } from '../../role-flags.ts';
import { waitingLines } from '../../running/question-text.ts';
import { seeToEnd, type Seen } from '../../running/see-to-end.ts';
import { shortId } from '../../short-id.ts';

/** Builds one skill in a run of its own and tells what it came to: a line on stdout, the rest on stderr. */
export async function buildSkill(
  agent: RecursiveSkilledAgent,
  invocation: Invocation,
  { skill, limits }: { readonly skill: Skill; readonly limits: Partial<RunLimits> },
): Promise<Seen> {
  const { flags, own, terminal } = invocation;
  const { name, aliases } = skill;
  const called = [name, ...aliases].find((word) => agent.skills.get(word) === skill) ?? name;
  const roles = rolesOf(invocation);
  const input = own['force'] === true ? { force: true } : {};
  const begin = (signal: AbortSignal): RunHandle =>
    agent.run({ skill: called, through: 'build', input, ...optional('roles', roles), limits, signal });
  const isPlain = !flags.json && !flags.quiet && terminal.live === undefined;
  const hear = (event: RunEvent): void => {
    if (isPlain && event.type === 'note.added')
      terminal.err(`${pasteable(oneLine(`${name}: ${event.message}`), terminal)}\n`);
  };
  const seen = await seeToEnd({ agent, invocation, begin, hear });
  if (flags.json) return seen;
  terminal.out(`${lineOf(name, seen.result)}\n`);
  for (const line of flags.quiet ? [] : linesBelow(seen, invocation)) terminal.err(`${line}\n`);
  return seen;
}

function lineOf(name: string, { ok, status, text, error }: RunResult): string {
  if (ok) return oneLine(text.startsWith(name) ? text : `${name}: ${text}`);
  return oneLine(`${name}: ${error === undefined ? status : `${status}: ${error.message}`}`);
}

/** The next step where there is one to take. */
function linesBelow({ result, tree }: Seen, invocation: Invocation): readonly string[] {
  const { error, runId, status } = result;
  if (error === undefined) return status === 'waiting' ? waitingLines(runId, tree.questions, invocation) : [];
  const hint = error.hint === undefined ? [] : [`  ${pasteable(oneLine(error.hint), invocation.terminal)}`];
  const trace = `  What happened: \`skilled trace ${shortId(runId)}\``;
  return tree.runId === '' ? hint : [...hint, pasteable(trace, invocation.terminal)];
}
