import type { RunEvent } from '../core/event.ts';
import type { Growing } from './growing.ts';
import type { Idleness } from './run-node.ts';

/**
 * Takes down when nobody works on a run: from `run.waiting` to the next event,
 * and from the last event before `run.resumed`, after which the process was gone, to that.
 */
export function noteIdleness(idle: Growing<Idleness>[], event: RunEvent, lastAt: number): void {
  const last = idle.at(-1);
  const isIdle = last !== undefined && last.endedAt === undefined;
  if (isIdle) last.endedAt = event.at;
  else if (event.type === 'run.resumed') idle.push({ startedAt: lastAt, endedAt: event.at });
  if (event.type === 'run.waiting') idle.push({ startedAt: event.at });
}
