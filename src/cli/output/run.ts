import type { RunStatus } from '../../core/run.ts';
import type { RunSummary } from '../../core/store.ts';
import type { Color } from './status.ts';

/** The colour of each status of a run. */
export const runColors: Readonly<Record<RunStatus, Color>> = {
  running: 'bold',
  waiting: 'yellow',
  interrupted: 'yellow',
  done: 'green',
  failed: 'red',
  cancelled: 'gray',
};

/** A run as every command shows it in JSON: its summary without what only stores use. */
export function runJson({ seq, epoch: _, beatAt: __, ...run }: RunSummary): Record<string, unknown> {
  return { ...run, events: seq };
}
