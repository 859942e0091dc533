import { hash } from 'node:crypto';
import {
  detach,
  fromErrorData,
  hashOf,
  optional,
  type Artifact,
  type Begun,
  type StoreEntry,
  type EventBody,
  type Json,
} from '../../core/index.ts';
import type { Frame } from '../calls/frame.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { insideStep, isOtherVersion, outcomeOf } from '../log/replay.ts';
import type { KnownStep, StepOutcome } from '../log/run-state.ts';
import { cleanText, contentKey, idempotencyKeyOf, maxText, skillError } from '../log/sanitize.ts';

/** Adds a note for users. If the frame runs again, the note is not added again. Never throws. */
export function addNote(execution: Execution, frame: Frame, message: string, data: Json | undefined): void {
  if (!frame.isLive) return;
  const text = cleanText(message, execution.kernel.redact);
  const more = data === undefined ? {} : cleanData(execution, data);
  const key = frame.occurrence(contentKey('note', [text, more]));
  if (execution.state.isNoted(frame.id, key)) return;
  void execution.journal.add(frame.id, { type: 'note.added', key, message: text, ...more });
}

function cleanData(execution: Execution, data: Json): { data?: Json } {
  try {
    return { data: execution.clean(data) };
  } catch {
    return {}; // Data that cannot be stored is omitted from the note.
  }
}

/**
 * Stores an artifact with the run. If the frame runs again, the artifact is not stored again. Throws
 * `limit.too-large` if the artifact's data is too large.
 */
export function addArtifact(execution: Execution, frame: Frame, artifact: Artifact): void {
  if (!frame.isLive) return;
  const { redact } = execution.kernel;
  const text = redact(artifact.text);
  const recorded = {
    name: cleanText(artifact.name, redact),
    mediaType: cleanText(artifact.mediaType, redact),
    text: text.slice(0, maxText).toWellFormed(),
    digest: `sha256:${hash('sha256', text)}`,
    ...(text.length > maxText ? { cut: true as const } : {}),
    ...optional('data', artifact.data === undefined ? undefined : execution.clean(artifact.data)),
  };
  const key = frame.occurrence(
    contentKey('artifact', [recorded.name, recorded.digest, recorded.data ?? null]),
  );
  if (execution.state.isNoted(frame.id, key)) return;
  void execution.journal.add(frame.id, { type: 'artifact.created', key, ...recorded });
}

/** An operation's start event, and the store entries that are written with it. */
export interface Beginning {
  readonly event: EventBody;
  readonly entries?: readonly StoreEntry[];
}

/** A recorded operation: its key, its request, its effect, and its start and end events. */
interface Journalled {
  readonly key: string;
  /** The exact request, which identifies the operation. */
  readonly request: Json;
  readonly started: (begun: Begun, known: KnownStep | undefined) => Beginning | Promise<Beginning>;
  /**
   * Set if another process may word the request differently. Requests with the same key are then treated as
   * equal.
   */
  readonly mayBeReworded?: true;
  /**
   * Whether the effect may begin before its start is stored. A crash then repeats the effect, and nothing
   * shows that it began before.
   */
  readonly mayRepeat?: boolean;
  /**
   * Whether the operation can wait for the user in a nested frame. In that case, the frame is not considered
   * busy.
   */
  readonly mayWait?: boolean;
  /** Runs the effect and resolves to its end event. The event is stored before the value is used. */
  readonly effect: (attempt: number) => Promise<EventBody & StepOutcome>;
}

/** Runs an operation at most once. If the operation has already ended, returns its recorded outcome. */
export async function once(execution: Execution, frame: Frame, step: Journalled): Promise<StepOutcome> {
  const { turns, journal, resumedAt } = execution;
  const begun: Begun = { key: step.key, request: hashOf(step.request) };
  const during = <Value>(work: () => Promise<Value>): Promise<Value> =>
    step.mayWait === true ? frame.follow(work()) : frame.busy(work);
  const carryOut = (known: KnownStep | undefined): Promise<StepOutcome> =>
    during(async () => {
      await frame.busy(() => turns.mayBegin());
      await frame.busy(async () => {
        const { event, entries = [] } = await step.started(begun, known);
        if (step.mayRepeat === true && entries.length === 0) await journal.addStart(frame.id, event);
        else await journal.add(frame.id, event, entries);
      });
      const ended = await during(() => step.effect((known?.attempts ?? 0) + 1));
      await frame.busy(async () => turns.inTurn(await journal.add(frame.id, ended)));
      return ended;
    });
  const mayDiffer = ({ endedAt = 0, version }: KnownStep): boolean =>
    (step.mayBeReworded === true && endedAt <= resumedAt) || isOtherVersion(execution, version);
  return outcomeOf(execution, frame, begun, carryOut, mayDiffer);
}

/** Runs an effect and records its value or error. The caller receives exactly the recorded outcome. */
export async function runStep(
  execution: Execution,
  frame: Frame,
  key: string,
  effect: (idempotencyKey: string) => unknown,
  request: Json = null,
): Promise<Json> {
  return record(execution, frame, { key, request, effect });
}

/** Like `runStep`, for an effect that only reads or computes. */
export async function readStep(
  execution: Execution,
  frame: Frame,
  key: string,
  read: () => unknown,
): Promise<Json> {
  return record(execution, frame, { key, request: null, effect: read, mayRepeat: true });
}

interface RecordedEffect extends Pick<Journalled, 'key' | 'request' | 'mayRepeat'> {
  readonly effect: (idempotencyKey: string) => unknown;
}

async function record(
  execution: Execution,
  frame: Frame,
  { key, effect, ...asked }: RecordedEffect,
): Promise<Json> {
  const { value, error } = await once(execution, frame, {
    ...asked,
    key,
    started: (begun) => ({ event: { type: 'step.started', ...begun } }),
    effect: async () => {
      try {
        const idempotencyKey = idempotencyKeyOf(execution.runId, frame.id, key);
        const result: unknown = await insideStep(frame, () => effect(idempotencyKey));
        return { type: 'step.ended', key, value: execution.clean(result) };
      } catch (thrown) {
        return { type: 'step.ended', key, error: execution.cleanError(skillError(thrown)) };
      }
    },
  });
  if (error !== undefined) throw fromErrorData(error);
  return detach(value ?? null);
}
