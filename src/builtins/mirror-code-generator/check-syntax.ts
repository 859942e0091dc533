import { isJsonObject, parseJson } from '../../core/json.ts';
import { runProgram, stopOf, type CheckPlace } from './check-place.ts';
import type { Fault } from './fault.ts';

/** What is wrong with the syntax of files, given from the folder of the skill; only that of code and JSON is looked at. */
export async function checkSyntax(
  place: CheckPlace,
  files: readonly string[],
  timeoutMs: number,
): Promise<readonly Fault[]> {
  const result = await runProgram(place, 'syntax-worker', { files }, timeoutMs);
  const stopped = stopOf(result, timeoutMs);
  if (stopped !== undefined) return [{ message: `The check of the syntax ${stopped}.` }];
  const faults = parseJson(result.stdout);
  if (!Array.isArray(faults)) throw new Error(`The syntax was not checked: ${result.stderr.slice(0, 1000)}`);
  return faults.filter(isJsonObject) as unknown as readonly Fault[];
}
