import { setTimeout as delay } from 'node:timers/promises';
import { stopLate } from '../../src/core/json/validate.ts';

/** The time limit in milliseconds for any wait in a test. It is long enough for a slow, busy machine. */
export const minute = 60_000;

/**
 * Resolves or rejects like the promise. If it is pending after a minute, rejects with `what` in the message.
 */
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

/** Resolves when the condition holds. Polls for at most one minute. */
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

/** Repeats a check until it passes. After a minute, throws the check's last error. */
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

/**
 * Runs synchronous work and returns its result. Stops the work after a minute, which linear work on these
 * inputs never takes.
 */
export function finished<Value>(what: string, work: () => Value): Value {
  try {
    return stopLate(minute, work);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw thrown;
    throw new Error(`Not within a minute: ${what}`, { cause: thrown });
  }
}
