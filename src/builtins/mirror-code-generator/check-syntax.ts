import { crashReason } from '../../core/crash-reason.ts';
import { AgentError } from '../../core/error.ts';
import { isJsonObject, parseJson } from '../../core/json.ts';
import { runProgram, stopOf, type CheckPlace } from './check-place.ts';
import type { Fault } from './fault.ts';

/**
 * What is wrong with the syntax of files, given from the folder of the skill; only that of code and JSON is looked at.
 * Throws `sandbox.unavailable` with the reason when the check itself breaks.
 */
export async function checkSyntax(
  place: CheckPlace,
  files: readonly string[],
  timeoutMs: number,
): Promise<readonly Fault[]> {
  const result = await runProgram(place, 'syntax-worker', { files }, timeoutMs);
  const stopped = stopOf(result, timeoutMs);
  if (stopped !== undefined) return [{ message: `The check of the syntax ${stopped}.` }];
  const faults = parseJson(result.stdout);
  if (!Array.isArray(faults)) {
    const reason = crashReason(result.stderr) || 'it gave no answer.';
    throw new AgentError('sandbox.unavailable', `The syntax was not checked: ${reason}`, {
      hint: 'Run `skilled doctor`: it says whether code runs on this machine.',
    });
  }
  return faults.filter(isJsonObject) as unknown as readonly Fault[];
}
