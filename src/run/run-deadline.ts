import { toErrorData, type ErrorData } from '../core/error.ts';
import { overLimit } from './budget.ts';
import type { Frame } from './frame.ts';
import type { RunState } from './state.ts';
import { timer } from './timer.ts';

/** Ends a run whose time is over; what it worked before an interruption counts. */
export function runDeadline(
  { top, state }: { readonly top: Frame; readonly state: RunState },
  end: (late: ErrorData) => void,
): Disposable {
  const { runSeconds } = top.budget.limits;
  return timer(runSeconds * 1000 - state.activeSince(0), () => {
    end(
      toErrorData(
        overLimit('limit.time', runSeconds === 1 ? '1 second' : `${runSeconds} seconds`, 'runSeconds'),
      ),
    );
  });
}
