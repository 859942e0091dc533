import { AgentError } from '../core/error.ts';

/** Which runs wait for which preparations, at this moment. */
export type Waits = Map<string, Set<string>>;

/** A frame that waits for a preparation. */
export interface Waiting {
  readonly runId: string;
  readonly preparation: string;
  /** The skill that is prepared. */
  readonly skill: string;
  /** Aborted when the frame does not go on. */
  readonly signal: AbortSignal;
}

/** Notes that a run waits for a preparation, until the scope ends or the frame does; throws `limit.cycle` when that one waits for this run. */
export function waitFor(waits: Waits, { runId, preparation, skill, signal }: Waiting): Disposable {
  if (reaches(waits, preparation, runId)) {
    throw new AgentError('limit.cycle', `The preparation of "${skill}" needs itself.`, {
      hint: 'Do not call a skill while it, or a skill that needs it, is prepared.',
    });
  }
  const own = waits.get(runId) ?? new Set();
  waits.set(runId, own.add(preparation));
  const forget = (): void => {
    signal.removeEventListener('abort', forget);
    own.delete(preparation);
    if (own.size === 0) waits.delete(runId);
  };
  signal.addEventListener('abort', forget);
  return { [Symbol.dispose]: forget };
}

function reaches(waits: Waits, from: string, to: string): boolean {
  return from === to || [...(waits.get(from) ?? [])].some((next) => reaches(waits, next, to));
}
