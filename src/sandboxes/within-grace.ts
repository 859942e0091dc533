import { setTimeout as wait } from 'node:timers/promises';

/** Milliseconds that processes have to end by themselves before they are killed. */
export const graceMs = 500;

/** Resolves when something has happened, or after the grace. */
export async function withinGrace(happened: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  await Promise.race([happened, wait(graceMs, undefined, over).catch(() => undefined)]);
  over.abort();
}
