import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { crashReason } from '../../core/crash-reason.ts';
import { isJsonObject, parseJson } from '../../core/json.ts';
import { runProgram, stopOf, withoutPlace, type CheckPlace } from './check-place.ts';
import type { Fault } from './fault.ts';

const mostShown = 3000; // characters of what a module throws or prints

const innerFrame = /\n {4}at [^\n]*(?:node:internal|\/load-worker\.)[^\n]*/g; // says nothing about the module

/** What is wrong with loading a file of the skill, and with what it exports: a function for every name. */
export async function checkLoad(
  place: CheckPlace,
  file: string,
  names: readonly string[],
  timeoutMs: number,
): Promise<readonly Fault[]> {
  const mark = randomUUID();
  const order = { module: join(place.folder, file), names, mark };
  const result = await runProgram(place, 'load-worker', order, timeoutMs);
  const stopped = stopOf(result, timeoutMs);
  if (stopped !== undefined) return [{ message: `${file} cannot be loaded: it ${stopped}.` }];
  const [printed = '', report] = result.stdout.split(`\n${mark}`);
  const found = report === undefined ? undefined : parseJson(report);
  if (!isJsonObject(found)) {
    const said = withoutPlace(`${printed}\n${result.stderr}`.trim(), place.folder).slice(-mostShown);
    const reason = crashReason(withoutPlace(result.stderr, place.folder));
    const end = reason === '' ? '.' : `: ${reason}`;
    return [
      { message: `${file} cannot be loaded: the process ended before it was${end}\n${said}`.trimEnd() },
    ];
  }
  const { thrown, missing = [] } = found;
  if (typeof thrown === 'string') {
    const stack = withoutPlace(thrown, place.folder).replaceAll(innerFrame, '').slice(0, mostShown);
    return [{ message: `${file} cannot be loaded: ${stack}` }];
  }
  return (missing as readonly string[]).map((name) => ({
    message: `${file} exports no function named ${name}.`,
  }));
}
