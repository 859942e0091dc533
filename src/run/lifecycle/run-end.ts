import {
  summariesSpace,
  timer,
  toErrorData,
  turnsSpace,
  type Entry,
  type ErrorData,
  type EventBody,
  type Output,
  type RunStarted,
} from '../../core/index.ts';
import { overLimit } from '../calls/budget.ts';
import type { Frame } from '../calls/frame.ts';
import type { Addition } from '../log/journal.ts';
import type { RunState } from '../log/run-state.ts';
import { failedOutput, whole } from '../log/sanitize.ts';

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

/** Why a frame ended that did not reach its own end. */
export const callerEnded: ErrorData = { code: 'usage.cancelled', message: 'Its caller ended before it.' };

/**
 * The ends of all frames below one that are open, the deepest first: those at work here, and those of the log that were
 * not entered again. Nobody else writes them from here on.
 */
export function endsBelow(state: RunState, frame: Frame, error: ErrorData): readonly Addition[] {
  const here = frame.open.filter((below) => below !== frame);
  const written = new Set(here.filter(({ isEnded }) => isEnded).map(({ id }) => id));
  const depths = new Map([
    ...state.openBelow(frame.id).map(({ id, started }) => [id, started.depth] as const),
    ...here.map(({ id, depth }) => [id, depth] as const),
  ]);
  for (const below of here) below.isEnded = true;
  const output = failedOutput(error);
  return [...depths]
    .filter(([id]) => !written.has(id))
    .sort(([, one], [, other]) => other - one)
    .map(([frameId]) => ({ frameId, body: { type: 'frame.ended', output } }));
}

/** The end of a run whose program is not the one that its log tells of. */
export function divergedOutput(who: string, key: string): Output {
  return failedOutput({
    code: 'internal.diverged',
    message: `"${who}" asks for something else under "${key}" than before the interruption.`,
    hint: 'Its code changed, depends on time or chance outside of steps, or gives two things one key. Run it anew.',
  });
}

const longestSaid = 8_000; // characters of a prompt or an answer

/** What the end of a turn leaves for the next one; nothing of a run that is no turn, or was called off. Pure. */
export function turnEntries(
  { turn, session, prompt = '' }: RunStarted,
  { status, output }: EventBody & { readonly type: 'run.ended' },
  { runId, at, summary }: { readonly runId: string; readonly at: number; readonly summary?: string },
): readonly Entry[] {
  if (turn !== true || status === 'cancelled') return [];
  const key = `${String(at).padStart(15, '0')}-${runId}`;
  const said = { prompt: cut(prompt), text: cut(output.text) };
  const entries = [{ space: turnsSpace(session), key, value: said }];
  return summary === undefined
    ? entries
    : [...entries, { space: summariesSpace, key: session, value: summary }];
}

function cut(text: string): string {
  return text.length <= longestSaid ? text : `${whole(text, longestSaid)} …`;
}
