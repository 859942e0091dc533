import { durationText } from './amounts.ts';
import type { LineContent, LineOptions } from './line-content.ts';
import type { Activity } from './run-node.ts';

const noTime = 1_000; // milliseconds

/** What a call says of the run that it waits for, or waited for a while, or in vain; undefined where that is not worth a line. Pure. */
export function preparationLine(activity: Activity, { isInterrupted }: LineOptions): LineContent | undefined {
  const { kind, key, error, startedAt, endedAt } = activity;
  if (kind !== 'prepare') return undefined;
  const plain = { busy: false, detail: key, facts: [] };
  if (error !== undefined) return { ...plain, status: 'failed', name: 'its preparation failed:' };
  if (endedAt === undefined)
    return { ...plain, status: isInterrupted === true ? 'interrupted' : 'running', name: 'is prepared by' };
  const took = endedAt - startedAt;
  if (took < noTime) return undefined;
  return { ...plain, status: 'note', name: 'was prepared by', facts: [durationText(took)] };
}
