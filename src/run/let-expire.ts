import type { Kernel } from './kernel.ts';
import { isLate } from './is-late.ts';
import { openQuestions } from './open-questions.ts';
import { readLog } from './read-log.ts';
import type { Stop } from './stop.ts';
import { takeUp, type TakeUpOptions } from './take-up.ts';

/**
 * Takes up a run that waits for an answer which nobody can give any more, so that it goes on without; never rejects.
 * Whoever works on a run sees to it by themselves.
 */
export async function letExpire(
  kernel: Kernel,
  runId: string,
  options: Pick<TakeUpOptions, 'signal'> = {},
): Promise<Stop | undefined> {
  try {
    const [run] = await kernel.store.runs({ ids: [runId], status: ['waiting'] });
    if (run === undefined) return undefined;
    const asked = openQuestions(await readLog(kernel.store, runId));
    const now = kernel.now();
    const isDue = asked.some((one) => one.type === 'input.requested' && isLate(one, now));
    return isDue ? await takeUp(kernel, runId, options) : undefined;
  } catch {
    return undefined; // a process that knows its skills, or whose store does not fail, does it when it comes across the run
  }
}
