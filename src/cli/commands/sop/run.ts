import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { exitCodeOf, fromErrorData, toErrorData } from '../../../core/error.ts';
import { optional } from '../../../core/collections.ts';
import type { RunResult } from '../../../core/run.ts';
import { count } from '../../../doctor/report.ts';
import { badScript } from '../../../engines/sop/check/check-sop.ts';
import type { Invocation } from '../../command.ts';
import { limitsOf } from '../../limit-flags.ts';
import { chosenModels } from '../../model-flags.ts';
import { openAgent } from '../../open-agent.ts';
import { oneLine } from '../../output/text.ts';
import { rolesOf } from '../../role-flags.ts';
import { placeOf, prepareStore } from '../../run-store.ts';
import { mustStream } from '../../running/must-stream.ts';
import { seeThrough } from '../../running/see-through.ts';
import { textFlag } from '../../text-flag.ts';
import { wholeNumber } from '../../whole-number.ts';
import { checkScript, type CheckedFile } from './check-script.ts';
import { mustNameOne } from './must-name.ts';
import { planInput } from './plan-input.ts';
import { readScript } from './read-script.ts';
import { sayFailedSteps } from './say-failed-steps.ts';
import { sayIssues } from './say-issues.ts';

/** Runs a plan and prints its answer; one with errors does not begin. */
export async function runScript(invocation: Invocation): Promise<number> {
  const { flags, own, words } = invocation;
  mustStream(invocation);
  const limits = limitsOf(own);
  const note = (text: string): void => {
    if (!flags.quiet) invocation.terminal.err(`${text}\n`);
  };
  const maxCommands = wholeNumber(own, 'max-commands', 1);
  const file = mustNameOne(words, 'run');
  const input = await planInput(own, { cwd: flags.cwd, isStdinTaken: file === '-', note });
  const script = await readScript(file, flags.cwd);
  const { where: store, retentionDays } = placeOf(flags);
  await using agent = await openAgent(flags, {
    ...chosenModels(invocation),
    store,
    ...optional('retentionDays', retentionDays),
  });
  const checked = checkScript(agent, script, input !== undefined);
  if (!checked.isSound) {
    const lacksInput = input === undefined && checkScript(agent, script, true).isSound;
    return refuse(checked, invocation, lacksInput ? 'The plan takes an input: --input <text>' : undefined);
  }
  sayIssues(checked, invocation);
  await prepareStore(invocation);
  const request = {
    skill: 'bundled:run-sop',
    input: {
      ...(file === '-' ? {} : { name: file }),
      script: script.text,
      ...optional('input', input),
      ...optional('maxCommands', maxCommands),
    },
    ...optional('session', textFlag(own, 'session')),
    ...optional('roles', rolesOf(invocation)),
  };
  const begin = (signal: AbortSignal): ReturnType<RecursiveSkilledAgent['run']> =>
    agent.run({ ...request, limits, signal });
  const comment = (result: RunResult): void => sayFailedSteps(checked, result, invocation);
  return await seeThrough({ agent, invocation, begin, comment });
}

/** Tells all errors at once. */
function refuse(checked: CheckedFile, invocation: Invocation, hint: string | undefined): number {
  const { flags, terminal } = invocation;
  const fault = badScript(checked.issues);
  if (flags.json) throw hint === undefined ? fault : fromErrorData({ ...toErrorData(fault), hint });
  sayIssues(checked, invocation);
  const errors = checked.issues.filter(({ level }) => level === 'error').length;
  terminal.err(`${oneLine(checked.file)} has ${count(errors, 'error')}; nothing was run.\n`);
  if (hint !== undefined) terminal.err(`  ${hint}\n`);
  return exitCodeOf(fault.code);
}
