import { setTimeout as delay } from 'node:timers/promises';
import { isBusy, toStoreError } from './sqlite-errors.ts';

/** How long a lock of another process may last, in milliseconds. */
const longestLock = 30_000;

const longestPause = 25; // milliseconds

/** Does synchronous work, again and again while another process holds the lock; the event loop is free in between. */
export async function withPatience<Value>(
  named: string,
  work: () => Value,
  patience = longestLock,
): Promise<Value> {
  const end = performance.now() + patience;
  for (let longest = 1; ; longest = Math.min(longest * 2, longestPause)) {
    try {
      return work();
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() >= end) throw toStoreError(thrown, named);
    }
    await delay(1 + Math.random() * (longest - 1));
  }
}
