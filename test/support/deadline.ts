import { setTimeout as delay } from 'node:timers/promises';
import { stopLate } from '../../src/core/json/validate.ts';

/** Milliseconds that anything in a test may take: far more than it needs, on a machine that does much else as well. */
export const minute = 60_000;

/** The outcome of something that could hang; rejects after a minute with what was waited for. */
export async function settled<Value>(work: Promise<Value>, what = 'the promise'): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const clock = setTimeout(() => {
    late.reject(new Error(`Not within a minute: ${what}`));
  }, minute);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(clock);
  }
}

/** Resolves when something holds; looks again and again, for a minute at most. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what = 'what was waited for',
): Promise<void> {
  let isLate = false;
  const look = async (): Promise<void> => {
    while (!isLate && !(await holds())) await delay(5);
  };
  try {
    await settled(look(), what);
  } finally {
    isLate = true;
  }
}

/** Repeats a check until it passes; throws what it throws after a minute. */
export async function eventually(check: () => void | Promise<void>): Promise<void> {
  let last: unknown;
  const passes = async (): Promise<boolean> => {
    try {
      await check();
      return true;
    } catch (thrown) {
      last = thrown;
      return false;
    }
  };
  await until(passes).catch((late: unknown) => {
    throw last ?? late;
  });
}

/** What some work without a pause gives; stops it after a minute, which input of this size takes only where time grows faster than it. */
export function finished<Value>(what: string, work: () => Value): Value {
  try {
    return stopLate(minute, work);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw thrown;
    throw new Error(`Not within a minute: ${what}`, { cause: thrown });
  }
}
