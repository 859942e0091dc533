import {
  isAssistant,
  memorySpace,
  optional,
  summaryKey,
  timer,
  toErrorData,
  turnsSpace,
  type StoreEntry,
  type ErrorData,
  type EventBody,
  type Json,
  type Output,
  type RunEvent,
  type RunStarted,
} from '../../core/index.ts';
import type { Registry } from '../../skills/registry/registry.ts';
import { overLimit } from '../calls/budget.ts';
import type { CallTarget, Frame } from '../calls/frame.ts';
import type { Addition } from '../log/journal.ts';
import type { RunState } from '../log/run-state.ts';
import { failedOutput, whole } from '../log/sanitize.ts';
import { callsIn } from '../routing/turn-calls.ts';

/** Values that are created while a process works on a run. */
export interface DerivedValues {
  /** The assistant that was created for the prompt. */
  assistant?: CallTarget | undefined;
  /** A summary for the next turn. */
  summary?: string;
  /** The time when the session's last turn ended, in milliseconds since the Unix epoch. */
  lastTurnAt?: number;
  /** The position of this turn in its session, starting at 1. */
  turnNumber?: number;
}

/**
 * Ends a run when it reaches its time limit. The time that the run worked before an interruption counts
 * towards the limit.
 */
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

/** Returns the reason to record for a cancelled run, which is never empty. */
export function cancelReason(given?: string | null): string {
  const reason = given ?? ''; // Untyped programs can pass null.
  return reason.trim() === '' ? 'The run was cancelled.' : reason;
}

/** The error for a frame whose caller ended first. */
export const callerEnded: ErrorData = {
  code: 'usage.cancelled',
  message: 'The call was cancelled because its caller ended first.',
};

/**
 * Returns the end events of all open frames below a frame, deepest first. The result includes frames that are
 * running in this process and logged frames that were not entered again. After this call, only the caller of
 * this function may end these frames.
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

/** Returns the output of a run whose program behaves differently from its log. */
export function divergedOutput(who: string, key: string): Output {
  return failedOutput({
    code: 'internal.diverged',
    message: `The request "${key}" from "${who}" differs from the one made before the interruption.`,
    hint: 'Run the skill again. Its code changed, depends on time or randomness outside of steps, or uses one key for two different requests.',
  });
}

// The maximum number of characters stored from a prompt or response: of the assistant, and of other skills.
const longestSaid = { assistant: 60_000, other: 8_000 };

/** Data about a finished turn that is stored for the next turns. */
interface TurnFacts extends Pick<DerivedValues, 'summary' | 'lastTurnAt' | 'turnNumber'> {
  readonly now: number;
  readonly journal: { readonly runId: string; readonly events: readonly RunEvent[] };
  readonly registry: Pick<Registry, 'lookup'>;
}

/**
 * Returns the entries that a turn stores for later turns. Returns an empty list for cancelled runs and for
 * runs that are not turns. Pure.
 */
export function turnEntries(
  { turn, session, prompt = '', attachments }: RunStarted,
  { status, output }: EventBody & { readonly type: 'run.ended' },
  { now, summary, lastTurnAt = 0, turnNumber, journal: { runId, events }, registry }: TurnFacts,
): readonly StoreEntry[] {
  if (turn !== true || status === 'cancelled') return [];
  const at = Math.max(now, lastTurnAt + 1);
  const key = `${String(at).padStart(15, '0')}-${runId}`;
  const calls = callsIn(events, (name) => registry.lookup.find(name)?.card.textIsComplete === true);
  const isOpen = events.some((event) => event.type === 'frame.started' && isAssistant(event.skill));
  const most = isOpen ? longestSaid.assistant : longestSaid.other;
  const said = {
    prompt: cut(prompt, most),
    ...optional('attachments', attachments as Json | undefined),
    ...(calls.length === 0 ? {} : { calls: calls as unknown as Json }),
    text: cut(output.text, most),
    ...optional('number', turnNumber),
    ...(isOpen && status === 'done' ? { named: true } : {}),
  };
  const entries = [{ space: turnsSpace(session), key, value: said }];
  return summary === undefined
    ? entries
    : [...entries, { space: memorySpace(session), key: summaryKey, value: summary }];
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${whole(text, most)} …`;
}
