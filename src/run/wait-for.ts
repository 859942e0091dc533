import { AgentError } from '../core/error.ts';

/** Which runs wait for which preparations, at this moment. */
export type Waits = Map<string, Set<string>>;

/** Notes that a run waits for a preparation, until the scope ends; throws `limit.cycle` when that one waits for this run. */
export function waitFor(waits: Waits, runId: string, preparation: string, skill: string): Disposable {
  if (reaches(waits, preparation, runId)) {
    throw new AgentError('limit.cycle', `The preparation of "${skill}" needs itself.`, {
      hint: 'Do not call a skill while it, or a skill that needs it, is prepared.',
    });
  }
  const own = waits.get(runId) ?? new Set();
  waits.set(runId, own.add(preparation));
  return {
    [Symbol.dispose]() {
      own.delete(preparation);
      if (own.size === 0) waits.delete(runId);
    },
  };
}

function reaches(waits: Waits, from: string, to: string): boolean {
  return from === to || [...(waits.get(from) ?? [])].some((next) => reaches(waits, next, to));
}
