import type { ErrorData } from '../core/error.ts';
import { noUsage } from '../core/model.ts';
import type { RunResult } from '../core/run.ts';

/** The result of a run of which nothing was heard. */
export function resultWithout(runId: string, skill: string, error: ErrorData): RunResult {
  const status = error.code === 'usage.cancelled' ? 'cancelled' : 'failed';
  return { ok: false, runId, status, skill, text: error.message, usage: noUsage, error };
}
